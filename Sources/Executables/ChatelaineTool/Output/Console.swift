import Foundation

/// Writes to standard output and standard error, unbuffered, so that the two stay in order.
enum Console {
    /// Nothing can be said of a reader that went away.
    static func print(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    static func printError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

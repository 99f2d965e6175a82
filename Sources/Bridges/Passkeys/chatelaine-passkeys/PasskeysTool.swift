import Terminal

/// How all of this program's commands print; `PasskeysTool+Run.swift` runs them.
enum PasskeysTool {
    static let name = "chatelaine-passkeys"

    static func complain(_ message: String) {
        Console.complain(message, as: name)
    }

    /// Prints lines of our own, in which what others have written was made safe.
    static func print(_ text: String) throws {
        try Console.writeAll(Array((text + "\n").utf8))
    }
}

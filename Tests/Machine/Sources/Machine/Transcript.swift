import Foundation
import Synchronization

/// What was typed on a machine and what it said, in a file, as it happens.
package final class Transcript: Sendable {
    package let path: String
    private let file: Mutex<FileHandle?>

    package init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        guard FileManager.default.createFile(atPath: path, contents: nil) else { throw Failure("cannot write \(path)") }
        file = Mutex(FileHandle(forWritingAtPath: path))
    }

    /// Of nobody.
    static let nowhere = Transcript()

    private init() {
        path = "/dev/null"
        file = Mutex(nil)
    }

    package func add(_ text: String) {
        file.withLock { try? $0?.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8)) }
    }
}

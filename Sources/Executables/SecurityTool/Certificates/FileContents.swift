import Foundation
import Glibc
import Terminal

/// Files that commands read and write.
enum FileContents {
    /// No file of keys and certificates is larger.
    private static let most = 10 << 20

    static func read(_ path: String) throws(Failure) -> Data {
        guard let file = FileHandle(forReadingAtPath: path) else { throw failure(path) }
        guard let data = try? file.read(upToCount: most + 1) else {
            // Nothing in it, or a folder.
            guard let data = try? file.readToEnd() ?? Data() else { throw failure(path) }
            return data
        }
        guard data.count <= most else { throw Failure("\(TerminalText.escaped(path)): the file is too large") }
        return data
    }

    /// Writes a file that only its owner may read, or to standard output if there is no path.
    static func write(_ data: Data, to path: String?) throws(Failure) {
        guard let path else { return try Console.print(bytes: Array(data)) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
        } catch {
            throw failure(path)
        }
    }

    private static func failure(_ path: String) -> Failure {
        Failure("\(TerminalText.escaped(path)): \(unsafe String(cString: strerror(errno == 0 ? EIO : errno)))")
    }
}

import Glibc
import KeychainBackup
import KeychainModel

/// A file that a backup is read from: a regular one, since a pipe or a device may never end.
final class InputFile: BackupFile {
    let descriptor: Int32
    /// In bytes, when it was opened.
    let count: UInt64

    init(_ path: String) throws {
        // A pipe without a writer would keep the opening waiting.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Failure("\(path): \(Self.reason())") }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure("\(path) is not a regular file")
        }
        count = UInt64(clamping: status.st_size)
    }

    deinit {
        close(descriptor)
    }

    func source() throws(KeychainError) -> BackupSource { DescriptorSource.bytes(of: descriptor, ownedBy: self) }

    /// All of it, where it is no larger than it may be.
    func contents(largest: Int) throws -> [UInt8] {
        let source = try source()
        var bytes: [UInt8] = []
        while case let more = try source(1 << 20), !more.isEmpty {
            bytes += more
            guard bytes.count <= largest else { throw Failure("the file has more than \(largest) bytes") }
        }
        return bytes
    }

    private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}

/// The name of a file that is to be made.
enum OutputPath {
    /// - Parameter replacing: whether a file may be there.
    /// - Throws: where something is there that is no file, or may not be replaced.
    static func check(_ path: String, replacing: Bool) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(path) is there and is not a regular file; choose another name")
        }
        guard replacing else { throw Failure("\(path) is there already; --force replaces it") }
    }
}

import Glibc
import KeychainBackup
import KeychainModel
import KeychainSystem
import Terminal

/// A file that a backup is read from: a regular one, since a pipe or a device may never end.
final class InputFile: BackupFile {
    private let file: Descriptor
    /// In bytes, when it was opened.
    let count: UInt64

    init(_ path: String) throws {
        do throws(SystemError) {
            // A pipe without a writer would keep the opening waiting.
            file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw Failure("\(path): \(error.reason)")
        }
        guard let stamp = try? file.stamp(), stamp.isFile else { throw Failure("\(path) is not a regular file") }
        count = stamp.size
    }

    func source() throws(KeychainError) -> BackupSource { DescriptorSource.bytes(of: file) }

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
}

/// The name of a file that is to be made.
enum OutputPath {
    /// - Parameter replacing: whether a file may be there.
    /// - Throws: where something is there that is no file, or may not be replaced.
    static func check(_ path: String, replacing: Bool) throws {
        guard let stamp = FileStamp.ofFile(path) else { return }
        guard stamp.isFile else {
            throw Failure("\(path) is there and is not a regular file; choose another name")
        }
        guard replacing else { throw Failure("\(path) is there already; --force replaces it") }
    }
}

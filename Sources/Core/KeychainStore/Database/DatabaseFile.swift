import Glibc
package import KeychainModel
import KeychainSystem

/// What a look at the database's file shows before SQLite opens it: SQLite deletes the journal of a file that was
/// truncated to nothing, and with it what could still be saved.
package struct DatabaseFile: Sendable {
    package let identity: Identity
    /// The schema's version, as the file's header has it.
    package let version: Int32
    /// Whether it has fewer bytes than its header says that it has pages.
    let isShort: Bool

    /// Which file stands under a name.
    package struct Identity: Equatable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(_ stamp: FileStamp) {
            device = stamp.device
            inode = stamp.inode
        }

        package init?(path: String) {
            guard let stamp = (try? FileStamp(path: path, followingLinks: true)) ?? nil else { return nil }
            self.init(stamp)
        }
    }

    static func exists(_ path: String) -> Bool {
        FileStamp.ofFile(path) != nil
    }

    /// - Returns: nil if there is no file.
    /// - Throws: `notAvailable` for what is no database of ours or of a newer version, `noPermission`.
    package static func check(path: String) throws(KeychainError) -> DatabaseFile? {
        try check(path: path, schema: .current)
    }

    /// The schema's version of what this program makes.
    package static var newestVersion: Int32 { Schema.current.version }

    static func check(path: String, schema: Schema) throws(KeychainError) -> DatabaseFile? {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            switch error.code {
            case ENOENT: return nil
            case ELOOP: throw damaged(path)
            default: throw KeychainError(error, "the keychain's database cannot be opened")
            }
        }
        guard let header = try? file.prefix(100), header.count == 100, let stamp = try? file.stamp(),
            header.starts(with: Array("SQLite format 3".utf8) + [0]),
            number(in: header, at: 68) == UInt32(bitPattern: Schema.applicationID)
        else { throw damaged(path) }
        guard let version = Int32(exactly: number(in: header, at: 60)), version <= schema.version else { throw newer }
        let pageSize = Int(header[16]) << 8 | Int(header[17])
        return DatabaseFile(
            identity: Identity(stamp),
            version: version,
            isShort: Int(stamp.size) < Int(number(in: header, at: 28)) * (pageSize == 1 ? 65536 : pageSize)
        )
    }

    /// Whether the file says that a newer version of the program has made it.
    package static func isNewer(path: String) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            _ = try check(path: path)
            return false
        } catch {
            return error.message == newer.message
        }
    }

    private static let newer = KeychainError(
        .notAvailable,
        "the keychain's database is of a newer version; use the newer program"
    )

    private static func damaged(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the file \(path) is truncated, damaged or no keychain; it was left as it is, restore it from a copy"
        )
    }

    /// A big-endian number of SQLite's file header (https://www.sqlite.org/fileformat.html, section 1.3).
    private static func number(in header: [UInt8], at offset: Int) -> UInt32 {
        header[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

package import Foundation
import Glibc
package import KeychainModel

/// Files of a developer or an administrator: keys, certificates, entitlements.
package enum SmallFile {
    /// In bytes.
    private static let largest: UInt64 = 1 << 20

    package static func read(_ path: String) throws(KeychainError) -> Data {
        Data(try contents(path).bytes)
    }

    static func contents(_ path: String) throws(KeychainError) -> (bytes: [UInt8], stamp: FileStamp) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(path) cannot be opened") }
        defer { close(descriptor) }
        let stamp = try FileStamp(of: descriptor)
        guard stamp.isFile, stamp.size <= largest else {
            throw KeychainError(.invalidParameter, "\(path) is no file, or larger than it can be")
        }
        var bytes: [UInt8] = []
        try unsafe FileReader.read(descriptor, 0..<stamp.size) { unsafe bytes.append(contentsOf: $0) }
        return (bytes, stamp)
    }

    static func text(_ path: String) throws(KeychainError) -> String {
        String(decoding: try contents(path).bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String, mode: mode_t) throws(KeychainError) {
        let file = try NewFile(beside: path, mode: mode)
        try file.write(Array(text.utf8))
        try file.commit(replacing: false)
    }
}

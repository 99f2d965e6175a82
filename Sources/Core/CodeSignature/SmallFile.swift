package import Foundation
import Glibc
package import KeychainModel
import KeychainSystem

/// Files of a developer or an administrator: keys, certificates, entitlements.
package enum SmallFile {
    /// In bytes.
    private static let largest: UInt64 = 1 << 20

    package static func read(_ path: String) throws(KeychainError) -> Data {
        Data(try contents(path).bytes)
    }

    static func contents(_ path: String) throws(KeychainError) -> (bytes: [UInt8], stamp: FileStamp) {
        let (file, stamp) = try KeychainError.translating {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            return (file, try file.stamp())
        }
        guard stamp.isFile, stamp.size <= largest else {
            throw KeychainError(.invalidParameter, "\(path) is no file, or larger than it can be")
        }
        defer { withExtendedLifetime(file) {} }
        var bytes: [UInt8] = []
        try unsafe FileParts.read(file.number, 0..<stamp.size) { unsafe bytes.append(contentsOf: $0) }
        return (bytes, stamp)
    }

    static func text(_ path: String) throws(KeychainError) -> String {
        String(decoding: try contents(path).bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String, mode: mode_t) throws(KeychainError) {
        try KeychainError.translating {
            let file = try NewFile(beside: path, mode: mode)
            try file.write(Array(text.utf8))
            try file.commitAsNew()
        }
    }
}

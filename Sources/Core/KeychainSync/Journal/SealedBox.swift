package import Crypto
import FoundationEssentials
package import KeychainModel

/// AES-256-GCM: nonce, ciphertext, tag.
package struct SealedBox: Hashable, Sendable {
    package static let overhead = 12 + 16
    /// The size of one that holds a key.
    package static let sizeOfKey = 32 + overhead

    package let bytes: [UInt8]

    /// - Returns: nil for fewer bytes than an empty one has.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.overhead else { return nil }
        self.bytes = bytes
    }

    /// Reads one that holds a key of 32 bytes.
    init(ofKeyFrom reader: inout SyncReader) throws(SyncRefusal) { bytes = try reader.take(Self.sizeOfKey) }

    package init(
        sealing contents: UnsafeRawBufferPointer,
        under key: SymmetricKey,
        authenticating data: [UInt8]
    ) throws(SyncRefusal) {
        guard let box = try? unsafe AES.GCM.seal(contents, using: key, authenticating: data).combined else {
            throw .notOpened
        }
        bytes = Array(box)
    }

    /// - Throws: `notOpened`.
    package func opened(under key: SymmetricKey, authenticating data: [UInt8]) throws(SyncRefusal) -> SecretBytes {
        guard let box = try? AES.GCM.SealedBox(combined: bytes),
            var contents = try? AES.GCM.open(box, using: key, authenticating: data)
        else { throw .notOpened }
        defer { contents.resetBytes(in: 0..<contents.count) }
        return SecretBytes(contents)
    }
}

/// The class keys of the enclave that an epoch's key is kept under.
package enum SyncTier: UInt8, Sendable, CaseIterable {
    /// Items that are there while the device is unlocked.
    case unlocked = 1
    /// All others.
    case afterFirstUnlock = 2
}

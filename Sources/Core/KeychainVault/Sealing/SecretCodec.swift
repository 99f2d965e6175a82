import Crypto
import Foundation
package import KeychainModel

/// The plaintext of an item's secret: a version byte, the length of what follows, the item's SHA-1, the secret
/// attributes as key, length and bytes, and zeroes up to a multiple of 32 bytes, so that the row does not tell the
/// length of a password.
enum SecretCodec {
    private static let version: UInt8 = 1
    private static let headerSize = 1 + 4
    private static let digestSize = Insecure.SHA1.byteCount
    private static let padding = 32

    private static func size(holding length: Int) -> Int {
        (headerSize + length + padding - 1) / padding * padding
    }

    static func encode(sha1: [UInt8], _ secrets: [AttributeKey: SecretBytes]) -> SecretBytes {
        let ordered = secrets.sorted { $0.key < $1.key }
        let length = ordered.reduce(digestSize) { $0 + 8 + $1.value.count }
        return unsafe SecretBytes(count: size(holding: length)) { target in
            var position = 0
            func put(_ bytes: some Collection<UInt8>) {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[position...]).copyBytes(from: bytes)
                position += bytes.count
            }
            func put(number: UInt32) {
                put([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) })
            }
            put([version])
            put(number: UInt32(truncatingIfNeeded: length))
            put(sha1)
            for (key, value) in ordered {
                put(number: key.rawValue)
                put(number: UInt32(truncatingIfNeeded: value.count))
                unsafe value.withUnsafeBytes { unsafe put($0) }
            }
        }
    }

    /// The secrets, or nil where the bytes are not the one encoding of some.
    static func decode(_ plaintext: SecretBytes) -> OpenedSecrets? {
        unsafe plaintext.withUnsafeBytes { (bytes) -> OpenedSecrets? in
            var header = unsafe ByteReader(bytes)
            guard header.byte() == version, let length = header.bigEndian(4),
                length <= UInt64(bytes.count - headerSize)
            else { return nil }
            let end = headerSize + Int(length)
            guard bytes.count == size(holding: Int(length)), unsafe bytes[end...].allSatisfy({ $0 == 0 }) else {
                return nil
            }
            var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[headerSize..<end]))
            guard let sha1 = reader.bytes(digestSize) else { return nil }
            var secrets: [AttributeKey: SecretBytes] = [:]
            var last: UInt64?
            while !reader.isAtEnd {
                guard let key = reader.bigEndian(4), let count = reader.bigEndian(4),
                    let value = reader.secret(Int(count)), last.map({ $0 < key }) ?? true
                else { return nil }
                secrets[AttributeKey(rawValue: UInt32(truncatingIfNeeded: key))] = value
                last = key
            }
            return OpenedSecrets(sha1: sha1, values: secrets)
        }
    }
}

/// The opened secret of an item. It prints neither the values nor the digest, which would let its reader guess them.
package struct OpenedSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    package let sha1: [UInt8]
    package let values: [AttributeKey: SecretBytes]

    init(sha1: [UInt8], values: [AttributeKey: SecretBytes]) {
        self.sha1 = sha1
        self.values = values
    }

    package var description: String { "[REDACTED]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

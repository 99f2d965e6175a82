import Crypto
package import KeychainModel

/// A SHA-256 digest, as an identifier: of a circle, a device, an entry, a segment.
package struct SyncHash: Hashable, Comparable, Sendable {
    package static let size = 32
    /// What stands for a hash that cannot be known: of the circle, in the entry that founds it.
    package static let zero = SyncHash(0, 0, 0, 0)

    // Four numbers and no array: circles and journals have thousands of hashes.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    private init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// - Returns: nil for another length.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size else { return nil }
        self = unsafe bytes.withUnsafeBytes { unsafe SyncHash(unchecked: $0) }
    }

    private init(_ digest: SHA256.Digest) {
        self = unsafe digest.withUnsafeBytes { unsafe SyncHash(unchecked: $0) }
    }

    /// - Parameter bytes: 32 of them.
    private init(unchecked bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        self.init(word(0), word(8), word(16), word(24))
    }

    /// - Parameter tag: keeps digests of one kind from passing for another's.
    package init(of bytes: [UInt8], tag: String = "") {
        var hash = SHA256()
        if !tag.isEmpty { hash.update(data: Array(tag.utf8)) }
        hash.update(data: bytes)
        self.init(hash.finalize())
    }

    /// Of a secret, which no copy is left of.
    init(ofSecret secret: SymmetricKey, tag: String) {
        var hash = SHA256()
        hash.update(data: Array(tag.utf8))
        unsafe secret.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        self.init(hash.finalize())
    }

    /// Of a secret, which no copy is left of.
    package init(of secret: SecretBytes, tag: String = "") {
        var hash = SHA256()
        if !tag.isEmpty { hash.update(data: Array(tag.utf8)) }
        unsafe secret.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        self.init(hash.finalize())
    }

    package var bytes: [UInt8] {
        let words = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
        return unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
    }

    package static func < (one: SyncHash, other: SyncHash) -> Bool {
        if one.first != other.first { return one.first < other.first }
        if one.second != other.second { return one.second < other.second }
        return (one.third, one.fourth) < (other.third, other.fourth)
    }

    /// Two lower-case hexadecimal digits a byte, as names of blobs have them.
    package var text: String { bytes.hexadecimal }
}

extension [UInt8] {
    /// Two lower-case digits a byte.
    var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? 48 + digit : 87 + digit) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil for anything but an even number of lower-case digits.
    init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        self = []
        var high: UInt8?
        for digit in text.utf8 {
            let value: UInt8
            switch digit {
            case 48...57: value = digit - 48
            case 97...102: value = digit - 87
            default: return nil
            }
            if let first = high { append(first << 4 | value) }
            high = high == nil ? value : nil
        }
    }
}

package typealias CircleID = SyncHash
package typealias DeviceID = SyncHash
package typealias EntryHash = SyncHash
package typealias SegmentHash = SyncHash

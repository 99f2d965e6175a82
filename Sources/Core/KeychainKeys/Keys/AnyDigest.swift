import Crypto
import Foundation

/// A digest of any length that the caller has computed, for ECDSA, which asks for nothing but its bytes.
struct AnyDigest: Digest {
    let bytes: [UInt8]

    /// Unknown for the type, and not used here.
    static var byteCount: Int { 0 }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBytes(body)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension Digest {
    /// A digest of this type that has been computed elsewhere, for RSA, which takes the hash function from the type.
    ///
    /// swift-crypto makes digests only by hashing. Its digests are plain bytes, perhaps with some behind them; that it
    /// is so is looked at here, and not taken for granted.
    ///
    /// - Returns: nil for another number of bytes, and if digests were ever anything else.
    static func rebuilt(from bytes: [UInt8]) -> Self? {
        let size = MemoryLayout<Self>.size
        guard bytes.count == byteCount, size >= byteCount, _isPOD(Self.self) else { return nil }
        let digest = unsafe withUnsafeTemporaryAllocation(
            byteCount: size,
            alignment: MemoryLayout<Self>.alignment
        ) { buffer in
            unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe buffer.copyBytes(from: bytes)
            return unsafe buffer.load(as: Self.self)
        }
        return Array(digest) == bytes ? digest : nil
    }
}

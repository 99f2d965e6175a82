import Crypto
import Foundation
import KeychainModel

/// PKCS #12's own derivation of keys (RFC 7292, appendix B.2).
enum PKCS12KeyDerivation {
    enum Purpose: UInt8 {
        case key = 1
        case vector = 2
        case authentication = 3
    }

    /// - Parameters:
    ///   - iterations: at least 1.
    ///   - count: the bytes to make, at least 1.
    static func derive<Hash: HashFunction>(
        _ hash: Hash.Type,
        _ purpose: Purpose,
        password: ExchangePassword,
        salt: [UInt8],
        iterations: Int,
        count: Int
    ) -> SecretBytes {
        let block = Hash.blockByteCount
        let diversifier = [UInt8](repeating: purpose.rawValue, count: block)
        var input = repeated(salt, toMultipleOf: block)
        unsafe password.wide.withUnsafeBytes { unsafe input += repeated(Array($0), toMultipleOf: block) }
        defer { input.zero() }
        var output: [UInt8] = []
        output.reserveCapacity(count + Hash.Digest.byteCount)
        while true {
            let digest = unsafe input.withUnsafeBytes { bytes in
                var hasher = Hash()
                hasher.update(data: diversifier)
                unsafe hasher.update(bufferPointer: bytes)
                return again(Hash.self, hasher.finalize(), iterations - 1)
            }
            output += digest
            guard output.count < count else { break }
            add(Array(digest), toEach: block, of: &input)
        }
        defer { output.zero() }
        return SecretBytes(output.prefix(count))
    }

    /// Hashes a digest so many times more.
    private static func again<Hash: HashFunction>(_: Hash.Type, _ digest: Hash.Digest, _ times: Int) -> Hash.Digest {
        var digest = digest
        for _ in 0..<max(times, 0) {
            digest = unsafe digest.withUnsafeBytes { bytes in
                var hasher = Hash()
                unsafe hasher.update(bufferPointer: bytes)
                return hasher.finalize()
            }
        }
        return digest
    }

    /// The bytes again and again, until whole blocks are full; nothing of nothing.
    private static func repeated(_ bytes: [UInt8], toMultipleOf block: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + block - 1) / block * block
        var result: [UInt8] = []
        result.reserveCapacity(count + bytes.count)
        while result.count < count { result += bytes }
        result.removeLast(result.count - count)
        return result
    }

    /// Adds the digest, repeated to the size of a block, and 1 to each block of the input, as numbers of that size.
    private static func add(_ digest: [UInt8], toEach block: Int, of input: inout [UInt8]) {
        let addend = repeated(digest, toMultipleOf: block).prefix(block)
        var end = input.count
        while end >= block {
            var carry: UInt16 = 1
            for (offset, byte) in addend.enumerated().reversed() {
                let index = end - block + offset
                carry += UInt16(input[index]) + UInt16(byte)
                input[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            end -= block
        }
    }
}

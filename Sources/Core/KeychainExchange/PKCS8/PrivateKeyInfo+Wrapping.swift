import KeychainCertificates
package import KeychainModel
import SwiftASN1

extension PrivateKeyInfo {
    /// A PrivateKeyInfo of an RSAPrivateKey of two primes (RFC 8017, appendix A.1.2).
    package static func wrapping(rsa key: SecretBytes) throws(KeychainError) -> SecretBytes {
        try key.withArray { (bytes) throws(KeychainError) in
            var fields = try BoundedBER.parse(bytes).fields()
            guard try fields.next().number() == 0 else { throw .malformed }
            for _ in 0..<8 { _ = try fields.next().number() }
            try fields.end()
        }
        return wrapped(Encoding.sequence(Encoding.object(.rsaEncryption), Encoding.null), key)
    }

    /// A PrivateKeyInfo of an ECPrivateKey (RFC 5915, section 3) that names its curve.
    package static func wrapping(ellipticCurve key: SecretBytes) throws(KeychainError) -> SecretBytes {
        try key.withArray { (bytes) throws(KeychainError) in
            var fields = try BoundedBER.parse(bytes).fields()
            let version = try fields.next()
            let number = try fields.next()
            guard try version.number() == 1, try !number.octets().isEmpty,
                let curve = try fields.next(.context(0))?.tagged(0)
            else { throw .malformed }
            _ = try curve.identifierOfObject()
            let point = fields.next(.context(1))
            try fields.end()
            // In a PrivateKeyInfo the curve stands with the algorithm, and not here again.
            var parts = Array(version.encodedBytes + number.encodedBytes)
            defer { parts.zero() }
            parts += point?.encodedBytes ?? []
            var inner = Encoding.element(0x30, parts)
            let algorithm = Encoding.sequence(Encoding.object(.ellipticCurvePublicKey), Array(curve.encodedBytes))
            return wrapped(algorithm, SecretBytes(moving: &inner))
        }
    }

    private static func wrapped(_ algorithm: [UInt8], _ key: SecretBytes) -> SecretBytes {
        let start = Encoding.integer(0) + algorithm + Encoding.header(0x04, count: key.count)
        let header = Encoding.header(0x30, count: start.count + key.count) + start
        return unsafe SecretBytes(count: header.count + key.count) { target in
            unsafe target.copyBytes(from: header)
            unsafe key.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[header.count...]).copyMemory(from: source)
            }
        }
    }
}

import Crypto
import CryptoExtras
import Foundation
package import KeychainCertificates
package import KeychainModel
import SwiftASN1

/// A private key of RSA with two primes.
package struct RSAPrivateKey: Sendable {
    /// The sizes of the modulus in bits that swift-crypto takes.
    package static let sizes = 1024...8192
    /// The sizes of keys that Apple makes. Of these, some are missing here: `Gap.rsaSize`.
    package static let documentedSizes = 512...8192

    /// More than any key of 16384 bits has. What is longer is not even parsed.
    private static let longest = 1 << 14

    package let publicKey: PublicKey
    /// RSAPrivateKey in DER (RFC 8017, appendix A.1.2).
    package let externalRepresentation: SecretBytes
    private let signing: _RSA.Signing.PrivateKey
    private let raw: _RSA.BlindSigning.PrivateKey<SHA384>

    /// Reads an RSAPrivateKey (RFC 8017, appendix A.1.2).
    ///
    /// Its numbers have to belong together, each with each: the primes' product, both exponents, and what the Chinese
    /// remainder theorem is used with. Whether the primes are prime is not looked at; a key of others signs and
    /// decrypts nothing, because every result is checked with the public half before it is handed out.
    ///
    /// - Throws: `invalidParameter` for anything else, `unimplemented` for a key that swift-crypto does not take.
    package init(externalRepresentation bytes: SecretBytes) throws(KeychainError) {
        guard bytes.count <= Self.longest, let publicKey = try? bytes.withNode(Self.publicHalf) else {
            throw Self.malformed
        }
        guard Self.sizes.contains(publicKey.sizeInBits) else { throw Gap.rsaSize.error }
        try publicKey.requireUsableExponent()
        let keys = unsafe bytes.withUnsafeBytes { der in
            (
                try? unsafe _RSA.Signing.PrivateKey(unsafeDERRepresentation: der),
                try? unsafe _RSA.BlindSigning.PrivateKey(unsafeDERRepresentation: der)
            )
        }
        guard let signing = keys.0, let raw = keys.1 else { throw Self.malformed }
        self.publicKey = publicKey
        self.signing = signing
        self.raw = raw
        externalRepresentation = bytes
    }

    /// A new key, with the public exponent 65537. It takes from milliseconds to minutes, by the size.
    ///
    /// - Throws: `invalidParameter` for a size that Apple does not document, `unimplemented` for one that is not made
    ///   here.
    package init(generatedSize bits: Int) throws(KeychainError) {
        guard Self.documentedSizes.contains(bits) else {
            throw KeychainError(.invalidParameter, "RSA keys have 512 to 8192 bits")
        }
        guard Self.sizes.contains(bits) else { throw Gap.rsaSize.error }
        // BoringSSL would make a smaller key than it is asked for.
        guard bits.isMultiple(of: 128) else {
            try self.init(externalRepresentation: Libcrypto().generatedKey(sizeInBits: bits))
            return
        }
        guard let key = try? _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)) else {
            throw KeychainError(.internalError, "no key could be made")
        }
        var bytes = key.derRepresentation
        try self.init(externalRepresentation: SecretBytes(movingBytesOf: &bytes))
    }

    /// The public half of what looks like a private key.
    private static func publicHalf(_ node: ASN1Node) throws -> PublicKey {
        try DER.sequence(node, identifier: .sequence) { nodes in
            // 0 says that there are two primes.
            guard let version = nodes.next(), version.identifier == .integer,
                case .primitive(let number) = version.content, number.elementsEqual([0]),
                let modulus = nodes.next(), let exponent = nodes.next(),
                let size = modulus.positiveInteger?.count, exponent.positiveInteger != nil
            else { throw malformed }
            // The private exponent, two primes, their exponents, and the coefficient.
            for _ in 0..<6 {
                guard let other = nodes.next()?.positiveInteger, other.count <= size else { throw malformed }
            }
            guard let key = PublicKey(rsa: Self.sequence(modulus, exponent)) else { throw malformed }
            return key
        }
    }

    private static func sequence(_ nodes: ASN1Node...) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { coder in
            for node in nodes { coder.serialize(node) }
        }
        return serializer.serializedBytes
    }

    private static var malformed: KeychainError {
        KeychainError(.invalidParameter, "the bytes are no private key of RSA")
    }
}

extension RSAPrivateKey {
    /// A signature with PKCS #1 or PSS padding over a digest; over SHA-224's only with PSS.
    func signature(
        ofDigest digest: [UInt8],
        _ hash: KeyHash,
        _ padding: KeyAlgorithm.RSASignaturePadding
    ) throws(KeychainError) -> [UInt8] {
        switch hash {
        case .sha1: try signature(Insecure.SHA1.Digest.rebuilt(from: digest), padding)
        case .sha224:
            try Libcrypto().signature(
                ofDigest: digest,
                hash,
                by: externalRepresentation,
                blockSize: publicKey.blockSize
            )
        case .sha256: try signature(SHA256.Digest.rebuilt(from: digest), padding)
        case .sha384: try signature(SHA384.Digest.rebuilt(from: digest), padding)
        case .sha512: try signature(SHA512.Digest.rebuilt(from: digest), padding)
        }
    }

    private func signature(
        _ digest: (some Digest)?,
        _ padding: KeyAlgorithm.RSASignaturePadding
    ) throws(KeychainError) -> [UInt8] {
        guard let digest, let signature = try? signing.signature(for: digest, padding: padding.padding) else {
            throw KeychainError(.internalError, "nothing could be signed")
        }
        return Array(signature.rawRepresentation)
    }

    /// The private-key operation without padding (RFC 8017, sections 5.1.2 and 5.2.1). swift-crypto offers it as the
    /// signature of a blinded message, and checks the result with the public key.
    ///
    /// - Parameter block: as long as the modulus.
    /// - Returns: as many bytes; nil for a number that is not below the modulus.
    func rawOperation(on block: some Collection<UInt8>) -> SecretBytes? {
        guard var result = try? raw.blindSignature(for: Array(block)) else { return nil }
        return SecretBytes(movingBytesOf: &result.rawRepresentation)
    }

    /// What PKCS #1 or OAEP padding with SHA-1 or SHA-256 was put around, by swift-crypto.
    ///
    /// - Returns: nil for whatever is wrong.
    func decrypted(_ block: [UInt8], padding: _RSA.Encryption.Padding) -> SecretBytes? {
        unsafe externalRepresentation.withUnsafeBytes { der in
            guard let key = try? unsafe _RSA.Encryption.PrivateKey(unsafeDERRepresentation: der),
                var plaintext = try? key.decrypt(block, padding: padding)
            else { return nil }
            return SecretBytes(movingBytesOf: &plaintext)
        }
    }
}

extension KeyAlgorithm.RSASignaturePadding {
    var padding: _RSA.Signing.Padding {
        switch self {
        case .pkcs1v15: .insecurePKCS1v1_5
        case .pss: .PSS
        }
    }
}

extension PublicKey {
    /// Refuses exponents with which a single verification would take as long as an attacker wants.
    ///
    /// - Throws: `unimplemented` for one of more than 33 bits, which is where swift-crypto ends.
    func requireUsableExponent() throws(KeychainError) {
        guard hasUsableExponent else { throw Gap.rsaExponent.error }
    }

    var hasUsableExponent: Bool {
        guard case .rsa(_, let exponent) = kind else { return true }
        return exponent.count * 8 - (exponent.first?.leadingZeroBitCount ?? 0) <= 33
    }
}

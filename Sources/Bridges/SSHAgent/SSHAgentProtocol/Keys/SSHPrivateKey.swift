import Crypto
import CryptoExtras
import FoundationEssentials
package import KeychainModel

/// A private key in memory, in the form in which `ssh-add` hands it over (RFC 9987, section 3.2).
package struct SSHPrivateKey: Sendable {
    /// What the agent lists: the plain key, or the certificate that came with the private half.
    package let publicKey: SSHPublicKey
    private let secret: Secret

    private enum Secret: Sendable {
        case ed25519(seed: SecretBytes)
        case ecdsa(SSHCurve, scalar: SecretBytes)
        case rsa(modulus: [UInt8], exponent: [UInt8], d: SecretBytes, p: SecretBytes, q: SecretBytes)
    }

    /// Reads one from the front of a message, and tries it: what does not sign for its public half is refused.
    ///
    /// - Throws: for a key of another kind, one that is damaged, and one whose halves do not belong together.
    init(_ reader: inout SSHReader) throws(SSHFormatError) {
        let algorithm = try reader.text(limit: 64)
        if algorithm.hasSuffix(SSHPublicKey.certificateSuffix) {
            publicKey = try SSHPublicKey(try reader.string())
            guard publicKey.algorithm == algorithm else {
                throw SSHFormatError("a certificate is of another kind than its key")
            }
            secret = try Self.secret(of: publicKey.material, &reader)
        } else {
            (publicKey, secret) = try Self.plain(algorithm, &reader)
        }
        let sample: [UInt8] = Array("a key is tried when it is taken in".utf8)
        guard let signature = try? signature(of: sample, flags: .rsaSHA256), publicKey.isValid(signature, of: sample)
        else { throw SSHFormatError("a private key is not that of its public key") }
    }

    /// Reads what `serialized` has written.
    ///
    /// - Throws: for anything else.
    package init(serialized: SecretBytes) throws(SSHFormatError) {
        var reader = SSHReader(serialized.copied)
        try self.init(&reader)
        try reader.requireEnd()
    }

    /// The plain key as a message would have it, to be stored.
    package var serialized: SecretBytes {
        var writer = SSHWriter()
        let plain = publicKey.plain
        writer.string(plain.algorithm)
        switch (secret, plain.material) {
        case (.ed25519(let seed), .ed25519(let key)):
            writer.string(key)
            writer.string(seed.copied + key)
        case (.ecdsa(let curve, let scalar), .ecdsa(_, let point)):
            writer.string(curve.rawValue)
            writer.string(point)
            writer.magnitude(scalar.copied)
        case (.rsa(let modulus, let exponent, let d, let p, let q), _):
            writer.magnitude(modulus)
            writer.magnitude(exponent)
            writer.magnitude(d.copied)
            // The inverse of q, which is computed anew from the others where it is needed.
            writer.magnitude([])
            writer.magnitude(p.copied)
            writer.magnitude(q.copied)
        // No key is made with halves of two kinds.
        case (.ed25519, _), (.ecdsa, _): break
        }
        return SecretBytes(writer.bytes)
    }

    // MARK: - Reading

    private static func plain(
        _ algorithm: String,
        _ reader: inout SSHReader
    ) throws(SSHFormatError) -> (SSHPublicKey, Secret) {
        var header = SSHWriter()
        header.string(algorithm)
        switch algorithm {
        case "ssh-ed25519": header.string(try reader.string())
        case "ssh-rsa":
            let modulus = try reader.magnitude()
            header.magnitude(try reader.magnitude())
            header.magnitude(modulus)
        default:
            header.string(try reader.string())
            header.string(try reader.string())
        }
        let key = try SSHPublicKey(header.bytes)
        if case .ed25519 = key.material {
            return (key, .ed25519(seed: try seed(&reader)))
        }
        return (key, try secret(of: key.material, &reader, isPlain: true))
    }

    /// - Parameter isPlain: whether the public half was read already; a certificate of Ed25519 repeats it.
    private static func secret(
        of material: SSHPublicKey.Material,
        _ reader: inout SSHReader,
        isPlain: Bool = false
    ) throws(SSHFormatError) -> Secret {
        switch material {
        case .ed25519(let key):
            guard try reader.string() == key else { throw SSHFormatError("a certificate is of another key") }
            return .ed25519(seed: try seed(&reader))
        case .ecdsa(let curve, _):
            let scalar = try reader.secretMagnitude()
            guard scalar.count <= curve.size else { throw SSHFormatError("a private key is too long") }
            let padding = [UInt8](repeating: 0, count: curve.size - scalar.count)
            return .ecdsa(curve, scalar: SecretBytes(padding + scalar.copied))
        case .rsa(let modulus, let exponent):
            let d = try reader.secretMagnitude()
            _ = try reader.secretMagnitude()
            let p = try reader.secretMagnitude()
            let q = try reader.secretMagnitude()
            guard [d, p, q].allSatisfy({ $0.count <= modulus.count && $0.count > 0 }) else {
                throw SSHFormatError("the parts of an RSA key have impossible lengths")
            }
            return .rsa(modulus: modulus, exponent: exponent, d: d, p: p, q: q)
        }
    }

    /// The private half of Ed25519 has the public one behind it.
    private static func seed(_ reader: inout SSHReader) throws(SSHFormatError) -> SecretBytes {
        let both = try reader.secret()
        guard both.count == 64 else { throw SSHFormatError("a private Ed25519 key has 64 bytes") }
        return SecretBytes(both.copied.prefix(32))
    }
}

// MARK: - Signing

extension SSHPrivateKey {
    /// Signs, in the form that ssh sends.
    ///
    /// - Throws: for an RSA key without a flag that names SHA-256 or SHA-512: there are no signatures with SHA-1.
    package func signature(of data: [UInt8], flags: SignatureFlags) throws(SSHFormatError) -> [UInt8] {
        do {
            switch secret {
            case .ed25519(let seed):
                let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed.copied)
                return SSHSignature.named("ssh-ed25519", Array(try key.signature(for: data)))
            case .ecdsa(let curve, let scalar):
                return SSHSignature.ecdsa(curve, raw: try curve.sign(data, with: scalar.copied))
            case .rsa(let modulus, let exponent, let d, let p, let q):
                let key = try _RSA.Signing.PrivateKey(n: modulus, e: exponent, d: d.copied, p: p.copied, q: q.copied)
                if flags.contains(.rsaSHA512) {
                    let signature = try key.signature(for: SHA512.hash(data: data), padding: .insecurePKCS1v1_5)
                    return SSHSignature.named("rsa-sha2-512", Array(signature.rawRepresentation))
                }
                guard flags.contains(.rsaSHA256) else { throw SSHFormatError("no signatures with SHA-1") }
                let signature = try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
                return SSHSignature.named("rsa-sha2-256", Array(signature.rawRepresentation))
            }
        } catch let error as SSHFormatError {
            throw error
        } catch {
            throw SSHFormatError("the private key cannot be used")
        }
    }
}

extension SSHCurve {
    fileprivate func sign(_ data: [UInt8], with scalar: [UInt8]) throws -> [UInt8] {
        switch self {
        case .p256:
            Array(try P256.Signing.PrivateKey(rawRepresentation: scalar).signature(for: data).rawRepresentation)
        case .p384:
            Array(try P384.Signing.PrivateKey(rawRepresentation: scalar).signature(for: data).rawRepresentation)
        case .p521:
            Array(try P521.Signing.PrivateKey(rawRepresentation: scalar).signature(for: data).rawRepresentation)
        }
    }
}

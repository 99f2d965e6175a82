import Crypto
import CryptoExtras
import FoundationEssentials

extension SSHPublicKey {
    /// Whether a signature (RFC 4253, section 6.6) is this key's, of these bytes. RSA with SHA-1 never counts.
    package func isValid(_ signature: [UInt8], of data: [UInt8]) -> Bool {
        var reader = SSHReader(signature)
        guard let name = try? reader.text(limit: 64), let content = try? reader.string(), reader.isAtEnd else {
            return false
        }
        switch material {
        case .ed25519(let key):
            guard name == algorithmOfSignature, content.count == 64 else { return false }
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
            return key?.isValidSignature(content, for: data) ?? false
        case .ecdsa(let curve, let point):
            guard name == algorithmOfSignature, let raw = curve.rawSignature(content) else { return false }
            return curve.isValid(raw, of: data, by: point)
        case .rsa(let modulus, let exponent):
            guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return false }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: content)
            switch name {
            case "rsa-sha2-256":
                return key.isValidSignature(signature, for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
            case "rsa-sha2-512":
                return key.isValidSignature(signature, for: SHA512.hash(data: data), padding: .insecurePKCS1v1_5)
            default: return false
            }
        }
    }

    private var algorithmOfSignature: String { material.algorithm }
}

extension SSHCurve {
    /// r and s beside each other, of the same length each; nil for what is none of this curve (RFC 5656, section 3.1.2).
    fileprivate func rawSignature(_ content: [UInt8]) -> [UInt8]? {
        var reader = SSHReader(content)
        guard let r = try? reader.magnitude(), let s = try? reader.magnitude(), reader.isAtEnd,
            r.count <= size, s.count <= size
        else { return nil }
        return [UInt8](repeating: 0, count: size - r.count) + r + [UInt8](repeating: 0, count: size - s.count) + s
    }

    fileprivate func isValid(_ raw: [UInt8], of data: [UInt8], by point: [UInt8]) -> Bool {
        switch self {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: point),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: data)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: point),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: data)
        case .p521:
            guard let key = try? P521.Signing.PublicKey(x963Representation: point),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw)
            else { return false }
            return key.isValidSignature(signature, for: data)
        }
    }
}

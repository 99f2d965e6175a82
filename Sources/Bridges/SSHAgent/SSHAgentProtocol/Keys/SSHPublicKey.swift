import Crypto

/// A public key, or a certificate of one, in the form that ssh sends.
package struct SSHPublicKey: Sendable, Hashable {
    /// What the key computes with.
    package enum Material: Sendable, Hashable {
        case ed25519([UInt8])
        /// The point as X9.63 has it, uncompressed.
        case ecdsa(SSHCurve, point: [UInt8])
        /// Without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    /// The whole key as it came.
    package let blob: [UInt8]
    /// Such as `ssh-ed25519` or `ssh-ed25519-cert-v01@openssh.com`.
    package let algorithm: String
    package let material: Material
    /// Nil for a plain key.
    package let certificate: SSHCertificate?

    /// In bits: from what swift-crypto takes at least to what it computes with at most.
    static let rsaSizes = 2_048...8_192
    /// In bytes. Certificates with many principals are larger than keys.
    static let largest = 64 << 10
    static let certificateSuffix = "-cert-v01@openssh.com"

    /// - Throws: for a key of another kind, and for what is no key.
    package init(_ blob: [UInt8]) throws(SSHFormatError) {
        guard blob.count <= Self.largest else { throw SSHFormatError("a key is too long") }
        var reader = SSHReader(blob)
        algorithm = try reader.text(limit: 64)
        let isCertificate = algorithm.hasSuffix(Self.certificateSuffix)
        let plain = isCertificate ? String(algorithm.dropLast(Self.certificateSuffix.count)) : algorithm
        // The nonce.
        if isCertificate { _ = try reader.string() }
        material = try Material(plain, &reader)
        certificate = isCertificate ? try SSHCertificate(&reader, of: blob) : nil
        try reader.requireEnd()
        self.blob = blob
    }

    /// The plain key.
    package init(_ material: Material) {
        self.material = material
        algorithm = material.algorithm
        blob = material.blob
        certificate = nil
    }

    /// The key without what is certified of it.
    package var plain: SSHPublicKey { certificate == nil ? self : SSHPublicKey(material) }

    /// As `ssh-keygen -l` prints it: of the plain key.
    package var fingerprint: String { "SHA256:" + plain.digest }

    /// SHA-256 of the whole key, in Base64 without padding.
    package var digest: String { String(Base64.encode(Array(SHA256.hash(data: blob))).prefix { $0 != "=" }) }

    /// SHA-1 of the point, by which a keychain finds the key (`kSecAttrApplicationLabel`); nil for a key on no curve.
    package var pointHash: [UInt8]? {
        guard case .ecdsa(_, let point) = material else { return nil }
        return Array(Insecure.SHA1.hash(data: point))
    }

    /// The first two fields of a line in `authorized_keys` or in a file `.pub`.
    package var line: String { algorithm + " " + Base64.encode(blob) }

    /// Reads the first line of a file `.pub`.
    ///
    /// - Returns: the key, and the comment behind it; nil for anything else.
    package static func parse(line bytes: [UInt8]) -> (SSHPublicKey, comment: SSHComment)? {
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let fields = lines.first?.split(maxSplits: 2, whereSeparator: isSpace), fields.count >= 2,
            let blob = Base64.decode(String(decoding: fields[1], as: UTF8.self)), let key = try? SSHPublicKey(blob),
            fields[0].elementsEqual(key.algorithm.utf8),
            let comment = SSHComment(fields.count == 3 ? Array(fields[2].drop(while: isSpace)) : [])
        else { return nil }
        return (key, comment)
    }

    package static func == (left: SSHPublicKey, right: SSHPublicKey) -> Bool { left.blob == right.blob }
    package func hash(into hasher: inout Hasher) { hasher.combine(blob) }
}

extension SSHPublicKey.Material {
    fileprivate init(_ algorithm: String, _ reader: inout SSHReader) throws(SSHFormatError) {
        switch algorithm {
        case "ssh-ed25519":
            let key = try reader.string()
            guard key.count == 32 else { throw SSHFormatError("an Ed25519 key has 32 bytes") }
            self = .ed25519(key)
        case "ssh-rsa":
            let exponent = try reader.magnitude()
            let modulus = try reader.magnitude()
            self = try Self.rsa(modulus, exponent)
        default:
            guard let curve = SSHCurve.allCases.first(where: { $0.algorithm == algorithm }) else {
                throw SSHFormatError("there are no keys of this kind here")
            }
            guard try reader.text(limit: 64) == curve.rawValue else {
                throw SSHFormatError("a key names another curve than its kind")
            }
            self = try Self.ecdsa(curve, reader.string())
        }
    }

    static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) throws(SSHFormatError) -> Self {
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard SSHPublicKey.rsaSizes.contains(bits), exponent.count <= 8, (exponent.last ?? 0) & 1 == 1 else {
            throw SSHFormatError("the RSA key does not have 2048 to 8192 bits, or its exponent is impossible")
        }
        return .rsa(modulus: modulus, exponent: exponent)
    }

    static func ecdsa(_ curve: SSHCurve, _ point: [UInt8]) throws(SSHFormatError) -> Self {
        guard point.count == 2 * curve.size + 1, point.first == 4, curve.contains(point) else {
            throw SSHFormatError("a key is no point on its curve")
        }
        return .ecdsa(curve, point: point)
    }

    var algorithm: String {
        switch self {
        case .ed25519: "ssh-ed25519"
        case .ecdsa(let curve, _): curve.algorithm
        case .rsa: "ssh-rsa"
        }
    }

    var blob: [UInt8] {
        var writer = SSHWriter()
        writer.string(algorithm)
        switch self {
        case .ed25519(let key): writer.string(key)
        case .ecdsa(let curve, let point):
            writer.string(curve.rawValue)
            writer.string(point)
        case .rsa(let modulus, let exponent):
            writer.magnitude(exponent)
            writer.magnitude(modulus)
        }
        return writer.bytes
    }
}

extension SSHCurve {
    fileprivate func contains(_ point: [UInt8]) -> Bool {
        switch self {
        case .p256: (try? P256.Signing.PublicKey(x963Representation: point)) != nil
        case .p384: (try? P384.Signing.PublicKey(x963Representation: point)) != nil
        case .p521: (try? P521.Signing.PublicKey(x963Representation: point)) != nil
        }
    }
}

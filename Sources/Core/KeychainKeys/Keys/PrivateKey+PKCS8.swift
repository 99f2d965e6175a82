package import KeychainCertificates
package import KeychainModel
import SwiftASN1

extension PrivateKey {
    /// Reads a PrivateKeyInfo (PKCS #8: RFC 5208, section 5) or a OneAsymmetricKey (RFC 5958, section 2) in DER, with an
    /// RSA key (RFC 8017, appendix A.1) or a key on a curve (RFC 5915).
    ///
    /// - Throws: `invalidParameter` for anything else: other parameters than NULL with RSA, another curve inside than
    ///   outside, a public key that is not the private one's, something behind the end. `unimplemented` for an RSA key of a
    ///   size or an exponent that is not used here.
    package init(pkcs8 bytes: SecretBytes) throws(KeychainError) {
        guard bytes.count <= Self.longestInfo, let contents = try? bytes.withNode(PrivateKeyInfo.init) else {
            throw Self.malformedInfo
        }
        switch contents.algorithm {
        case .rsa: self.init(try RSAPrivateKey(externalRepresentation: contents.key))
        case .ellipticCurve(let curve): self.init(try CurvePrivateKey(sec1: contents.key, on: curve))
        }
        if let point = contents.publicKey, publicKey.externalRepresentation != point { throw Self.malformedInfo }
    }

    /// The key as PrivateKeyInfo in DER, on curves with the public key inside (RFC 5915).
    ///
    /// - Throws: `unimplemented` for a key that is not in this process.
    package var pkcs8: SecretBytes {
        get throws(KeychainError) {
            switch backing {
            case .rsa(let key):
                Self.info(DERHeader.rsaAlgorithm, key.externalRepresentation)
            case .ellipticCurve(let key):
                Self.info(
                    DERHeader.curveAlgorithm(try key.curve),
                    try key.inThisProcess.sec1(namingCurve: false)
                )
            }
        }
    }

    private static func info(_ algorithm: [UInt8], _ key: SecretBytes) -> SecretBytes {
        let start = [2, 1, 0] + algorithm + DERHeader.bytes(.octetString, count: key.count)
        return SecretBytes(DERHeader.bytes(.sequence, count: start.count + key.count) + start, key)
    }

    /// More than a key of 16384 bits has, with some attributes.
    private static let longestInfo = 1 << 15

    private static var malformedInfo: KeychainError {
        KeychainError(.invalidParameter, "the bytes are no PrivateKeyInfo of a kind that is used")
    }
}

extension CurvePrivateKey {
    /// Reads an ECPrivateKey (RFC 5915, section 3; SEC 1, appendix C.4).
    ///
    /// - Parameter curve: the curve that stands outside; nil if it has to stand inside.
    /// - Throws: `invalidParameter` for anything else, for two different curves, and for a public key that is not the
    ///   private one's.
    package init(sec1 bytes: SecretBytes, on curve: EllipticCurve? = nil) throws(KeychainError) {
        guard let contents = Self.contents(bytes), let used = curve ?? contents.curve, contents.curve ?? used == used
        else { throw Self.malformedKey }
        try self.init(contents, on: used)
    }

    /// Reads an ECPrivateKey by itself. If it does not name its curve, the length of the private number does (RFC 5915,
    /// section 3: as many bytes as the curve's order).
    ///
    /// - Throws: `invalidParameter` for anything else.
    package init(lengthTellingSEC1 bytes: SecretBytes) throws(KeychainError) {
        guard let contents = Self.contents(bytes),
            let curve = contents.curve
                ?? EllipticCurve.allCases.first(where: { $0.coordinateSize == contents.number.count })
        else { throw Self.malformedKey }
        try self.init(contents, on: curve)
    }

    private init(_ contents: ECPrivateKey, on curve: EllipticCurve) throws(KeychainError) {
        try self.init(curve, number: contents.number)
        if let point = contents.publicKey, publicKey.externalRepresentation != point { throw Self.malformedKey }
    }

    private static func contents(_ bytes: SecretBytes) -> ECPrivateKey? {
        bytes.count <= longest ? try? bytes.withNode(ECPrivateKey.init) : nil
    }

    /// The key as ECPrivateKey in DER, with its public key.
    ///
    /// - Parameter namingCurve: whether the curve's name is in it, without which it means nothing by itself.
    package func sec1(namingCurve: Bool = true) throws(KeychainError) -> SecretBytes {
        let name = namingCurve ? DERHeader.name(of: try curve) : []
        let parameters = namingCurve ? DERHeader.bytes(.tagged(0), count: name.count) + name : []
        let point = DERHeader.bitString(publicKey.externalRepresentation)
        let end = parameters + DERHeader.bytes(.tagged(1), count: point.count) + point
        let start = [2, 1, 1] + DERHeader.bytes(.octetString, count: number.count)
        let count = start.count + number.count + end.count
        return SecretBytes(DERHeader.bytes(.sequence, count: count) + start, number, end)
    }

    private static let longest = 512

    private static var malformedKey: KeychainError {
        KeychainError(.invalidParameter, "the bytes are no ECPrivateKey")
    }
}

/// What stands in a PrivateKeyInfo.
private struct PrivateKeyInfo {
    enum Algorithm {
        case rsa
        case ellipticCurve(EllipticCurve)
    }

    let algorithm: Algorithm
    let key: SecretBytes
    /// The public key behind it, which only the second version has.
    let publicKey: [UInt8]?

    init(_ node: ASN1Node) throws {
        (algorithm, key, publicKey) = try DER.sequence(node, identifier: .sequence) { nodes in
            let version = try Int(derEncoded: &nodes)
            guard 0...1 ~= version, let algorithm = nodes.next() else { throw Refused() }
            let key = try ASN1OctetString(derEncoded: &nodes)
            // Attributes say nothing that would be used.
            _ = DER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { $0 }
            let bits = try DER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                try ASN1BitString(derEncoded: node, withIdentifier: node.identifier)
            }
            guard (version == 1) == (bits != nil), bits?.paddingBits ?? 0 == 0 else { throw Refused() }
            return (try Self.algorithm(algorithm), SecretBytes(key.bytes), bits.map { Array($0.bytes) })
        }
    }

    private static func algorithm(_ node: ASN1Node) throws -> Algorithm {
        try DER.sequence(node, identifier: .sequence) { nodes in
            switch try ASN1ObjectIdentifier(derEncoded: &nodes) {
            case [1, 2, 840, 113549, 1, 1, 1]:
                _ = try ASN1Null(derEncoded: &nodes)
                return .rsa
            case [1, 2, 840, 10045, 2, 1]:
                return .ellipticCurve(try EllipticCurve(named: ASN1ObjectIdentifier(derEncoded: &nodes)))
            default: throw Refused()
            }
        }
    }
}

/// What stands in an ECPrivateKey.
private struct ECPrivateKey {
    let number: SecretBytes
    let curve: EllipticCurve?
    let publicKey: [UInt8]?

    init(_ node: ASN1Node) throws {
        (number, curve, publicKey) = try DER.sequence(node, identifier: .sequence) { nodes in
            guard try Int(derEncoded: &nodes) == 1 else { throw Refused() }
            let number = try ASN1OctetString(derEncoded: &nodes)
            let curve = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try EllipticCurve(named: ASN1ObjectIdentifier(derEncoded: node))
            }
            let bits = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                try ASN1BitString(derEncoded: node)
            }
            guard bits?.paddingBits ?? 0 == 0 else { throw Refused() }
            return (SecretBytes(number.bytes), curve, bits.map { Array($0.bytes) })
        }
    }
}

/// Something that is well-formed, and not what is read here.
private struct Refused: Error {}

extension EllipticCurve {
    fileprivate init(named identifier: ASN1ObjectIdentifier) throws {
        guard let curve = Self.allCases.first(where: { $0.identifier == identifier }) else { throw Refused() }
        self = curve
    }
}

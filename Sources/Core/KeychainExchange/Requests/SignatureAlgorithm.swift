import KeychainCertificates

/// What a request or a certificate is signed with (RFC 5758, section 3.2; RFC 4055, section 5).
package enum SignatureAlgorithm: Sendable, CaseIterable {
    /// The signature is an ECDSA-Sig-Value in DER (RFC 3279, section 2.2.3).
    case ecdsaWithSHA256
    case ecdsaWithSHA384
    case ecdsaWithSHA512
    /// RSASSA-PKCS1-v1_5.
    case sha256WithRSA
    case sha384WithRSA
    case sha512WithRSA

    init?(_ identifier: OID) {
        guard let known = Self.allCases.first(where: { $0.identifier == identifier }) else { return nil }
        self = known
    }

    var identifier: OID {
        switch self {
        case .ecdsaWithSHA256: OID.ecdsaWithSHA256
        case .ecdsaWithSHA384: OID.ecdsaWithSHA384
        case .ecdsaWithSHA512: OID.ecdsaWithSHA512
        case .sha256WithRSA: OID.sha256WithRSAEncryption
        case .sha384WithRSA: OID.sha384WithRSAEncryption
        case .sha512WithRSA: OID.sha512WithRSAEncryption
        }
    }

    /// The AlgorithmIdentifier: with NULL for RSA, with nothing for ECDSA.
    var encoded: [UInt8] {
        switch self {
        case .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512: Encoding.sequence(Encoding.object(identifier))
        case .sha256WithRSA, .sha384WithRSA, .sha512WithRSA:
            Encoding.sequence(Encoding.object(identifier), Encoding.null)
        }
    }
}

extension SignatureAlgorithm {
    /// What was signed, with what, and the signature (RFC 5280, section 4.1; RFC 2986, section 4.2).
    ///
    /// - Parameters:
    ///   - toBeSigned: in DER, as it was signed with this algorithm; not its hash.
    ///   - signature: made by the key's holder. It is not verified here.
    package func signed(_ toBeSigned: [UInt8], signature: [UInt8]) -> [UInt8] {
        Encoding.sequence(toBeSigned, encoded, Encoding.bits(signature))
    }
}

import SwiftASN1

extension OID {
    /// pkcs-9-at-emailAddress (RFC 2985, section 5.2.1).
    static let emailAddress = OID([1, 2, 840, 113549, 1, 9, 1])

    // Parts of names (ITU-T X.520).
    static let commonName = OID([2, 5, 4, 3])
    static let organization = OID([2, 5, 4, 10])
    static let organizationalUnit = OID([2, 5, 4, 11])

    // Extensions (RFC 5280, section 4.2).
    static let subjectKeyIdentifier = OID([2, 5, 29, 14])
    static let keyUsage = OID([2, 5, 29, 15])
    static let subjectAlternativeName = OID([2, 5, 29, 17])
    static let issuerAlternativeName = OID([2, 5, 29, 18])
    static let basicConstraints = OID([2, 5, 29, 19])
    static let certificatePolicies = OID([2, 5, 29, 32])
    static let authorityKeyIdentifier = OID([2, 5, 29, 35])
    static let extendedKeyUsage = OID([2, 5, 29, 37])
    static let crlDistributionPoints = OID([2, 5, 29, 31])
    static let freshestCRL = OID([2, 5, 29, 46])
    static let authorityInformationAccess = OID([1, 3, 6, 1, 5, 5, 7, 1, 1])
    static let subjectInformationAccess = OID([1, 3, 6, 1, 5, 5, 7, 1, 11])

    // Kinds of keys (RFC 3279, section 2.3), and curves (RFC 5480, section 2.1.1.1).
    static let rsaEncryption = OID([1, 2, 840, 113549, 1, 1, 1])
    static let ellipticCurvePublicKey = OID([1, 2, 840, 10045, 2, 1])
    static let p256 = OID([1, 2, 840, 10045, 3, 1, 7])
    static let p384 = OID([1, 3, 132, 0, 34])
    static let p521 = OID([1, 3, 132, 0, 35])
}

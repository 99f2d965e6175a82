import SwiftASN1

extension ObjectIdentifier {
    /// pkcs-9-at-emailAddress (RFC 2985, section 5.2.1).
    static let emailAddress = ObjectIdentifier([1, 2, 840, 113549, 1, 9, 1])

    // Parts of names (ITU-T X.520).
    static let commonName = ObjectIdentifier([2, 5, 4, 3])
    static let organization = ObjectIdentifier([2, 5, 4, 10])
    static let organizationalUnit = ObjectIdentifier([2, 5, 4, 11])

    // Extensions (RFC 5280, section 4.2).
    static let subjectKeyIdentifier = ObjectIdentifier([2, 5, 29, 14])
    static let keyUsage = ObjectIdentifier([2, 5, 29, 15])
    static let subjectAlternativeName = ObjectIdentifier([2, 5, 29, 17])
    static let issuerAlternativeName = ObjectIdentifier([2, 5, 29, 18])
    static let basicConstraints = ObjectIdentifier([2, 5, 29, 19])
    static let certificatePolicies = ObjectIdentifier([2, 5, 29, 32])
    static let authorityKeyIdentifier = ObjectIdentifier([2, 5, 29, 35])
    static let extendedKeyUsage = ObjectIdentifier([2, 5, 29, 37])
    static let crlDistributionPoints = ObjectIdentifier([2, 5, 29, 31])
    static let freshestCRL = ObjectIdentifier([2, 5, 29, 46])
    static let authorityInformationAccess = ObjectIdentifier([1, 3, 6, 1, 5, 5, 7, 1, 1])
    static let subjectInformationAccess = ObjectIdentifier([1, 3, 6, 1, 5, 5, 7, 1, 11])

    // Kinds of keys (RFC 3279, section 2.3), and curves (RFC 5480, section 2.1.1.1).
    static let rsaEncryption = ObjectIdentifier([1, 2, 840, 113549, 1, 1, 1])
    static let ellipticCurvePublicKey = ObjectIdentifier([1, 2, 840, 10045, 2, 1])
    static let p256 = ObjectIdentifier([1, 2, 840, 10045, 3, 1, 7])
    static let p384 = ObjectIdentifier([1, 3, 132, 0, 34])
    static let p521 = ObjectIdentifier([1, 3, 132, 0, 35])
}

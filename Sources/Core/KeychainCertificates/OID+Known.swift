import SwiftASN1

extension OID {
    /// pkcs-9-at-emailAddress (RFC 2985, section 5.2.1).
    package static let emailAddress = OID([1, 2, 840, 113549, 1, 9, 1])

    // Parts of names (ITU-T X.520; RFC 4519).
    package static let commonName = OID([2, 5, 4, 3])
    package static let surname = OID([2, 5, 4, 4])
    package static let serialNumber = OID([2, 5, 4, 5])
    package static let country = OID([2, 5, 4, 6])
    package static let locality = OID([2, 5, 4, 7])
    package static let state = OID([2, 5, 4, 8])
    package static let organization = OID([2, 5, 4, 10])
    package static let organizationalUnit = OID([2, 5, 4, 11])
    package static let givenName = OID([2, 5, 4, 42])
    package static let distinguishedNameQualifier = OID([2, 5, 4, 46])
    package static let domainComponent = OID([0, 9, 2342, 19200300, 100, 1, 25])

    // Extensions (RFC 5280, section 4.2).
    package static let subjectKeyIdentifier = OID([2, 5, 29, 14])
    package static let keyUsage = OID([2, 5, 29, 15])
    package static let subjectAlternativeName = OID([2, 5, 29, 17])
    package static let issuerAlternativeName = OID([2, 5, 29, 18])
    package static let basicConstraints = OID([2, 5, 29, 19])
    package static let nameConstraints = OID([2, 5, 29, 30])
    package static let certificatePolicies = OID([2, 5, 29, 32])
    package static let policyMappings = OID([2, 5, 29, 33])
    package static let authorityKeyIdentifier = OID([2, 5, 29, 35])
    package static let extendedKeyUsage = OID([2, 5, 29, 37])
    package static let crlDistributionPoints = OID([2, 5, 29, 31])
    package static let freshestCRL = OID([2, 5, 29, 46])
    // Those of lists and of their entries (RFC 5280, section 5.2 and 5.3).
    package static let listNumber = OID([2, 5, 29, 20])
    package static let revocationReason = OID([2, 5, 29, 21])
    package static let deltaListIndicator = OID([2, 5, 29, 27])
    package static let issuingDistributionPoint = OID([2, 5, 29, 28])
    package static let authorityInformationAccess = OID([1, 3, 6, 1, 5, 5, 7, 1, 1])
    /// RFC 3739, section 3.2.6.
    package static let qualifiedCertificateStatements = OID([1, 3, 6, 1, 5, 5, 7, 1, 3])
    package static let subjectInformationAccess = OID([1, 3, 6, 1, 5, 5, 7, 1, 11])

    // Purposes of keys (RFC 5280, section 4.2.1.12).
    package static let serverAuthentication = OID([1, 3, 6, 1, 5, 5, 7, 3, 1])
    package static let clientAuthentication = OID([1, 3, 6, 1, 5, 5, 7, 3, 2])
    package static let codeSigning = OID([1, 3, 6, 1, 5, 5, 7, 3, 3])
    package static let emailProtection = OID([1, 3, 6, 1, 5, 5, 7, 3, 4])

    // Kinds of keys (RFC 3279, section 2.3), and curves (RFC 5480, section 2.1.1.1).
    package static let rsaEncryption = OID([1, 2, 840, 113549, 1, 1, 1])
    package static let ellipticCurvePublicKey = OID([1, 2, 840, 10045, 2, 1])
    package static let p256 = OID([1, 2, 840, 10045, 3, 1, 7])
    package static let p384 = OID([1, 3, 132, 0, 34])
    package static let p521 = OID([1, 3, 132, 0, 35])
    /// RFC 8410, section 3.
    package static let ed25519 = OID([1, 3, 101, 112])

    // Answers about revocation (RFC 6960, section 4), and where they are asked for (RFC 5280, section 4.2.2.1).
    package static let ocspAccess = OID([1, 3, 6, 1, 5, 5, 7, 48, 1])
    package static let basicOCSPResponse = OID([1, 3, 6, 1, 5, 5, 7, 48, 1, 1])
    package static let ocspNonce = OID([1, 3, 6, 1, 5, 5, 7, 48, 1, 2])
}

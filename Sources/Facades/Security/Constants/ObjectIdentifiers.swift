public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Fields of certificates

/// The version.
@safe nonisolated(unsafe) public let kSecOIDX509V1Version: CFString = "2.16.840.1.113741.2.1.1.1.2"

/// The serial number.
@safe nonisolated(unsafe) public let kSecOIDX509V1SerialNumber: CFString = "2.16.840.1.113741.2.1.1.1.3"

/// The name of the issuer.
@safe nonisolated(unsafe) public let kSecOIDX509V1IssuerName: CFString = "2.16.840.1.113741.2.1.1.1.5"

/// The first second in which it is valid.
@safe nonisolated(unsafe) public let kSecOIDX509V1ValidityNotBefore: CFString = "2.16.840.1.113741.2.1.1.1.6"

/// The last second in which it is valid.
@safe nonisolated(unsafe) public let kSecOIDX509V1ValidityNotAfter: CFString = "2.16.840.1.113741.2.1.1.1.7"

/// The name of the subject.
@safe nonisolated(unsafe) public let kSecOIDX509V1SubjectName: CFString = "2.16.840.1.113741.2.1.1.1.8"

/// The algorithm of the public key.
@safe nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKeyAlgorithm: CFString = "2.16.840.1.113741.2.1.1.1.9"

/// The public key.
@safe nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKey: CFString = "2.16.840.1.113741.2.1.1.1.10"

/// The unique identifier of the issuer.
@safe nonisolated(unsafe) public let kSecOIDX509V1CertificateIssuerUniqueId: CFString = "2.16.840.1.113741.2.1.1.1.11"

/// The unique identifier of the subject.
@safe nonisolated(unsafe) public let kSecOIDX509V1CertificateSubjectUniqueId: CFString = "2.16.840.1.113741.2.1.1.1.12"

/// How many extensions there are.
@safe nonisolated(unsafe) public let kSecOIDX509V3CertificateNumberOfExtensions: CFString =
    "2.16.840.1.113741.2.1.1.1.14"

/// The type of an extension.
@safe nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionId: CFString = "2.16.840.1.113741.2.1.1.1.15"

/// Whether an extension is critical.
@safe nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionCritical: CFString =
    "2.16.840.1.113741.2.1.1.1.16"

/// The content of an extension.
@safe nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionValue: CFString = "2.16.840.1.113741.2.1.1.1.17"

/// The parameters of the public key's algorithm.
@safe nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKeyAlgorithmParameters: CFString =
    "2.16.840.1.113741.2.1.1.1.18"

/// The form of an extension.
@safe nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionType: CFString = "2.16.840.1.113741.2.1.1.1.19"

/// The whole certificate.
@safe nonisolated(unsafe) public let kSecOIDX509V3SignedCertificate: CFString = "2.16.840.1.113741.2.1.1.1.0"

/// The part that is signed.
@safe nonisolated(unsafe) public let kSecOIDX509V3Certificate: CFString = "2.16.840.1.113741.2.1.1.1.1"

/// The algorithm of the signature.
@safe nonisolated(unsafe) public let kSecOIDX509V1SignatureAlgorithm: CFString = "2.16.840.1.113741.2.1.3.2.1"

/// The signature.
@safe nonisolated(unsafe) public let kSecOIDX509V1Signature: CFString = "2.16.840.1.113741.2.1.3.2.2"

// MARK: Parts of names

/// A common name.
@safe nonisolated(unsafe) public let kSecOIDCommonName: CFString = "2.5.4.3"

/// A surname.
@safe nonisolated(unsafe) public let kSecOIDSurname: CFString = "2.5.4.4"

/// A serial number as a part of a name.
@safe nonisolated(unsafe) public let kSecOIDSerialNumber: CFString = "2.5.4.5"

/// A country.
@safe nonisolated(unsafe) public let kSecOIDCountryName: CFString = "2.5.4.6"

/// A town.
@safe nonisolated(unsafe) public let kSecOIDLocalityName: CFString = "2.5.4.7"

/// A state or province.
@safe nonisolated(unsafe) public let kSecOIDStateProvinceName: CFString = "2.5.4.8"

/// A street.
@safe nonisolated(unsafe) public let kSecOIDStreetAddress: CFString = "2.5.4.9"

/// An organisation.
@safe nonisolated(unsafe) public let kSecOIDOrganizationName: CFString = "2.5.4.10"

/// A unit of an organisation.
@safe nonisolated(unsafe) public let kSecOIDOrganizationalUnitName: CFString = "2.5.4.11"

/// A title.
@safe nonisolated(unsafe) public let kSecOIDTitle: CFString = "2.5.4.12"

/// A description.
@safe nonisolated(unsafe) public let kSecOIDDescription: CFString = "2.5.4.13"

/// The state or province of a group.
@safe nonisolated(unsafe) public let kSecOIDCollectiveStateProvinceName: CFString = "2.5.4.8.1"

/// The street of a group.
@safe nonisolated(unsafe) public let kSecOIDCollectiveStreetAddress: CFString = "2.5.4.9.1"

/// A given name.
@safe nonisolated(unsafe) public let kSecOIDGivenName: CFString = "2.5.4.42"

/// An e-mail address.
@safe nonisolated(unsafe) public let kSecOIDEmailAddress: CFString = "1.2.840.113549.1.9.1"

// MARK: Extensions

/// Attributes of the subject.
@safe nonisolated(unsafe) public let kSecOIDSubjectDirectoryAttributes: CFString = "2.5.29.9"

/// The identifier of the public key.
@safe nonisolated(unsafe) public let kSecOIDSubjectKeyIdentifier: CFString = "2.5.29.14"

/// What the key may be used for.
@safe nonisolated(unsafe) public let kSecOIDKeyUsage: CFString = "2.5.29.15"

/// When the private key may be used.
@safe nonisolated(unsafe) public let kSecOIDPrivateKeyUsagePeriod: CFString = "2.5.29.16"

/// More names of the subject.
@safe nonisolated(unsafe) public let kSecOIDSubjectAltName: CFString = "2.5.29.17"

/// More names of the issuer.
@safe nonisolated(unsafe) public let kSecOIDIssuerAltName: CFString = "2.5.29.18"

/// Whether it may issue certificates.
@safe nonisolated(unsafe) public let kSecOIDBasicConstraints: CFString = "2.5.29.19"

/// The number of a revocation list.
@safe nonisolated(unsafe) public let kSecOIDCrlNumber: CFString = "2.5.29.20"

/// Why a certificate was revoked.
@safe nonisolated(unsafe) public let kSecOIDCrlReason: CFString = "2.5.29.21"

/// What to do with a certificate that is on hold.
@safe nonisolated(unsafe) public let kSecOIDHoldInstructionCode: CFString = "2.5.29.23"

/// Since when a certificate is not to be trusted.
@safe nonisolated(unsafe) public let kSecOIDInvalidityDate: CFString = "2.5.29.24"

/// Which revocation list this one completes.
@safe nonisolated(unsafe) public let kSecOIDDeltaCrlIndicator: CFString = "2.5.29.27"

/// Where a revocation list is from.
@safe nonisolated(unsafe) public let kSecOIDIssuingDistributionPoint: CFString = "2.5.29.28"

/// Where a revocation list is from.
@safe nonisolated(unsafe) public let kSecOIDIssuingDistributionPoints: CFString = "2.5.29.28"

/// Who issued a revoked certificate.
@safe nonisolated(unsafe) public let kSecOIDCertIssuer: CFString = "2.5.29.29"

/// Names that issued certificates may have.
@safe nonisolated(unsafe) public let kSecOIDNameConstraints: CFString = "2.5.29.30"

/// Where its revocation list is.
@safe nonisolated(unsafe) public let kSecOIDCrlDistributionPoints: CFString = "2.5.29.31"

/// The rules under which it was issued.
@safe nonisolated(unsafe) public let kSecOIDCertificatePolicies: CFString = "2.5.29.32"

/// Which rules are the same as others.
@safe nonisolated(unsafe) public let kSecOIDPolicyMappings: CFString = "2.5.29.33"

/// The identifier of the issuer's key.
@safe nonisolated(unsafe) public let kSecOIDAuthorityKeyIdentifier: CFString = "2.5.29.35"

/// Which rules a chain has to keep.
@safe nonisolated(unsafe) public let kSecOIDPolicyConstraints: CFString = "2.5.29.36"

/// Purposes of the key.
@safe nonisolated(unsafe) public let kSecOIDExtendedKeyUsage: CFString = "2.5.29.37"

/// Where to learn more about the issuer.
@safe nonisolated(unsafe) public let kSecOIDAuthorityInfoAccess: CFString = "1.3.6.1.5.5.7.1.1"

/// What the subject looks like.
@safe nonisolated(unsafe) public let kSecOIDBiometricInfo: CFString = "1.3.6.1.5.5.7.1.2"

/// Statements of a qualified certificate.
@safe nonisolated(unsafe) public let kSecOIDQC_Statements: CFString = "1.3.6.1.5.5.7.1.3"

/// Where to learn more about the subject.
@safe nonisolated(unsafe) public let kSecOIDSubjectInfoAccess: CFString = "1.3.6.1.5.5.7.1.11"

/// Netscape's kinds of certificates.
@safe nonisolated(unsafe) public let kSecOIDNetscapeCertType: CFString = "2.16.840.1.113730.1.1"

/// Netscape's sequence of certificates.
@safe nonisolated(unsafe) public let kSecOIDNetscapeCertSequence: CFString = "2.16.840.1.113730.2.5"

// MARK: Purposes and other names

/// Any purpose.
@safe nonisolated(unsafe) public let kSecOIDExtendedKeyUsageAny: CFString = "2.5.29.37.0"

/// A server of TLS.
@safe nonisolated(unsafe) public let kSecOIDServerAuth: CFString = "1.3.6.1.5.5.7.3.1"

/// A client of TLS.
@safe nonisolated(unsafe) public let kSecOIDClientAuth: CFString = "1.3.6.1.5.5.7.3.2"

/// The signing of code.
@safe nonisolated(unsafe) public let kSecOIDExtendedUseCodeSigning: CFString = "1.3.6.1.5.5.7.3.3"

/// E-mail.
@safe nonisolated(unsafe) public let kSecOIDEmailProtection: CFString = "1.3.6.1.5.5.7.3.4"

/// The stamping of time.
@safe nonisolated(unsafe) public let kSecOIDTimeStamping: CFString = "1.3.6.1.5.5.7.3.8"

/// Answers about revocation.
@safe nonisolated(unsafe) public let kSecOIDOCSPSigning: CFString = "1.3.6.1.5.5.7.3.9"

/// IPsec.
@safe nonisolated(unsafe) public let kSecOIDEKU_IPSec: CFString = "1.3.6.1.5.5.8.2.2"

/// Microsoft's strong cryptography for servers.
@safe nonisolated(unsafe) public let kSecOIDMicrosoftSGC: CFString = "1.3.6.1.4.1.311.10.3.3"

/// Netscape's strong cryptography for servers.
@safe nonisolated(unsafe) public let kSecOIDNetscapeSGC: CFString = "2.16.840.1.113730.4.1"

/// A client of Kerberos.
@safe nonisolated(unsafe) public let kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH: CFString = "1.3.6.1.5.2.3.4"

/// A server of Kerberos.
@safe nonisolated(unsafe) public let kSecOIDKERBv5_PKINIT_KP_KDC: CFString = "1.3.6.1.5.2.3.5"

/// The principal name of a user of Windows.
@safe nonisolated(unsafe) public let kSecOIDMS_NTPrincipalName: CFString = "1.3.6.1.4.1.311.20.2.3"

/// The name of a service.
@safe nonisolated(unsafe) public let kSecOIDSRVName: CFString = "1.3.6.1.5.5.7.8.7"

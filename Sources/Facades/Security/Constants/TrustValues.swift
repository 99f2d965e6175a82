public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: What an evaluation found out

/// When the certificates were evaluated.
@safe nonisolated(unsafe) public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"

/// Whether it is a certificate of extended validation.
@safe nonisolated(unsafe) public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"

/// The organisation of an extended validation.
@safe nonisolated(unsafe) public let kSecTrustOrganizationName: CFString = "Organization"

/// The result as a number.
@safe nonisolated(unsafe) public let kSecTrustResultValue: CFString = "TrustResultValue"

/// Whether revocation was checked.
@safe nonisolated(unsafe) public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"

/// Until when that check holds.
@safe nonisolated(unsafe) public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"

/// Whether the certificate is in the public logs.
@safe nonisolated(unsafe) public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"

/// Whether the certificate is excused from the public logs.
@safe nonisolated(unsafe) public let kSecTrustCertificateTransparencyWhiteList: CFString =
    "TrustCertificateTransparencyWhiteList"

// MARK: The readable form of a result

/// The certificate's title.
@safe nonisolated(unsafe) public let kSecPropertyTypeTitle: CFString = "title"

/// What is wrong with it.
@safe nonisolated(unsafe) public let kSecPropertyTypeError: CFString = "error"

// MARK: How revocation is checked

/// By the online protocol (RFC 6960).
public var kSecRevocationOCSPMethod: CFOptionFlags { 1 << 0 }

/// By the issuers' lists (RFC 5280).
public var kSecRevocationCRLMethod: CFOptionFlags { 1 << 1 }

/// By lists first.
public var kSecRevocationPreferCRL: CFOptionFlags { 1 << 2 }

/// Only a positive answer will do.
public var kSecRevocationRequirePositiveResponse: CFOptionFlags { 1 << 3 }

/// Only what is known without a network.
public var kSecRevocationNetworkAccessDisabled: CFOptionFlags { 1 << 4 }

/// By whichever method there is.
public var kSecRevocationUseAnyAvailableMethod: CFOptionFlags { kSecRevocationOCSPMethod | kSecRevocationCRLMethod }

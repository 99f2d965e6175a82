public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Policies

/// A chain of X.509 certificates and nothing more.
@safe nonisolated(unsafe) public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"

/// A TLS server or client.
@safe nonisolated(unsafe) public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"

/// Signed or encrypted mail.
@safe nonisolated(unsafe) public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"

/// Network access by EAP.
@safe nonisolated(unsafe) public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"

/// IPsec.
@safe nonisolated(unsafe) public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"

/// A Kerberos client.
@safe nonisolated(unsafe) public let kSecPolicyApplePKINITClient: CFString = "1.2.840.113635.100.1.14"

/// A Kerberos server.
@safe nonisolated(unsafe) public let kSecPolicyApplePKINITServer: CFString = "1.2.840.113635.100.1.15"

/// Signed programs.
@safe nonisolated(unsafe) public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"

/// Receipts of the Mac App Store.
@safe nonisolated(unsafe) public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"

/// Apple IDs.
@safe nonisolated(unsafe) public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"

/// Time stamps.
@safe nonisolated(unsafe) public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"

/// Revocation of certificates.
@safe nonisolated(unsafe) public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"

/// Passes of Wallet.
@safe nonisolated(unsafe) public let kSecPolicyApplePassbookSigning: CFString = "1.2.840.113635.100.1.22"

// MARK: Properties of a policy

/// The policy's identifier.
@safe nonisolated(unsafe) public let kSecPolicyOid: CFString = "SecPolicyOid"

/// The name that the certificate must bear.
@safe nonisolated(unsafe) public let kSecPolicyName: CFString = "SecPolicyName"

/// Whether the certificate is a client's.
@safe nonisolated(unsafe) public let kSecPolicyClient: CFString = "SecPolicyClient"

/// How revocation is checked.
@safe nonisolated(unsafe) public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"

/// The team that signed.
@safe nonisolated(unsafe) public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

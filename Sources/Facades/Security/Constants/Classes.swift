public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

/// The key of an item's class.
@safe nonisolated(unsafe) public let kSecClass: CFString = "class"

/// A password for anything, known by its service and account.
@safe nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"

/// A password for a server, known by its address and account.
@safe nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"

/// A certificate.
@safe nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"

/// A cryptographic key.
@safe nonisolated(unsafe) public let kSecClassKey: CFString = "keys"

/// A certificate together with its private key.
@safe nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"

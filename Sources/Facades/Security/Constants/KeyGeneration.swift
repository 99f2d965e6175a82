public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

/// The attributes of the private key, a dictionary.
@safe nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"

/// The attributes of the public key, a dictionary.
@safe nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"

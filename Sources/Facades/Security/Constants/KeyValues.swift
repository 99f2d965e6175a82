public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Classes of keys

/// The public half of a pair.
@safe nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"

/// The private half of a pair.
@safe nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"

/// A key that both sides share.
@safe nonisolated(unsafe) public let kSecAttrKeyClassSymmetric: CFString = "2"

// MARK: Types of keys

/// RSA.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"

/// An elliptic curve of NIST's: P-192, P-256, P-384 or P-521.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"

/// An earlier name of `kSecAttrKeyTypeECSECPrimeRandom`.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"

/// The name of elliptic-curve keys on macOS.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeECDSA: CFString = "73"

/// DSA.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeDSA: CFString = "43"

/// AES.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeAES: CFString = "2147483649"

/// DES.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeDES: CFString = "14"

/// Triple DES.
@safe nonisolated(unsafe) public let kSecAttrKeyType3DES: CFString = "17"

/// RC4.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRC4: CFString = "25"

/// RC2.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRC2: CFString = "23"

/// CAST.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeCAST: CFString = "27"

public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

/// Whether to return the item's secret.
@safe nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"

/// Whether to return the item's attributes.
@safe nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"

/// Whether to return an object such as a `SecKey`.
@safe nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"

/// Whether to return a reference that can be stored.
@safe nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"

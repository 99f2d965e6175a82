public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

/// The item's secret.
@safe nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"

/// The item as an object, such as a `SecKey`.
@safe nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"

/// The item by a reference that can be stored.
@safe nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"

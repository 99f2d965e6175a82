public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: What a property of a certificate is described by

/// What kind of value it is: one of `kSecPropertyType…`.
@safe nonisolated(unsafe) public let kSecPropertyKeyType: CFString = "type"

/// The name of the property, the same in all languages.
@safe nonisolated(unsafe) public let kSecPropertyKeyLabel: CFString = "label"

/// The name of the property for people.
@safe nonisolated(unsafe) public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"

/// The value.
@safe nonisolated(unsafe) public let kSecPropertyKeyValue: CFString = "value"

// MARK: Kinds of values

/// A sentence that warns; a string.
@safe nonisolated(unsafe) public let kSecPropertyTypeWarning: CFString = "warning"

/// A sentence that says that all is well; a string.
@safe nonisolated(unsafe) public let kSecPropertyTypeSuccess: CFString = "success"

/// More properties; an array.
@safe nonisolated(unsafe) public let kSecPropertyTypeSection: CFString = "section"

/// Bytes.
@safe nonisolated(unsafe) public let kSecPropertyTypeData: CFString = "data"

/// Text.
@safe nonisolated(unsafe) public let kSecPropertyTypeString: CFString = "string"

/// A link.
@safe nonisolated(unsafe) public let kSecPropertyTypeURL: CFString = "url"

/// An instant.
@safe nonisolated(unsafe) public let kSecPropertyTypeDate: CFString = "date"

/// Several values.
@safe nonisolated(unsafe) public let kSecPropertyTypeArray: CFString = "array"

/// A number; of a certificate's validity, seconds since 2001-01-01.
@safe nonisolated(unsafe) public let kSecPropertyTypeNumber: CFString = "number"

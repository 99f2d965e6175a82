public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: What a search looks for

/// Certificates that satisfy a policy.
@safe nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"

/// Items out of a list.
@safe nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"

/// Items of certain keychain files (macOS).
@safe nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"

/// Certificates with one of these issuers in their chain.
@safe nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"

/// Certificates for an e-mail address, or for none at all.
@safe nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// Certificates whose subject contains a text.
@safe nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// Certificates whose subject begins with a text (macOS).
@safe nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// Certificates whose subject ends with a text (macOS).
@safe nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// Certificates whose subject is a text (macOS).
@safe nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// Passwords for a host or for one beneath it.
@safe nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// Whether upper and lower case are the same; has no effect.
@safe nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// Whether letters with and without accents are the same (macOS).
@safe nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// Whether wide and narrow characters are the same (macOS).
@safe nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// Only certificates that lead to a trusted root.
@safe nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// Certificates that are valid on a date; null means today.
@safe nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"

// MARK: How many items it returns

/// The greatest number of results; one unless given.
@safe nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"

/// One result, not in an array.
@safe nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"

/// All results, in an array.
@safe nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"

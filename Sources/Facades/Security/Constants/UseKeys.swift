public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Which items

/// A list of items to use in place of the keychain's.
@safe nonisolated(unsafe) public let kSecUseItemList: CFString = "u_ItemList"

/// Whether to use the iOS-style keychain on macOS; here there is no other.
@safe nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"

/// The keychain file to add the item to (macOS).
@safe nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"

/// Whether the item belongs to all users (tvOS).
@safe nonisolated(unsafe) public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"

// MARK: How the user is asked

/// The `LAContext` in which the user has proved their presence.
@safe nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"

/// Whether the user may be asked.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"

/// The user may be asked.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"

/// The call fails rather than ask.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"

/// Items that the user would be asked for are left out.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"

/// What the user reads when asked; deprecated on Apple's platforms.
@safe nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"

/// Whether to fail rather than ask; deprecated on Apple's platforms.
@safe nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

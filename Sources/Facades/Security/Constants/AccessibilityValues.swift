public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: When an item can be read

/// While the keychain is unlocked.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"

/// From the first unlock after a restart on.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"

/// Always; deprecated on Apple's platforms.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlways: CFString = "dk"

/// While the keychain is unlocked and has a passcode; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"

/// While the keychain is unlocked; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"

/// From the first unlock after a restart on; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"

/// Always; never leaves this machine; deprecated on Apple's platforms.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"

// MARK: Which items a search finds

/// In a search: synchronizable items and others.
@safe nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"

// MARK: Where items are

/// The access group of items on tokens.
@safe nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"

/// The token that keeps private keys inside the secure enclave.
@safe nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Options of an import

/// The passphrase of the file.
@safe nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"

/// The keychain file to import into (macOS).
@safe nonisolated(unsafe) public let kSecImportExportKeychain: CFString = "keychain"

/// Who may use what is imported (macOS).
@safe nonisolated(unsafe) public let kSecImportExportAccess: CFString = "access"

/// Whether what is imported stays out of the keychain (a Boolean; macOS 15, iOS 18).
@safe nonisolated(unsafe) public let kSecImportToMemoryOnly: CFString = "memory"

// MARK: What an import returns for each item

/// A label of the item, such as the certificate's name.
@safe nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"

/// The identifier of the key, usually the hash of its public half.
@safe nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"

/// A `SecTrust` over the certificate and its chain.
@safe nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"

/// The certificates from the item's own upwards.
@safe nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"

/// The `SecIdentity` of certificate and private key.
@safe nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"

// MARK: Shared web credentials

/// The key of the password in a shared credential.
@safe nonisolated(unsafe) public let kSecSharedPassword: CFString = "spwd"

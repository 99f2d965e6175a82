public import CoreFoundationAliases
public import Foundation

/// The form of keys and certificates outside a keychain.
public enum SecExternalFormat: UInt32, Sendable {
    case formatUnknown = 0
    case formatOpenSSL = 1
    case formatSSH = 2
    case formatBSAFE = 3
    case formatRawKey = 4
    case formatWrappedPKCS8 = 5
    case formatWrappedOpenSSL = 6
    case formatWrappedSSH = 7
    case formatWrappedLSH = 8
    case formatX509Cert = 9
    case formatPEMSequence = 10
    case formatPKCS7 = 11
    case formatPKCS12 = 12
    case formatNetscapeCertSequence = 13
    case formatSSHv2 = 14
}

/// What a file of keys and certificates has in it.
public enum SecExternalItemType: UInt32, Sendable {
    case itemTypeUnknown = 0
    case itemTypePrivateKey = 1
    case itemTypePublicKey = 2
    case itemTypeSessionKey = 3
    case itemTypeCertificate = 4
    case itemTypeAggregate = 5
}

/// How items are imported and exported.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// As text (RFC 7468).
    public static let pemArmour = SecItemImportExportFlags(rawValue: 1)
}

/// How keys are imported and exported.
public struct SecKeyImportExportFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// More than one private key is an error.
    public static let importOnlyOne = SecKeyImportExportFlags(rawValue: 1)
    /// The user is asked for the passphrase.
    public static let securePassphrase = SecKeyImportExportFlags(rawValue: 2)
    /// Imported keys may be used by everybody.
    public static let noAccessControl = SecKeyImportExportFlags(rawValue: 4)
}

/// The version of `SecItemImportExportKeyParameters`.
public let SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: Int32 = 0

/// What an import or export of keys needs to know.
@unsafe
public struct SecItemImportExportKeyParameters {
    /// `SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION`.
    public var version: UInt32
    public var flags: SecKeyImportExportFlags
    /// A string or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The title of the dialogue that asks for the passphrase.
    public var alertTitle: Unmanaged<CFString>?
    /// Its text.
    public var alertPrompt: Unmanaged<CFString>?
    /// The programs that may use imported keys.
    public var accessRef: Unmanaged<SecAccess>?
    /// What imported keys may be used for, as `kSecAttrCan…` names.
    public var keyUsage: Unmanaged<CFArray>?
    /// Attributes of imported keys.
    public var keyAttributes: Unmanaged<CFArray>?

    public init() {
        unsafe self.init(
            version: 0,
            flags: [],
            passphrase: nil,
            alertTitle: nil,
            alertPrompt: nil,
            accessRef: nil,
            keyUsage: nil,
            keyAttributes: nil
        )
    }

    public init(
        version: UInt32,
        flags: SecKeyImportExportFlags,
        passphrase: Unmanaged<CFTypeRef>?,
        alertTitle: Unmanaged<CFString>?,
        alertPrompt: Unmanaged<CFString>?,
        accessRef: Unmanaged<SecAccess>?,
        keyUsage: Unmanaged<CFArray>?,
        keyAttributes: Unmanaged<CFArray>?
    ) {
        unsafe self.version = version
        unsafe self.flags = flags
        unsafe self.passphrase = unsafe passphrase
        unsafe self.alertTitle = unsafe alertTitle
        unsafe self.alertPrompt = unsafe alertPrompt
        unsafe self.accessRef = unsafe accessRef
        unsafe self.keyUsage = unsafe keyUsage
        unsafe self.keyAttributes = unsafe keyAttributes
    }
}

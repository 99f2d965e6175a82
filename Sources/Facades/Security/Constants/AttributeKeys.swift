public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Of every item

/// When the item can be read, one of the `kSecAttrAccessible…` values.
@safe nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"

/// The conditions under which the item can be used, a `SecAccessControl`.
@safe nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"

/// The group of programs that share the item.
@safe nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"

/// Whether the item travels to the user's other machines.
@safe nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"

/// The name of the view in which a synchronizable item is kept together with others. Part of the primary key.
@safe nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = "vwht"

/// When the item was added; set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"

/// When the item last changed; set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"

/// The name of the item that people see.
@safe nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"

/// The token that holds the item, such as the secure enclave.
@safe nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"

/// The item's persistent reference.
@safe nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = "persistref"

/// The item's persistent reference, under the spelling of an earlier interface.
@safe nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = "persistref"

/// An earlier name of `kSecUseDataProtectionKeychain`.
@safe nonisolated(unsafe) public let kSecAttrNoLegacy: CFString = "nleg"

// MARK: Of passwords

/// The account that the password belongs to.
@safe nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"

/// The service that a generic password is for.
@safe nonisolated(unsafe) public let kSecAttrService: CFString = "svce"

/// Data of the program's own that goes with a generic password.
@safe nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"

/// What kind of item it is, for people to read.
@safe nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"

/// A remark for people to read.
@safe nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"

/// The item's creator, a four-character code.
@safe nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"

/// The item's type, a four-character code.
@safe nonisolated(unsafe) public let kSecAttrType: CFString = "type"

/// Whether lists for people leave the item out.
@safe nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"

/// Whether the item says that there is no password, so that the user is asked each time.
@safe nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"

// MARK: Of internet passwords

/// The security domain, or realm, of the server.
@safe nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"

/// The name or address of the server.
@safe nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"

/// The protocol, one of the `kSecAttrProtocol…` values.
@safe nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"

/// How the user signs in, one of the `kSecAttrAuthenticationType…` values.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = "atyp"

/// The port number.
@safe nonisolated(unsafe) public let kSecAttrPort: CFString = "port"

/// The path on the server.
@safe nonisolated(unsafe) public let kSecAttrPath: CFString = "path"

// MARK: Of certificates

/// The version of X.509 that the certificate follows.
@safe nonisolated(unsafe) public let kSecAttrCertificateType: CFString = "ctyp"

/// How the certificate is encoded.
@safe nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = "cenc"

/// Whom the certificate is for, normalised.
@safe nonisolated(unsafe) public let kSecAttrSubject: CFString = "subj"

/// Who issued the certificate, normalised.
@safe nonisolated(unsafe) public let kSecAttrIssuer: CFString = "issr"

/// The certificate's serial number.
@safe nonisolated(unsafe) public let kSecAttrSerialNumber: CFString = "slnr"

/// The identifier of the subject's key.
@safe nonisolated(unsafe) public let kSecAttrSubjectKeyID: CFString = "skid"

/// The hash of the certificate's public key.
@safe nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = "pkhh"

// MARK: Of keys

/// Whether the key is public, private or symmetric.
@safe nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"

/// The label by which programs find the key; the public key's hash for key pairs.
@safe nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"

/// A tag of the program's own.
@safe nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"

/// The key's algorithm, one of the `kSecAttrKeyType…` values.
@safe nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"

/// The number of bits in the key.
@safe nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"

/// The number of bits that count.
@safe nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"

/// Whether the key is stored in the keychain when it is made.
@safe nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"

/// Whether the key leaves the keychain only encrypted.
@safe nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"

/// Whether the key can leave the keychain.
@safe nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"

/// Whether the key can encrypt.
@safe nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = "encr"

/// Whether the key can decrypt.
@safe nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = "decr"

/// Whether other keys can be derived from the key.
@safe nonisolated(unsafe) public let kSecAttrCanDerive: CFString = "drve"

/// Whether the key can sign.
@safe nonisolated(unsafe) public let kSecAttrCanSign: CFString = "sign"

/// Whether the key can verify signatures.
@safe nonisolated(unsafe) public let kSecAttrCanVerify: CFString = "vrfy"

/// Whether the key can wrap other keys.
@safe nonisolated(unsafe) public let kSecAttrCanWrap: CFString = "wrap"

/// Whether the key can unwrap other keys.
@safe nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = "unwp"

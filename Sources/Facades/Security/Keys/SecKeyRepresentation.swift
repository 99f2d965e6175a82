public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// The public half of a key; of a public key, itself.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    if case .publicKey = key.material { key } else { SecKey(key.publicKey) }
}

/// The key as bytes. A public one: an RSAPublicKey in DER (PKCS #1), 04, X and Y (X9.63), or the 32 bytes of Ed25519. A
/// private one: an RSAPrivateKey in DER, or 04, X, Y and K.
///
/// - Parameter error: receives -4 for a private key of the Secure Enclave, which never leaves it, as on Apple's systems.
///
/// See [SecKeyCopyExternalRepresentation](https://developer.apple.com/documentation/security/seckeycopyexternalrepresentation(_:_:)).
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        switch key.material {
        case .publicKey(let key): NSData(copying: key.externalRepresentation)
        case .privateKey(let key): try key.externalRepresentation.object
        case .enclaveKey: throw KeychainError(.unimplemented, "a private key does not leave the Secure Enclave")
        }
    }
}

/// What is to know of a key, by the names of the attributes of items. The type and the class are strings like the
/// constants, sizes are numbers. Flags are numbers that cast to `Bool` and `Int`, and that `CFEqual` compares with
/// `kCFBooleanTrue`.
///
/// See [SecKeyCopyAttributes](https://developer.apple.com/documentation/security/seckeycopyattributes(_:)).
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    guard let derived = try? key.material.reference.derivedAttributes else { return nil }
    let attributes = NSMutableDictionary()
    for (name, value) in derived.all {
        attributes[name.description as NSString] = value.object
    }
    attributes[kSecAttrKeyType] =
        switch key.publicKey.kind {
        case .rsa: kSecAttrKeyTypeRSA
        case .ellipticCurve: kSecAttrKeyTypeECSECPrimeRandom
        case .ed25519: NSString(string: String(KeyType.ed25519.rawValue))
        }
    switch key.material {
    case .publicKey:
        attributes[kSecAttrKeyClass] = kSecAttrKeyClassPublic
        attributes[kSecValueData] = derived.data.object
    case .privateKey:
        attributes[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
        attributes[kSecValueData] = derived.data.object
    case .enclaveKey(let handle):
        attributes[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
        attributes[KeyDescription.tokenObject] = NSData(copying: handle.key.bytes)
        attributes[kSecAttrAccessControl] = SecAccessControl(handle.key.header.accessControl)
    }
    return attributes.copy() as? NSDictionary
}

/// The attributes that are flags, which C programs get as CFBoolean: what a key may be used for, and how it is kept.
package let keyFlags: [String] = [
    "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc", "vyrc",
    "wrap", "unwp",
]

/// The bytes of an RSA key's modulus, or of one coordinate of an elliptic-curve key.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int {
    key.publicKey.blockSize
}

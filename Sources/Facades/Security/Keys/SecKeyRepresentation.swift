public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// The public half of a key; of a public key, itself.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    key
}

/// The key as bytes: an RSAPublicKey in DER (PKCS #1), or 04, X and Y (X9.63) of an elliptic-curve key.
///
/// See [SecKeyCopyExternalRepresentation](https://developer.apple.com/documentation/security/seckeycopyexternalrepresentation(_:_:)).
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(copying: key.publicKey.externalRepresentation)
}

/// What is to know of a key, by the names of the attributes of items. The type and the class are strings like the
/// constants, sizes and flags are numbers.
///
/// See [SecKeyCopyAttributes](https://developer.apple.com/documentation/security/seckeycopyattributes(_:)).
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    let attributes = NSMutableDictionary()
    for (name, value) in DerivedAttributes(publicKey: key.publicKey).all {
        attributes[name.description as NSString] = value.object
    }
    attributes[kSecAttrKeyClass] = kSecAttrKeyClassPublic
    attributes[kSecAttrKeyType] =
        switch key.publicKey.kind {
        case .rsa: kSecAttrKeyTypeRSA
        case .ellipticCurve: kSecAttrKeyTypeECSECPrimeRandom
        }
    attributes[kSecValueData] = NSData(copying: key.publicKey.externalRepresentation)
    return attributes.copy() as? NSDictionary
}

/// The bytes of an RSA key's modulus, or of one coordinate of an elliptic-curve key.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int {
    key.publicKey.blockSize
}

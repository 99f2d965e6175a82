public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// Makes a pair of keys. There are no private keys yet: a valid request is `errSecUnimplemented`.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`, at the top; attributes of both halves.
///   - error: receives `errSecParam` for a type or a size that is missing or that there is not.
/// - Returns: the private key.
///
/// See [SecKeyCreateRandomKey](https://developer.apple.com/documentation/security/seckeycreaterandomkey(_:_:)).
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        _ = try KeyDescription(ofNewKey: parameters)
        throw noPrivateKeys
    }
}

/// Makes a pair of keys, by an earlier function.
///
/// - Returns: `errSecParam` or `errSecUnimplemented`, as `SecKeyCreateRandomKey` reports them.
@available(*, deprecated, message: "Use SecKeyCreateRandomKey")
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary,
    _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    do throws(KeychainError) {
        _ = try KeyDescription(ofNewKey: parameters)
        return noPrivateKeys.status
    } catch {
        return error.status
    }
}

/// Makes a key from its external representation: RSA, or on P-256, P-384 or P-521.
///
/// - Parameters:
///   - keyData: what `SecKeyCopyExternalRepresentation` gives.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; others mean nothing.
///   - error: receives `errSecParam` for bytes that are no such key, and for a type or class that is missing or unknown;
///     `errSecUnimplemented` for private and symmetric keys.
///
/// See [SecKeyCreateWithData](https://developer.apple.com/documentation/security/seckeycreatewithdata(_:_:_:)).
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        let bytes = Array(Data(referencing: keyData))
        let type = KeyDescription.number(attributes[kSecAttrKeyType])
        switch KeyDescription.number(attributes[kSecAttrKeyClass]) {
        case 0: return SecKey(try publicKey(bytes, type: type))
        case 1:
            // Somebody may learn from it that the rest is right.
            try requirePrivateKey(bytes, type: type)
            throw noPrivateKeys
        case 2: throw KeychainError(.unimplemented, "symmetric keys are not made into objects")
        default: throw KeychainError(.invalidParameter, "kSecAttrKeyClass is missing, or no class of keys")
        }
    }
}

private func publicKey(_ bytes: [UInt8], type: Int?) throws(KeychainError) -> PublicKey {
    let key: PublicKey?
    switch type.flatMap(KeyType.init) {
    case .rsa: key = PublicKey(rsa: bytes)
    case .ellipticCurve: key = PublicKey(point: bytes)
    case nil: throw unknownType
    default: throw KeychainError(.unimplemented, "public keys of this type are not made into objects")
    }
    guard let key else { throw KeychainError(.invalidParameter, "the bytes are no public key of that type") }
    return key
}

private func requirePrivateKey(_ bytes: [UInt8], type: Int?) throws(KeychainError) {
    let isKey =
        switch type.flatMap(KeyType.init) {
        case .rsa: PrivateKeyForm.isRSA(bytes)
        case .ellipticCurve: PrivateKeyForm.isEllipticCurve(bytes)
        case nil: throw unknownType
        default: true
        }
    guard isKey else { throw KeychainError(.invalidParameter, "the bytes are no private key of that type") }
}

private let unknownType = KeychainError(.invalidParameter, "kSecAttrKeyType is missing, or no type of keys")

let noPrivateKeys = KeychainError(.unimplemented, "there are no private keys yet")

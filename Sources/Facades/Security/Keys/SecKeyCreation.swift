public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainClient
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// Makes a pair of keys.
///
/// A key that is in the Secure Enclave (`kSecAttrTokenID`) is P-256, stays there, and is stored unless
/// `kSecAttrIsPermanent` says otherwise; its access control stands among the private key's attributes. Of other keys none
/// is stored unless `kSecAttrIsPermanent` says so.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`, at the top; attributes of both halves, and of each in
///     `kSecPrivateKeyAttrs` and `kSecPublicKeyAttrs`.
///   - error: receives `errSecParam` for a type or a size that is missing or that there is not; what `SecItemAdd` fails
///     with where a half is to be stored: the public one is stored first, and stays. RSA of less than 1024 bits, and curves
///     other than P-256, P-384 and P-521, are missing (-4, docs/keys.md).
/// - Returns: the private key.
///
/// See [SecKeyCreateRandomKey](https://developer.apple.com/documentation/security/seckeycreaterandomkey(_:_:)).
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) { () throws(KeychainError) in try NewKey(parameters).make() }
}

/// Makes a pair of keys, by an earlier function.
///
/// - Parameters:
///   - publicKey: receives the public key.
///   - privateKey: receives the private key. Neither is touched on failure.
/// - Returns: `errSecSuccess`, or what `SecKeyCreateRandomKey` reports.
@available(*, deprecated, message: "Use SecKeyCreateRandomKey")
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary,
    _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    do throws(KeychainError) {
        let key = try NewKey(parameters).make()
        unsafe publicKey?.pointee = SecKey(key.publicKey)
        unsafe privateKey?.pointee = key
        return errSecSuccess
    } catch {
        return error.status
    }
}

/// Makes a key from its external representation: RSA, or on P-256, P-384 or P-521.
///
/// - Parameters:
///   - keyData: what `SecKeyCopyExternalRepresentation` gives; an RSA public key also as SubjectPublicKeyInfo. It means nothing for a key of the Secure Enclave, which is
///     made of what `SecKeyCopyAttributes` says of it.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; others mean nothing.
///   - error: receives `errSecParam` for bytes that are no such key, and for a type or class that is missing or unknown.
///     Symmetric keys, and what docs/keys.md says, are missing (-4).
///
/// See [SecKeyCreateWithData](https://developer.apple.com/documentation/security/seckeycreatewithdata(_:_:_:)).
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        if attributes[kSecAttrTokenID] != nil { return try enclaveKey(attributes) }
        let type = KeyDescription.number(attributes[kSecAttrKeyType])
        switch KeyDescription.number(attributes[kSecAttrKeyClass]) {
        case 0: return SecKey(try publicKey(Array(keyData as Data), type: type))
        case 1: return SecKey(.privateKey(try privateKey(SecretBytes(keyData as Data), type: type)))
        case 2: throw KeychainError(.unimplemented, "symmetric keys are not made into objects")
        default: throw KeychainError(.invalidParameter, "kSecAttrKeyClass is missing, or no class of keys")
        }
    }
}

private func publicKey(_ bytes: [UInt8], type: Int?) throws(KeychainError) -> PublicKey {
    let key: PublicKey?
    switch type.flatMap(KeyType.init) {
    // Apple takes a SubjectPublicKeyInfo for RSA alone.
    case .rsa: key = PublicKey(rsa: bytes) ?? PublicKey(rsaInSubjectPublicKeyInfo: bytes)
    case .ellipticCurve: key = PublicKey(point: bytes)
    case nil: throw unknownType
    default: throw KeychainError(.unimplemented, "public keys of this type are not made into objects")
    }
    guard let key else { throw KeychainError(.invalidParameter, "the bytes are no public key of that type") }
    return key
}

extension PublicKey {
    fileprivate init?(rsaInSubjectPublicKeyInfo bytes: [UInt8]) {
        guard let key = PublicKey(subjectPublicKeyInfo: bytes), case .rsa = key.kind else { return nil }
        self = key
    }
}

private func privateKey(_ bytes: SecretBytes, type: Int?) throws(KeychainError) -> PrivateKey {
    switch type.flatMap(KeyType.init) {
    case .rsa: return try PrivateKey(externalRepresentation: bytes, .rsa)
    case .ellipticCurve: return try PrivateKey(externalRepresentation: bytes, .ellipticCurve)
    case nil: throw unknownType
    default: throw KeychainError(.unimplemented, "private keys of this type are not made into objects")
    }
}

private func enclaveKey(_ attributes: CFDictionary) throws(KeychainError) -> SecKey {
    guard attributes[kSecAttrTokenID] as? String == EnclaveKey.tokenID else {
        throw KeychainError(.invalidParameter, "there are no keys on other tokens than the Secure Enclave")
    }
    guard let object = attributes[KeyDescription.tokenObject] as? Data, let key = EnclaveKey(object),
        let handle = EnclaveKeyHandle(key, KeyAuthentication(attributes))
    else { throw KeychainError(.invalidParameter, "the attributes are not those of a key in the Secure Enclave") }
    return SecKey(.enclaveKey(handle))
}

private let unknownType = KeychainError(.invalidParameter, "kSecAttrKeyType is missing, or no type of keys")

/// A pair of keys that is to be made, and what is to become of its halves.
@_implementationOnly
private struct NewKey {
    private let description: KeyDescription
    private let isInEnclave: Bool
    private let publicAttributes: NSDictionary
    private let privateAttributes: NSDictionary
    private let authentication: KeyAuthentication

    /// What says how to make a key, and nothing of its item.
    private static var ofMaking: [CFString] {
        [kSecAttrKeyType, kSecAttrKeySizeInBits, kSecAttrTokenID, kSecPrivateKeyAttrs, kSecPublicKeyAttrs, kSecClass]
    }

    init(_ parameters: CFDictionary) throws(KeychainError) {
        description = try KeyDescription(ofNewKey: parameters)
        let token = parameters[kSecAttrTokenID]
        isInEnclave = token != nil
        guard token == nil || token as? String == EnclaveKey.tokenID else {
            throw KeychainError(.invalidParameter, "there are no keys on other tokens than the Secure Enclave")
        }
        publicAttributes = try Self.attributes(kSecPublicKeyAttrs, in: parameters)
        privateAttributes = try Self.attributes(kSecPrivateKeyAttrs, in: parameters)
        authentication = KeyAuthentication(privateAttributes)
    }

    /// The attributes of one half: its own, and those of both.
    private static func attributes(
        _ half: CFString,
        in parameters: CFDictionary
    ) throws(KeychainError) -> NSDictionary {
        let merged = parameters.changeable
        for key in ofMaking { merged.removeObject(forKey: key) }
        switch parameters[half] {
        case nil: break
        case let own as NSDictionary: merged.addEntries(from: own as? [AnyHashable: Any] ?? [:])
        default: throw KeychainError(.invalidParameter, "the attributes of a half of the pair are no dictionary")
        }
        return merged
    }

    /// Only a Boolean says it.
    private static func isPermanent(_ attributes: NSDictionary, default fallback: Bool) -> Bool {
        guard let value = attributes[kSecAttrIsPermanent] as? NSNumber, isBoolean(value) else { return fallback }
        return value.boolValue
    }

    func make() throws(KeychainError) -> SecKey {
        let key = SecKey(try material())
        if Self.isPermanent(publicAttributes, default: false) {
            try store(SecKey(key.publicKey), with: publicAttributes)
        }
        if Self.isPermanent(privateAttributes, default: isInEnclave) { try store(key, with: privateAttributes) }
        return key
    }

    private func material() throws(KeychainError) -> KeyMaterial {
        guard !isInEnclave else {
            var request = MakeKeyRequest()
            request.accessGroup = privateAttributes[kSecAttrAccessGroup] as? String
            request.accessControl = try accessControl()
            request.authentication = authentication.present
            let key = try CurrentKeychain.service().makeKey(request)
            guard let handle = EnclaveKeyHandle(key, authentication) else { throw OperationResult.unexpected }
            return .enclaveKey(handle)
        }
        guard let size = description.sizeInBits else {
            throw KeychainError(.unimplemented, "keys of this type are not made")
        }
        switch description.type {
        case .rsa: return .privateKey(try PrivateKey.generate(.rsa, sizeInBits: size))
        case .ellipticCurve: return .privateKey(try PrivateKey.generate(.ellipticCurve, sizeInBits: size))
        default: throw KeychainError(.unimplemented, "keys of this type are not made")
        }
    }

    /// - Throws: `invalidParameter` for attributes of other types.
    private func accessControl() throws(KeychainError) -> AccessControl? {
        let control = privateAttributes[kSecAttrAccessControl]
        guard control == nil || control is SecAccessControl else {
            throw KeychainError(.invalidParameter, "kSecAttrAccessControl takes a SecAccessControl")
        }
        var bare: Accessibility?
        if let name = privateAttributes[kSecAttrAccessible] {
            guard let known = (name as? String).flatMap({ Accessibility(rawValue: $0) }) else {
                throw KeychainError(.invalidParameter, "kSecAttrAccessible names no accessibility class")
            }
            bare = known
        }
        guard let given = try (control as? SecAccessControl)?.control else {
            return bare.map { AccessControl(bare: $0) }
        }
        try given.requireAgreement(with: bare)
        return given
    }

    private func store(_ key: SecKey, with attributes: NSDictionary) throws(KeychainError) {
        let item = attributes.changeable
        item[kSecValueRef] = key
        item[kSecAttrIsPermanent] = kCFBooleanTrue
        // What guards the use of the private half is nothing of the public one.
        if case .publicKey = key.material, let control = item[kSecAttrAccessControl] as? SecAccessControl,
            try control.control.isForKeyUse
        {
            item.removeObject(forKey: kSecAttrAccessControl)
        }
        _ = try addedItem(item)
    }
}

extension NSDictionary {
    fileprivate var changeable: NSMutableDictionary {
        mutableCopy() as? NSMutableDictionary ?? NSMutableDictionary()
    }
}

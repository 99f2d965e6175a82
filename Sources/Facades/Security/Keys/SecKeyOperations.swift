public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

// docs/keys.md lists what each algorithm does, and which are missing (-4).

/// Whether a key can do something in a certain way.
///
/// See
/// [SecKeyIsAlgorithmSupported](https://developer.apple.com/documentation/security/seckeyisalgorithmsupported(_:_:_:)).
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard let algorithm = KeyAlgorithm(algorithm) else { return false }
    switch key.material {
    case .publicKey(let key): return key.supports(operation.operation, algorithm)
    case .privateKey(let key): return key.supports(operation.operation, algorithm)
    case .enclaveKey(let handle): return handle.privateKey.supports(operation.operation, algorithm)
    }
}

/// Signs data, or a digest of data, with a private key.
///
/// - Parameter error: receives `errSecParam` for a public key, for an algorithm that is not for signing with such a
///   key, and for a digest of another length; what a key of the Secure Enclave is refused with.
///
/// See [SecKeyCreateSignature](https://developer.apple.com/documentation/security/seckeycreatesignature(_:_:_:_:)).
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        let signature = try key.requirePrivate().signature(
            of: Array(dataToSign as Data),
            KeyAlgorithm(required: algorithm)
        )
        return NSData(copying: signature)
    }
}

/// Verifies a signature of data, or of a digest of data, with a public key.
///
/// - Parameter error: receives `errSecVerifyFailed` for anything but the key's signature of the data; `errSecParam` for
///   a private key, for an algorithm that is not for such keys, and for a digest of another length.
///
/// See [SecKeyVerifySignature](https://developer.apple.com/documentation/security/seckeyverifysignature(_:_:_:_:_:)).
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    let verified: Void? = unsafe reporting(to: error) { () throws(KeychainError) in
        try key.requirePublic().verify(
            Array(signature as Data),
            of: Array(signedData as Data),
            KeyAlgorithm(required: algorithm)
        )
    }
    return verified != nil
}

/// Encrypts data with a public key.
///
/// - Parameter error: receives `errSecParam` for a private key, for an algorithm that is not for encrypting with such a
///   key, and for more data than fits.
///
/// See
/// [SecKeyCreateEncryptedData](https://developer.apple.com/documentation/security/seckeycreateencrypteddata(_:_:_:_:)).
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe encryptedData(key, algorithm, plaintext, [:] as NSDictionary, error)
}

/// Decrypts data with a private key. An RSA public key opens what its private key has signed, without padding.
///
/// - Parameter error: receives `errSecParam` for an algorithm that is not for decrypting with such a key, for all that
///   RSA does not decrypt, always in the same words, and for a message of ECIES that is too short; `errSecDecode` for
///   a message of ECIES that does not decrypt; what a key of the Secure Enclave is refused with.
///
/// See
/// [SecKeyCreateDecryptedData](https://developer.apple.com/documentation/security/seckeycreatedecrypteddata(_:_:_:_:)).
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe decryptedData(key, algorithm, ciphertext, [:] as NSDictionary, error)
}

/// Agrees on a secret between one's own private key and another's public key.
///
/// - Parameters:
///   - parameters: with derivation, `kSecKeyKeyExchangeParameterRequestedSize`, and `…SharedInfo` if there is any.
///   - error: receives `errSecParam` for the wrong halves, keys on different curves, an algorithm that is not for that,
///     and a size that is missing; what a key of the Secure Enclave is refused with.
///
/// See
/// [SecKeyCopyKeyExchangeResult](https://developer.apple.com/documentation/security/seckeycopykeyexchangeresult(_:_:_:_:_:)).
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        try privateKey.requirePrivate().exchange(
            with: publicKey.requirePublic(),
            KeyAlgorithm(required: algorithm),
            KeyExchangeParameters(parameters)
        ).object
    }
}

// MARK: - What they have in common

extension SecKey {
    func requirePrivate() throws(KeychainError) -> PrivateKey {
        guard let key = material.privateKey else {
            throw KeychainError(.invalidParameter, "this takes a private key, and the key is a public one")
        }
        return key
    }

    /// Decrypts by whichever half this is.
    func decrypted(
        _ ciphertext: [UInt8],
        _ algorithm: KeyAlgorithm,
        _ parameters: CipherParameters = CipherParameters()
    ) throws(KeychainError) -> SecretBytes {
        if case .publicKey(let key) = material { return try key.decrypted(ciphertext, algorithm) }
        return try requirePrivate().decrypted(ciphertext, algorithm, parameters)
    }

    func requirePublic() throws(KeychainError) -> PublicKey {
        guard case .publicKey(let key) = material else {
            throw KeychainError(.invalidParameter, "this takes a public key, and the key is a private one")
        }
        return key
    }
}

extension KeyAlgorithm {
    fileprivate init?(_ algorithm: SecKeyAlgorithm) {
        self.init(identifier: String(describing: algorithm.rawValue))
    }

    init(required algorithm: SecKeyAlgorithm) throws(KeychainError) {
        guard let known = KeyAlgorithm(algorithm) else {
            throw KeychainError(.invalidParameter, "the algorithm is not known")
        }
        self = known
    }
}

extension KeyExchangeParameters {
    /// - Throws: `invalidParameter` for values of other types.
    fileprivate init(_ dictionary: CFDictionary) throws(KeychainError) {
        self.init()
        switch dictionary[SecKeyKeyExchangeParameter.requestedSize.rawValue] {
        case nil: break
        case let number as NSNumber where !isBoolean(number): requestedSize = Int(exactly: number.doubleValue)
        default: throw KeychainError(.invalidParameter, "the size of what is derived is no number")
        }
        switch dictionary[SecKeyKeyExchangeParameter.sharedInfo.rawValue] {
        case nil: break
        case let data as Data: sharedInfo = Array(data)
        default: throw KeychainError(.invalidParameter, "the shared info is no data")
        }
    }
}

extension SecKeyOperationType {
    fileprivate var operation: KeyOperation {
        switch self {
        case .sign: .sign
        case .verify: .verify
        case .encrypt: .encrypt
        case .decrypt: .decrypt
        case .keyExchange: .exchange
        }
    }
}

extension SecretBytes {
    /// A copy that does not zero itself: it is the caller's.
    var object: NSData {
        unsafe withUnsafeBytes { bytes in
            unsafe NSData(bytes: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 16), length: bytes.count)
        }
    }
}

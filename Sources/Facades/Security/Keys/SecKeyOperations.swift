public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

// Keys have no operations yet. What will never work, such as signing with a public key, is `errSecParam` already; all else
// is `errSecUnimplemented`.

/// Whether a key can do something in a certain way: false, as no key can yet.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    false
}

/// Signs data with a private key.
///
/// - Parameter error: receives `errSecParam`. There are no private keys yet, and a public key signs nothing.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe wrongHalf.report(to: error)
    return nil
}

/// Verifies a signature with a public key.
///
/// - Parameter error: receives `errSecParam` for an algorithm that is none of the key's, else `errSecUnimplemented`.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    unsafe refusal(of: algorithm, by: key, for: ["algid:sign:RSA:", "algid:sign:ECDSA:"]).report(to: error)
    return false
}

/// Encrypts data with a public key.
///
/// - Parameter error: receives `errSecParam` for an algorithm that is none of the key's, else `errSecUnimplemented`.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe refusal(of: algorithm, by: key, for: ["algid:encrypt:RSA:", "algid:encrypt:ECIES:"]).report(to: error)
    return nil
}

/// Decrypts data with a private key.
///
/// - Parameter error: receives `errSecParam`. There are no private keys yet, and a public key decrypts nothing.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe wrongHalf.report(to: error)
    return nil
}

/// Agrees on a secret between one's own private key and another's public key.
///
/// - Parameter error: receives `errSecParam`. There are no private keys yet, and a public key agrees on nothing.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe wrongHalf.report(to: error)
    return nil
}

private let wrongHalf = KeychainError(.invalidParameter, "this takes a private key, and the key is a public one")

/// Why a public key does not what it is asked for.
///
/// - Parameter prefixes: how the names of the algorithms begin that RSA and elliptic-curve keys have for it.
private func refusal(of algorithm: SecKeyAlgorithm, by key: SecKey, for prefixes: [String]) -> KeychainError {
    let isRSA = if case .rsa = key.publicKey.kind { true } else { false }
    let name = String(describing: algorithm.rawValue)
    guard let prefix = isRSA ? prefixes.first : prefixes.last, name.hasPrefix(prefix) else {
        return KeychainError(.invalidParameter, "the algorithm is none of keys of this type")
    }
    return KeychainError(.unimplemented, "keys have no operations yet")
}

import CoreFoundationAliases
import Crypto
import Foundation
import LocalAuthentication
import Security

/// A key of the Secure Enclave as `Security` has it, with what CryptoKit's types tell of it.
struct SealedKey: Sendable {
    private let key: SecKey
    let data: Data
    let signingKey: P256.Signing.PublicKey
    let agreementKey: P256.KeyAgreement.PublicKey

    /// Half of all keys are compact, so this many attempts never fail in practice.
    private static let mostTries = 128

    init(
        compactRepresentable: Bool,
        _ accessControl: SecAccessControl?,
        _ context: LAContext?
    ) throws {
        var parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ]
        var attributes: [CFString: Any] = [kSecAttrIsPermanent: false]
        attributes[kSecAttrAccessControl] = try accessControl ?? Self.unguarded()
        if let context { attributes[kSecUseAuthenticationContext] = context }
        parameters[kSecPrivateKeyAttrs] = attributes
        for _ in 0..<Self.mostTries {
            var error: Unmanaged<CFError>?
            guard let made = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
                throw unsafe Self.reported(error)
            }
            let key = try SealedKey(made)
            guard compactRepresentable, key.signingKey.compactRepresentation == nil else {
                self = key
                return
            }
        }
        throw CryptoKitError.incorrectParameterSize
    }

    init(_ data: Data, _ context: LAContext?) throws {
        var attributes: [CFString: Any] = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, Self.tokenObject: data]
        if let context { attributes[kSecUseAuthenticationContext] = context }
        var error: Unmanaged<CFError>?
        guard let key = unsafe SecKeyCreateWithData(Data() as CFData, attributes as CFDictionary, &error) else {
            throw unsafe Self.reported(error)
        }
        try self.init(key)
    }

    private init(_ key: SecKey) throws {
        guard let publicKey = SecKeyCopyPublicKey(key),
            let point = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?,
            let data = SecKeyCopyAttributes(key)?[Self.tokenObject] as? Data
        else { throw CryptoKitError.incorrectParameterSize }
        self.key = key
        self.data = data
        signingKey = try P256.Signing.PublicKey(x963Representation: point)
        agreementKey = try P256.KeyAgreement.PublicKey(x963Representation: point)
    }

    private static var tokenObject: CFString { "toid" }

    private static func unguarded() throws -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard
            let control = unsafe SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                .privateKeyUsage,
                &error
            )
        else { throw unsafe reported(error) }
        return control
    }

    func signature(ofDigest digest: Data) throws -> P256.Signing.ECDSASignature {
        var error: Unmanaged<CFError>?
        guard let raw = unsafe SecKeyCreateSignature(key, .ecdsaSignatureDigestRFC4754, digest as CFData, &error) else {
            throw unsafe Self.reported(error)
        }
        return try P256.Signing.ECDSASignature(rawRepresentation: raw as Data)
    }

    /// `SharedSecret` has no initialiser that takes bytes. The key that is the number 1 leads from any point to the
    /// point itself, so from either point with the secret as its X coordinate to the secret.
    func sharedSecret(with other: P256.KeyAgreement.PublicKey) throws -> SharedSecret {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        var error: Unmanaged<CFError>?
        let point = other.x963Representation as CFData
        guard let peer = unsafe SecKeyCreateWithData(point, attributes as CFDictionary, &error),
            let secret = unsafe SecKeyCopyKeyExchangeResult(
                key,
                .ecdhKeyExchangeStandard,
                peer,
                [:] as CFDictionary,
                &error
            )
        else { throw unsafe Self.reported(error) }
        let leading = try P256.KeyAgreement.PublicKey(compressedRepresentation: Data([2]) + (secret as Data))
        let one = try P256.KeyAgreement.PrivateKey(rawRepresentation: Data(repeating: 0, count: 31) + [1])
        return try one.sharedSecretFromKeyAgreement(with: leading)
    }

    private static func reported(_ error: Unmanaged<CFError>?) -> any Error {
        unsafe error?.takeRetainedValue() ?? CryptoKitError.incorrectParameterSize
    }
}

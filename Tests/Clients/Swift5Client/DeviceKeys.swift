// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import LocalAuthentication
import Security

/// A wrapper for a key in the Secure Enclave, as many apps have one: it signs, and it keeps small secrets.
final class DeviceKey {
    enum Failure: Error, Equatable {
        case unexpected(OSStatus)
        case notSupported
    }

    let tag: Data

    init(_ name: String) {
        tag = name.data(using: .utf8)!
    }

    func privateKey(context: LAContext? = nil) throws -> SecKey? {
        var query: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrApplicationTag as String: tag,
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecReturnRef as String: true,
        ]
        if let context = context { query[kSecUseAuthenticationContext as String] = context }
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess else { throw Failure.unexpected(status) }
        return (item as! SecKey)
    }

    func make() throws -> SecKey {
        var error: Unmanaged<CFError>?
        guard
            let access = SecAccessControlCreateWithFlags(
                kCFAllocatorDefault,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                .privateKeyUsage,
                &error
            )
        else { throw error!.takeRetainedValue() as Error }
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true,
                kSecAttrApplicationTag as String: tag,
                kSecAttrAccessControl as String: access,
            ],
        ]
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return key
    }

    func delete() -> OSStatus {
        SecItemDelete(
            [
                kSecClass as String: kSecClassKey,
                kSecAttrApplicationTag as String: tag,
            ] as CFDictionary
        )
    }

    func sign(_ data: Data) throws -> Data {
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        let key = try privateKey() ?? make()
        guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { throw Failure.notSupported }
        var error: Unmanaged<CFError>?
        guard let signature = SecKeyCreateSignature(key, algorithm, data as CFData, &error) as Data? else {
            throw error!.takeRetainedValue() as Error
        }
        return signature
    }

    func verify(_ signature: Data, of data: Data) -> Bool {
        guard let key = try? privateKey(), let publicKey = SecKeyCopyPublicKey(key) else { return false }
        return SecKeyVerifySignature(
            publicKey,
            .ecdsaSignatureMessageX962SHA256,
            data as CFData,
            signature as CFData,
            nil
        )
    }

    func encrypt(_ text: String) throws -> Data {
        let algorithm: SecKeyAlgorithm = .eciesEncryptionCofactorVariableIVX963SHA256AESGCM
        guard let publicKey = SecKeyCopyPublicKey(try privateKey() ?? make()),
            SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm)
        else { throw Failure.notSupported }
        var error: Unmanaged<CFError>?
        guard let encrypted = SecKeyCreateEncryptedData(publicKey, algorithm, Data(text.utf8) as CFData, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return encrypted as Data
    }

    func decrypt(_ data: Data) throws -> String? {
        guard let key = try privateKey() else { return nil }
        var error: Unmanaged<CFError>?
        let decrypted = SecKeyCreateDecryptedData(
            key,
            .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
            data as CFData,
            &error
        )
        if let error = error { throw error.takeRetainedValue() as Error }
        return decrypted.flatMap { String(data: $0 as Data, encoding: .utf8) }
    }
}

func deviceKeys() throws {
    let key = DeviceKey("com.example.keys.mykey")
    check(try key.privateKey() == nil, "no key")
    let made = try key.make()
    check(try key.privateKey() == made, "the key is found by its tag")
    check(SecKeyCopyExternalRepresentation(made, nil) == nil, "a key of the enclave is not given out")
    let attributes = SecKeyCopyAttributes(made) as! [String: Any]
    check(attributes[kSecAttrTokenID as String] as? String == kSecAttrTokenIDSecureEnclave as String, "its token")
    check(attributes[kSecAttrKeySizeInBits as String] as? Int == 256, "its size")
    check((attributes[kSecAttrApplicationLabel as String] as? Data)?.count == 20, "its label")
    let publicKey = SecKeyCopyExternalRepresentation(SecKeyCopyPublicKey(made)!, nil)! as Data
    check(publicKey.count == 65 && publicKey[0] == 4, "its public half")

    let message = "message".data(using: .utf8)!
    let signature = try key.sign(message)
    check(key.verify(signature, of: message), "a signature")
    check(!key.verify(signature, of: Data("massage".utf8)), "a signature of something else")
    check(!key.verify(signature.dropLast(), of: message), "half a signature")
    let encrypted = try key.encrypt("attack at dawn")
    check(try key.decrypt(encrypted) == "attack at dawn", "decrypt")
    var altered = encrypted
    altered[altered.count - 1] ^= 1
    check((try? key.decrypt(altered)) == nil, "an altered ciphertext")

    let context = LAContext()
    context.interactionNotAllowed = true
    check(try key.privateKey(context: context) == made, "a key that asks nobody")
    check(key.delete() == errSecSuccess, "delete")
    check(try key.privateKey() == nil, "a deleted key")
}

/// Apple's articles on keys that are made, exported and imported.
func keysAsData() throws {
    var error: Unmanaged<CFError>?
    let tag = "com.example.keys.rsa".data(using: .utf8)!
    let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
        kSecAttrKeySizeInBits as String: 2048,
        kSecPrivateKeyAttrs as String: [kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag],
    ]
    guard let privateKey = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
        throw error!.takeRetainedValue() as Error
    }
    let publicKey = SecKeyCopyPublicKey(privateKey)!
    guard let data = SecKeyCopyExternalRepresentation(publicKey, &error) as Data? else {
        throw error!.takeRetainedValue() as Error
    }
    let options: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
        kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
        kSecAttrKeySizeInBits as String: 2048,
    ]
    guard let imported = SecKeyCreateWithData(data as CFData, options as CFDictionary, &error) else {
        throw error!.takeRetainedValue() as Error
    }
    check(imported == publicKey && imported != privateKey, "a key as data")
    check(SecKeyGetBlockSize(imported) == 256, "its block")

    let algorithm: SecKeyAlgorithm = .rsaEncryptionOAEPSHA512AESGCM
    let plain = Data(repeating: 7, count: 1000)
    if SecKeyIsAlgorithmSupported(imported, .encrypt, algorithm) {
        check(SecKeyCreateEncryptedData(imported, algorithm, plain as CFData, &error) != nil, "what is supported works")
    } else {
        check(SecKeyCreateEncryptedData(imported, algorithm, plain as CFData, &error) == nil, "what is not says so")
        check(CFErrorGetCode(error!.takeRetainedValue()) != 0, "with an error")
        error = nil
    }
    let supported: SecKeyAlgorithm = .rsaEncryptionOAEPSHA256AESGCM
    let encrypted = SecKeyCreateEncryptedData(imported, supported, plain as CFData, &error)!
    check(SecKeyCreateDecryptedData(privateKey, supported, encrypted, &error)! as Data == plain, "RSA and AES")

    // An add by reference, a second one, and a deletion.
    let item: [String: Any] = [kSecValueRef as String: imported, kSecAttrApplicationTag as String: tag]
    check(SecItemAdd(item as CFDictionary, nil) == errSecSuccess, "add a public key")
    check(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem, "add it again")
    let all: [String: Any] = [
        kSecClass as String: kSecClassKey,
        kSecAttrApplicationTag as String: tag,
        kSecMatchLimit as String: kSecMatchLimitAll,
        kSecReturnAttributes as String: true,
        kSecReturnRef as String: true,
    ]
    var found: CFTypeRef?
    check(SecItemCopyMatching(all as CFDictionary, &found) == errSecSuccess, "find both halves")
    let halves = found as! [[String: Any]]
    check(halves.count == 2, "both halves")
    let labels = Set(halves.map { $0[kSecAttrApplicationLabel as String] as! Data })
    check(labels.count == 1 && labels.first!.count == 20, "the hash of the public key is the label of both")
    check(SecItemDelete([kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary) == errSecSuccess, "go")

    // An earlier way.
    var oldPublic: SecKey?
    var oldPrivate: SecKey?
    let parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeEC,
        kSecAttrKeySizeInBits as String: 384,
    ]
    check(SecKeyGeneratePair(parameters as CFDictionary, &oldPublic, &oldPrivate) == errSecSuccess, "a pair")
    let shared = [SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32]
    let one = SecKeyCopyKeyExchangeResult(
        oldPrivate!,
        .ecdhKeyExchangeStandardX963SHA256,
        oldPublic!,
        shared as CFDictionary,
        &error
    )
    check((one as Data?)?.count == 32, "a key exchange")
}

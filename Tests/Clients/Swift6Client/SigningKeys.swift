// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

internal import Foundation
internal import LocalAuthentication
internal import Security

/// Keys by name, made when they are first needed.
actor SigningKeys {
    struct Failure: Error {
        let code: Int
    }

    private var cache: [String: SecKey] = [:]

    func publicKey(_ name: String) throws -> Data {
        guard let key = SecKeyCopyPublicKey(try key(name)), let data = SecKeyCopyExternalRepresentation(key, nil) else {
            throw Failure(code: Int(errSecInternalError))
        }
        return data as Data
    }

    func sign(_ message: Data, with name: String) throws -> Data {
        var error: Unmanaged<CFError>?
        let key = try key(name)
        guard let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message as CFData, &error)
        else {
            throw Failure(code: error.map { CFErrorGetCode($0.takeRetainedValue()) } ?? 0)
        }
        return signature as Data
    }

    func forget() {
        cache = [:]
    }

    private func key(_ name: String) throws -> SecKey {
        if let key = cache[name] { return key }
        let tag = Data(name.utf8)
        var result: CFTypeRef?
        let status = SecItemCopyMatching(
            [
                kSecClass: kSecClassKey, kSecAttrApplicationTag: tag, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecReturnRef: true,
            ] as CFDictionary,
            &result
        )
        let key: SecKey
        switch status {
        case errSecSuccess: key = result as! SecKey
        case errSecItemNotFound: key = try make(tag)
        default: throw Failure(code: Int(status))
        }
        cache[name] = key
        return key
    }

    private func make(_ tag: Data) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let access = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            [.privateKeyUsage],
            nil
        )!
        let parameters: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true,
                kSecAttrApplicationTag: tag,
                kSecAttrAccessControl: access,
            ] as [CFString: Any],
        ]
        guard let key = SecKeyCreateRandomKey(parameters, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        return key
    }
}

extension Client {
    static func keys(_ checks: Checks) async throws {
        let keys = SigningKeys()
        let publicKey = try await keys.publicKey("com.example.signing")
        await keys.forget()
        await checks.check(try await keys.publicKey("com.example.signing") == publicKey, "the same key")
        let message = Data("a message".utf8)
        let key = SecKeyCreateWithData(
            publicKey as CFData,
            [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic]
                as CFDictionary,
            nil
        )!
        let right = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<10 { group.addTask { try await keys.sign(message, with: "com.example.signing") } }
            return try await group.reduce(into: 0) { count, signature in
                let isRight = SecKeyVerifySignature(
                    key,
                    .ecdsaSignatureMessageX962SHA256,
                    message as CFData,
                    signature as CFData,
                    nil
                )
                count += isRight ? 1 : 0
            }
        }
        await checks.check(right == 10, "signatures in many tasks")
        let tag = Data("com.example.signing".utf8)
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
        await checks.check(SecItemDelete(query as CFDictionary) == errSecSuccess, "delete a key")
    }
}

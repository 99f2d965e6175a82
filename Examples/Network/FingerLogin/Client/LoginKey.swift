import Foundation
import LocalAuthentication
import Security

/// The person's key for one server and one name there, in the Secure Enclave.
struct LoginKey: Sendable {
    /// What the person proves whenever the key signs.
    enum Demand: String, Sendable {
        case fingerOrPasscode, fingerOnly, passcodeOnly

        var flags: SecAccessControlCreateFlags {
            switch self {
            case .fingerOrPasscode: [.privateKeyUsage, .biometryAny, .or, .devicePasscode]
            case .fingerOnly: [.privateKeyUsage, .biometryAny]
            case .passcodeOnly: [.privateKeyUsage, .devicePasscode]
            }
        }
    }

    private let key: SecKey

    private static func tag(_ origin: Origin, _ user: UserName) -> Data {
        Data("org.example.finger-login \(user) \(origin)".utf8)
    }

    private static func query(_ origin: Origin, _ user: UserName) -> [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrApplicationTag: tag(origin, user),
        ]
    }

    /// Makes a key and keeps it.
    static func make(for origin: Origin, _ user: UserName, demanding demand: Demand) throws -> LoginKey {
        if try find(for: origin, user) != nil { throw Failure("there is a key for \(user) at \(origin) already") }
        var error: Unmanaged<CFError>?
        let protection = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        guard let control = SecAccessControlCreateWithFlags(nil, protection, demand.flags, &error) else {
            throw Failure("no such demand can be made", error)
        }
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag(origin, user), kSecAttrAccessControl: control,
                kSecAttrLabel: "\(user) at \(origin)",
            ] as [CFString: Any],
        ]
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw Failure("no key can be made", error)
        }
        return LoginKey(key: key)
    }

    /// - Parameter context: where the person proves what the key demands.
    /// - Returns: nil where there is none, which is no error.
    static func find(for origin: Origin, _ user: UserName, in context: LAContext? = nil) throws -> LoginKey? {
        var query = query(origin, user)
        query[kSecReturnRef] = true
        if let context { query[kSecUseAuthenticationContext] = context }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let key = result as? SecKey else {
            throw Failure("no key can be looked for", status)
        }
        return LoginKey(key: key)
    }

    /// - Returns: whether there was one.
    static func delete(for origin: Origin, _ user: UserName) throws -> Bool {
        let status = SecItemDelete(query(origin, user) as CFDictionary)
        if status == errSecItemNotFound { return false }
        guard status == errSecSuccess else { throw Failure("the key cannot be deleted", status) }
        return true
    }

    /// 04, X, Y.
    func publicKey() throws -> Data {
        var error: Unmanaged<CFError>?
        guard let publicKey = SecKeyCopyPublicKey(key),
            let point = SecKeyCopyExternalRepresentation(publicKey, &error) as Data?
        else { throw Failure("the key has no public half", error) }
        return point
    }

    /// Asks the person and signs, on a thread of its own: people take their time.
    func sign(_ statement: LoginStatement) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                var error: Unmanaged<CFError>?
                let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageRFC4754SHA256
                let signature = SecKeyCreateSignature(key, algorithm, statement.bytes as CFData, &error)
                if let signature = signature as Data? {
                    continuation.resume(returning: signature)
                } else {
                    continuation.resume(throwing: Failure("the key did not sign", error))
                }
            }
        }
    }
}

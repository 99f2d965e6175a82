import Foundation
import Security

/// Where a stored right is in the keychain: a password with the secret, and a key of the Secure Enclave, under one
/// demand.
/// The password's attributes name the key.
struct RightRecord: Sendable {
    /// The service of the passwords, and the label of the keys.
    private static let service = "LARight"

    let identifier: String
    /// The digest of the public key, by which the keychain finds the key.
    let keyLabel: Data

    // MARK: Making and finding

    /// Stores a right.
    ///
    /// - Throws: `errSecDuplicateItem` if there is one with this identifier.
    static func make(_ identifier: String, _ requirement: LAAuthenticationRequirement, secret: Data?) throws -> Self {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrLabel: service, kSecAttrApplicationTag: Data(identifier.utf8),
                kSecAttrAccessControl: try requirement.accessControl(adding: .privateKeyUsage),
            ] as [CFString: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw unsafe RightError.reported(error)
        }
        guard let label = (SecKeyCopyAttributes(key) as NSDictionary?)?[kSecAttrApplicationLabel] as? Data else {
            throw RightError.of(errSecInternalError)
        }
        let record = RightRecord(identifier: identifier, keyLabel: label)
        var item = record.passwordQuery
        item[kSecAttrGeneric] = label
        item[kSecAttrAccessControl] = try requirement.accessControl()
        // Whether there is a secret is behind the demand too.
        item[kSecValueData] = Data([secret == nil ? 0 : 1]) + (secret ?? Data())
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else {
            _ = SecItemDelete(record.keyQuery as CFDictionary)
            throw RightError.of(status)
        }
        return record
    }

    /// - Throws: `errSecItemNotFound` if there is no right with this identifier.
    static func find(_ identifier: String) throws -> Self {
        let record = RightRecord(identifier: identifier, keyLabel: Data())
        guard let label = try record.attributes()[kSecAttrGeneric as String] as? Data else {
            throw RightError.of(errSecItemNotFound)
        }
        return RightRecord(identifier: identifier, keyLabel: label)
    }

    private var passwordQuery: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: Self.service, kSecAttrAccount: identifier]
    }

    private var keyQuery: [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrApplicationLabel: keyLabel,
            kSecAttrLabel: Self.service,
        ]
    }

    private static func copy(_ query: [CFString: Any], _ more: [CFString: Any]) throws -> AnyObject? {
        var result: AnyObject?
        let query = query.merging(more) { $1 } as CFDictionary
        let status = unsafe SecItemCopyMatching(query, &result)
        guard status == errSecSuccess else { throw RightError.of(status) }
        return result
    }

    private func attributes() throws -> [String: Any] {
        try Self.copy(passwordQuery, [kSecReturnAttributes: true]) as? [String: Any] ?? [:]
    }

    // MARK: What it guards

    /// What the enclave demands for it: what the item has, whoever asks.
    func accessControl() throws -> SecAccessControl {
        guard let control = try attributes()[kSecAttrAccessControl as String] as? SecAccessControl else {
            throw RightError.of(errSecItemNotFound)
        }
        return control
    }

    /// The secret; nil if there is none. The enclave gives it for a proof in the context.
    func value(in context: LAContext) throws -> Data? {
        let more: [CFString: Any] = [kSecReturnData: true, kSecUseAuthenticationContext: context]
        guard let value = try Self.copy(passwordQuery, more) as? Data, let first = value.first else {
            throw RightError.of(errSecDecode)
        }
        return first == 1 ? Data(value.dropFirst()) : nil
    }

    /// The key, which the enclave uses for a proof in the context.
    func key(in context: LAContext) throws -> SecKey {
        let more: [CFString: Any] = [kSecReturnRef: true, kSecUseAuthenticationContext: context]
        guard let key = try Self.copy(keyQuery, more) as? SecKey else { throw RightError.of(errSecItemNotFound) }
        return key
    }

    // MARK: Removing

    /// Removes the right with its key and its secret.
    func remove() throws {
        let status = SecItemDelete(passwordQuery as CFDictionary)
        guard status == errSecSuccess else { throw RightError.of(status) }
        _ = SecItemDelete(keyQuery as CFDictionary)
    }

    /// Removes all rights of this program; it is no error if there are none.
    static func removeAll() throws {
        for query: [CFString: Any] in [
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service],
            [kSecClass: kSecClassKey, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrLabel: service],
        ] {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw RightError.of(status) }
        }
    }
}

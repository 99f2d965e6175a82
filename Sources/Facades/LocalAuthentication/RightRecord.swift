import Foundation
import Security

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// Where a stored right is in the keychain: a password with the secret, and a key of the Secure Enclave, under one
/// demand. The password's attributes name the key.
///
/// Both are in the program's own access group and are looked for nowhere else, since programs that share a group can
/// store anything there. Marks tell them from what the program itself keeps in that group.
struct RightRecord: Sendable {
    /// The service of the passwords, and the label of the keys.
    private static let service = "chatelaine.LARight"
    /// Every right's password has these numbers; the second is the version of the form.
    private static var marks: [CFString: Any] {
        [kSecAttrCreator: 0x4C41_5274 as UInt32, kSecAttrType: 1 as UInt32]
    }
    /// Stands before the identifier in the application tag of every right's key.
    private static let tag = "chatelaine.LARight 1 "

    let identifier: String
    /// The program's own.
    private let group: String
    /// The digest of the public key, by which the keychain finds the key.
    private let keyLabel: Data

    private static func ownGroup() throws -> String {
        do throws(KeychainError) {
            return try CurrentKeychain.presence().ownGroup()
        } catch {
            throw RightError.of(error)
        }
    }

    // MARK: Making and finding

    /// Stores a right.
    ///
    /// - Throws: `errSecDuplicateItem` if there is one with this identifier.
    static func make(_ identifier: String, _ requirement: LAAuthenticationRequirement, secret: Data?) throws -> Self {
        let group = try ownGroup()
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrLabel: service,
                kSecAttrApplicationTag: Data((tag + identifier).utf8),
                kSecAttrAccessGroup: group,
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
        let record = RightRecord(identifier: identifier, group: group, keyLabel: label)
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
        let record = RightRecord(identifier: identifier, group: try ownGroup(), keyLabel: Data())
        let attributes = try record.attributes()
        // What demands nobody is no right, whatever its marks say.
        guard let label = attributes[kSecAttrGeneric as String] as? Data,
            try Self.accessControl(in: attributes).presenceDemand.needsPerson
        else { throw RightError.of(errSecItemNotFound) }
        return RightRecord(identifier: identifier, group: record.group, keyLabel: label)
    }

    private static func passwords(in group: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: group, kSecAttrService: service]
            .merging(marks) { $1 }
    }

    private static func keys(in group: String) -> [CFString: Any] {
        [
            kSecClass: kSecClassKey, kSecAttrAccessGroup: group, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrLabel: service,
        ]
    }

    private var passwordQuery: [CFString: Any] {
        Self.passwords(in: group).merging([kSecAttrAccount: identifier]) { $1 }
    }

    private var keyQuery: [CFString: Any] {
        Self.keys(in: group).merging([
            kSecAttrApplicationLabel: keyLabel, kSecAttrApplicationTag: Data((Self.tag + identifier).utf8),
        ]) { $1 }
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
    func accessControl() throws -> SecAccessControl { try Self.accessControl(in: attributes()) }

    private static func accessControl(in attributes: [String: Any]) throws -> SecAccessControl {
        guard let control = attributes[kSecAttrAccessControl as String] as? SecAccessControl else {
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
        let group = try ownGroup()
        try delete(passwords(in: group))
        for tag in try tagsOfKeys(in: group) {
            try delete(keys(in: group).merging([kSecAttrApplicationTag: tag]) { $1 })
        }
    }

    /// The application tags of all rights' keys, also of one whose password was never stored.
    private static func tagsOfKeys(in group: String) throws -> [Data] {
        let more: [CFString: Any] = [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]
        var result: AnyObject?
        let status = unsafe SecItemCopyMatching(keys(in: group).merging(more) { $1 } as CFDictionary, &result)
        guard status != errSecItemNotFound else { return [] }
        guard status == errSecSuccess, let keys = result as? [[String: Any]] else { throw RightError.of(status) }
        return keys.compactMap { $0[kSecAttrApplicationTag as String] as? Data }
            .filter { $0.starts(with: tag.utf8) }
    }

    private static func delete(_ query: [CFString: Any]) throws {
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw RightError.of(status) }
    }
}

import Foundation

private let SecMatchLimit: String! = kSecMatchLimit as String
private let SecReturnData: String! = kSecReturnData as String
private let SecReturnPersistentRef: String! = kSecReturnPersistentRef as String
private let SecValueData: String! = kSecValueData as String
private let SecAttrAccessible: String! = kSecAttrAccessible as String
private let SecClass: String! = kSecClass as String
private let SecAttrService: String! = kSecAttrService as String
private let SecAttrGeneric: String! = kSecAttrGeneric as String
private let SecAttrAccount: String! = kSecAttrAccount as String
private let SecAttrAccessGroup: String! = kSecAttrAccessGroup as String
private let SecReturnAttributes: String = kSecReturnAttributes as String
private let SecAttrSynchronizable: String = kSecAttrSynchronizable as String

/// Values by key, as `UserDefaults` has them. Calls say whether they have done what they were asked.
open class KeychainDefaults {
    public static let standard = KeychainDefaults()

    public private(set) var serviceName: String
    public private(set) var accessGroup: String?
    /// What the last call came to.
    open private(set) var lastResultCode: OSStatus = noErr
    /// For what is set from now on.
    open var synchronizable = false

    private static let defaultServiceName = Bundle.main.bundleIdentifier ?? "DefaultsKeychain"

    private convenience init() { self.init(serviceName: Self.defaultServiceName) }

    public init(serviceName: String, accessGroup: String? = nil) {
        self.serviceName = serviceName
        self.accessGroup = accessGroup
    }

    // MARK: What is there

    open func hasValue(forKey key: String) -> Bool { data(forKey: key) != nil }

    open func accessibilityOfKey(_ key: String) -> ItemAccessibility? {
        var query = dictionary(key)
        query.removeValue(forKey: SecAttrAccessible)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnAttributes] = kCFBooleanTrue
        var result: AnyObject?
        lastResultCode = SecItemCopyMatching(query as CFDictionary, &result)
        guard lastResultCode == noErr, let found = result as? [String: AnyObject],
            let value = found[SecAttrAccessible] as? String
        else { return nil }
        return ItemAccessibility.of(value as CFString)
    }

    open func allKeys() -> Set<String> {
        var query = dictionary(nil)
        query[SecReturnAttributes] = kCFBooleanTrue
        query[SecMatchLimit] = kSecMatchLimitAll
        var result: AnyObject?
        lastResultCode = SecItemCopyMatching(query as CFDictionary, &result)
        guard lastResultCode == errSecSuccess, let found = result as? [[AnyHashable: Any]] else { return [] }
        var keys = Set<String>()
        for attributes in found {
            if let account = attributes[SecAttrAccount] as? Data, let key = String(data: account, encoding: .utf8) {
                keys.insert(key)
            } else if let account = attributes[kSecAttrAccount] as? Data,
                let key = String(data: account, encoding: .utf8)
            {
                keys.insert(key)
            }
        }
        return keys
    }

    // MARK: Reading

    open func string(forKey key: String) -> String? { data(forKey: key).flatMap { String(data: $0, encoding: .utf8) } }
    open func integer(forKey key: String) -> Int? { number(forKey: key)?.intValue }
    open func double(forKey key: String) -> Double? { number(forKey: key)?.doubleValue }
    open func bool(forKey key: String) -> Bool? { number(forKey: key)?.boolValue }

    private func number(forKey key: String) -> NSNumber? {
        data(forKey: key).flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSNumber.self, from: $0) }
    }

    open func data(forKey key: String) -> Data? {
        var query = dictionary(key)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnData] = kCFBooleanTrue
        var result: AnyObject?
        lastResultCode = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        return lastResultCode == noErr ? result as? Data : nil
    }

    open func dataRef(forKey key: String) -> Data? {
        var query = dictionary(key)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnPersistentRef] = kCFBooleanTrue
        var result: AnyObject?
        lastResultCode = SecItemCopyMatching(query as CFDictionary, &result)
        return lastResultCode == noErr ? result as? Data : nil
    }

    // MARK: Writing

    @discardableResult
    open func set(_ value: String, forKey key: String, withAccessibility access: ItemAccessibility? = nil) -> Bool {
        set(Data(value.utf8), forKey: key, withAccessibility: access)
    }

    @discardableResult
    open func set(_ value: NSNumber, forKey key: String, withAccessibility access: ItemAccessibility? = nil) -> Bool {
        guard let data = try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true) else {
            return false
        }
        return set(data, forKey: key, withAccessibility: access)
    }

    @discardableResult
    open func set(_ value: Data, forKey key: String, withAccessibility access: ItemAccessibility? = nil) -> Bool {
        var attributes = dictionary(key)
        attributes[SecValueData] = value
        attributes[SecAttrSynchronizable] = synchronizable ? kCFBooleanTrue : kCFBooleanFalse
        attributes[SecAttrAccessible] = (access ?? .whenUnlocked).attribute
        lastResultCode = SecItemAdd(attributes as CFDictionary, nil)
        guard lastResultCode == errSecDuplicateItem else { return lastResultCode == errSecSuccess }
        var changes: [String: Any] = [SecValueData: value]
        if let access { changes[SecAttrAccessible] = access.attribute }
        lastResultCode = SecItemUpdate(dictionary(key) as CFDictionary, changes as CFDictionary)
        return lastResultCode == errSecSuccess
    }

    // MARK: Removing

    @discardableResult
    open func removeObject(forKey key: String) -> Bool {
        lastResultCode = SecItemDelete(dictionary(key) as CFDictionary)
        return lastResultCode == errSecSuccess
    }

    /// Removes what this service has.
    @discardableResult
    open func removeAllKeys() -> Bool {
        var query = dictionary(nil)
        #if os(macOS) || targetEnvironment(macCatalyst)
        query[SecMatchLimit] = kSecMatchLimitAll
        #endif
        query[SecAttrSynchronizable] = kSecAttrSynchronizableAny
        lastResultCode = SecItemDelete(query as CFDictionary)
        return lastResultCode == errSecSuccess
    }

    /// Removes everything of every class, whoever has set it.
    open class func wipeKeychain() {
        for itemClass in [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity,
        ] {
            let query = [SecClass: itemClass, SecAttrSynchronizable: kSecAttrSynchronizableAny] as [String: Any]
            SecItemDelete(query as CFDictionary)
        }
    }

    private func dictionary(_ key: String?) -> [String: Any] {
        var query: [String: Any] = [
            SecClass: kSecClassGenericPassword, SecAttrService: serviceName,
            SecAttrSynchronizable: kSecAttrSynchronizableAny,
        ]
        if let accessGroup { query[SecAttrAccessGroup] = accessGroup }
        if let key {
            // Some wrappers of this kind keep the key as data.
            let encoded: Data? = key.data(using: .utf8)
            query[SecAttrGeneric] = encoded
            query[SecAttrAccount] = encoded
        }
        return query
    }
}

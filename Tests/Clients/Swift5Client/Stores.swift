// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// Something that becomes data and back.
protocol KeychainConvertible {
    init?(keychainData: Data)
    var keychainData: Data { get }
}

extension String: KeychainConvertible {
    init?(keychainData: Data) { self.init(data: keychainData, encoding: .utf8) }
    var keychainData: Data { return data(using: .utf8)! }
}

extension Bool: KeychainConvertible {
    init?(keychainData: Data) {
        guard let byte = keychainData.first else { return nil }
        self = byte == 1
    }
    var keychainData: Data { return Data([self ? 1 : 0]) }
}

/// Builds the queries of a keychain from options, and keeps the status of the last call.
struct ItemQuery {
    struct Options: OptionSet {
        let rawValue: Int
        static let attributes = Options(rawValue: 1 << 0)
        static let data = Options(rawValue: 1 << 1)
        static let persistentReference = Options(rawValue: 1 << 2)
        static let all = Options(rawValue: 1 << 3)
        static let synchronizable = Options(rawValue: 1 << 4)
    }

    enum Accessibility: RawRepresentable, CaseIterable {
        case whenUnlocked, afterFirstUnlock, whenUnlockedThisDeviceOnly

        init?(rawValue: CFString) {
            guard let match = Accessibility.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = match
        }

        var rawValue: CFString {
            switch self {
            case .whenUnlocked: return kSecAttrAccessibleWhenUnlocked
            case .afterFirstUnlock: return kSecAttrAccessibleAfterFirstUnlock
            case .whenUnlockedThisDeviceOnly: return kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            }
        }
    }

    var service: String
    var account: String?
    var accessibility: Accessibility?
    var options: Options = []

    func dictionary(adding more: [String: Any] = [:]) -> CFDictionary {
        let query = NSMutableDictionary(dictionary: [kSecClass as String: kSecClassGenericPassword])
        query.setObject(service, forKey: kSecAttrService as NSString)
        query.setValue(account, forKey: kSecAttrAccount as String)
        query.setValue(accessibility?.rawValue, forKey: kSecAttrAccessible as String)
        if options.contains(.attributes) { query[kSecReturnAttributes as String] = kCFBooleanTrue }
        if options.contains(.data) { query[kSecReturnData as String] = kCFBooleanTrue }
        if options.contains(.persistentReference) { query[kSecReturnPersistentRef] = true }
        if options.contains(.all) { query[kSecMatchLimit] = kSecMatchLimitAll }
        query[kSecAttrSynchronizable] = options.contains(.synchronizable) ? kCFBooleanTrue : kSecAttrSynchronizableAny
        for (key, value) in more { query[key] = value }
        return query
    }
}

/// A value that lives in the keychain, as a property.
@propertyWrapper
struct KeychainStored<Value: KeychainConvertible> {
    let account: String
    let defaultValue: Value
    let service = "com.example.properties"

    init(wrappedValue: Value, _ account: String) {
        self.account = account
        defaultValue = wrappedValue
    }

    var wrappedValue: Value {
        get {
            var item: AnyObject?
            let query = ItemQuery(service: service, account: account, options: .data)
            guard SecItemCopyMatching(query.dictionary(), &item) == noErr, let data = item as? Data else {
                return defaultValue
            }
            return Value(keychainData: data) ?? defaultValue
        }
        nonmutating set {
            let query = ItemQuery(service: service, account: account).dictionary()
            let status = SecItemUpdate(query, [kSecValueData: newValue.keychainData] as CFDictionary)
            guard status == errSecItemNotFound else { return }
            let new = ItemQuery(service: service, account: account, accessibility: .afterFirstUnlock)
            SecItemAdd(
                new.dictionary(adding: [
                    kSecValueData as String: newValue.keychainData, kSecAttrSynchronizable as String: false,
                ]),
                nil
            )
        }
    }

    var projectedValue: [String: Any]? {
        var item: AnyObject?
        let query = ItemQuery(service: service, account: account, options: [.attributes, .data])
        guard SecItemCopyMatching(query.dictionary(), &item) == noErr else { return nil }
        return item as? [String: Any]
    }
}

struct Settings {
    @KeychainStored("token") var token: String = ""
    @KeychainStored("remember") var remembers: Bool = false
}

func checkStores() {
    let settings = Settings()
    check(settings.token == "" && settings.$token == nil, "a property with its default")
    settings.token = "abc"
    settings.remembers = true
    check(settings.token == "abc" && settings.remembers, "properties that are stored")
    settings.token = "déjà vu"
    check(Settings().token == "déjà vu", "a property in another value")
    let attributes = settings.$token
    check(attributes?[kSecAttrSynchronizable as String] as? Bool == false, "a Boolean as a Bool")
    check(attributes?[kSecAttrSynchronizable as String] as? Int == 0, "a Boolean as an Int")
    check(attributes?[kSecAttrCreationDate as String] as? Date != nil, "a date")
    check(
        ItemQuery.Accessibility(rawValue: attributes?[kSecAttrAccessible as String] as! CFString) == .afterFirstUnlock,
        "an accessibility"
    )
    var items: AnyObject?
    let all = ItemQuery(service: "com.example.properties", options: [.all, .attributes, .persistentReference])
    check(SecItemCopyMatching(all.dictionary(), &items) == errSecSuccess, "a list")
    let list = items as? [[String: Any]]
    check(list?.count == 2, "as many as there are")
    check(list?.allSatisfy { $0[kSecValuePersistentRef as String] is Data } == true, "persistent references")
    let byPointer = (items as! CFArray)
    for index in 0..<CFArrayGetCount(byPointer) {
        let dictionary = unsafeBitCast(CFArrayGetValueAtIndex(byPointer, index), to: CFDictionary.self)
        let key = Unmanaged.passUnretained(kSecAttrAccount).toOpaque()
        let value = CFDictionaryGetValue(dictionary, key)
        check(
            value != nil && CFGetTypeID(unsafeBitCast(value, to: CFTypeRef.self)) == CFStringGetTypeID(),
            "by pointer"
        )
    }
    check(SecItemDelete(ItemQuery(service: "com.example.properties").dictionary()) == errSecSuccess, "delete them")
    check(settings.token == "" && !settings.remembers, "properties that are gone")
}

import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// An item as JSON. The keys are documented and stay as they are; new ones may come.
enum ItemJSON {
    static func value(of item: KeychainItem) -> JSONText {
        .object(members(of: item))
    }

    /// The item with its secret, which is null if it has none.
    static func value(of item: KeychainItem, password: Data?) -> JSONText {
        .object(members(of: item) + [("password", password.map { text($0) } ?? .null)])
    }

    private static func members(of item: KeychainItem) -> [(key: String, value: JSONText)] {
        var members: [(key: String, value: JSONText)] = [
            ("class", .string(item.itemClass.longName)),
            ("group", .string(item.group)),
        ]
        func always(_ name: String, _ key: CFString) {
            members.append((name, item.attributes[key as String].map { text($0) } ?? .string("")))
        }
        func ifSet(_ name: String, _ key: CFString, _ convert: (Any) -> JSONText? = { text($0) }) {
            guard let value = item.attributes[key as String], (value as? String)?.isEmpty != true,
                let json = convert(value)
            else { return }
            members.append((name, json))
        }
        switch item.itemClass {
        case .genericPassword:
            always("service", kSecAttrService)
            always("account", kSecAttrAccount)
        case .internetPassword:
            always("server", kSecAttrServer)
            always("account", kSecAttrAccount)
        case .certificate, .key, .identity: break
        }
        always("label", kSecAttrLabel)
        members.append(("created", date(item.date(kSecAttrCreationDate))))
        members.append(("modified", date(item.date(kSecAttrModificationDate))))
        members.append(("synchronizable", .bool((item.attributes["sync"] as? NSNumber)?.boolValue ?? false)))
        ifSet("accessible", kSecAttrAccessible) { ($0 as? String).flatMap(Accessibility.init).map { .string($0.name) } }
        ifSet("comment", kSecAttrComment)
        ifSet("kind", kSecAttrDescription)
        ifSet("creator", kSecAttrCreator, code)
        ifSet("type", kSecAttrType, code)
        switch item.itemClass {
        case .genericPassword:
            ifSet("generic", kSecAttrGeneric)
        case .internetPassword:
            ifSet("protocol", kSecAttrProtocol, code)
            ifSet("port", kSecAttrPort) { ($0 as? NSNumber)?.intValue == 0 ? nil : text($0) }
            ifSet("path", kSecAttrPath)
            ifSet("authenticationType", kSecAttrAuthenticationType)
            ifSet("securityDomain", kSecAttrSecurityDomain)
        case .certificate, .key, .identity: break
        }
        return members
    }

    /// Text, or `{"base64": …}` for bytes that are not UTF-8.
    private static func text(_ value: Any) -> JSONText {
        switch value {
        case let string as String: return .string(string)
        case let number as NSNumber: return .number(number.int64Value)
        case let data as Data:
            if let string = String(validating: data, as: UTF8.self) { return .string(string) }
            return .object([("base64", .string(data.base64EncodedString()))])
        default: return .null
        }
    }

    /// A four-character code as its characters, and nothing for zero.
    private static func code(_ value: Any) -> JSONText? {
        guard let number = value as? NSNumber else { return text(value) }
        guard number.int64Value != 0 else { return nil }
        let code = FourCharacterCode(number: UInt32(truncatingIfNeeded: number.int64Value))
        return code.text.map { .string($0) } ?? .number(number.int64Value)
    }

    private static func date(_ date: Date?) -> JSONText {
        date.map { .string($0.formatted(.iso8601)) } ?? .null
    }
}

extension ItemClass {
    var longName: String {
        switch self {
        case .genericPassword: "generic-password"
        case .internetPassword: "internet-password"
        case .certificate: "certificate"
        case .key: "key"
        case .identity: "identity"
        }
    }
}

extension Accessibility {
    /// The end of Apple's constant: `kSecAttrAccessible…`.
    var name: String {
        switch self {
        case .whenUnlocked: "WhenUnlocked"
        case .afterFirstUnlock: "AfterFirstUnlock"
        case .always: "Always"
        case .whenUnlockedThisDeviceOnly: "WhenUnlockedThisDeviceOnly"
        case .afterFirstUnlockThisDeviceOnly: "AfterFirstUnlockThisDeviceOnly"
        case .alwaysThisDeviceOnly: "AlwaysThisDeviceOnly"
        case .whenPasscodeSetThisDeviceOnly: "WhenPasscodeSetThisDeviceOnly"
        }
    }
}

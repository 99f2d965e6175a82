import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// An item of the keychain with its attributes, by Apple's four-letter names. Its secret is fetched when it is needed.
struct KeychainItem {
    let itemClass: ItemClass
    let attributes: [String: Any]
    /// The persistent reference.
    let reference: Data

    init?(_ itemClass: ItemClass, result: Any) {
        guard var attributes = result as? [String: Any],
            let reference = attributes.removeValue(forKey: kSecValuePersistentRef as String) as? Data
        else { return nil }
        self.itemClass = itemClass
        self.attributes = attributes
        self.reference = reference
    }

    /// An attribute's text; nil if it is not set, or not text.
    func text(_ key: CFString) -> String? {
        switch attributes[key as String] {
        case let string as String: string
        case let data as Data: String(validating: data, as: UTF8.self)
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    func date(_ key: CFString) -> Date? {
        attributes[key as String] as? Date
    }

    var group: String { text(kSecAttrAccessGroup) ?? "" }
    var created: Date { date(kSecAttrCreationDate) ?? .distantPast }

    /// What the item is for: a service, a server, or else its label.
    var name: String {
        let key =
            switch itemClass {
            case .genericPassword: kSecAttrService
            case .internetPassword: kSecAttrServer
            case .certificate, .key, .identity: kSecAttrLabel
            }
        return text(key) ?? attributes[key as String].map { AttributeText.quoted($0) } ?? ""
    }

    /// The secret; nil if the item has none.
    func password() throws(Failure) -> Data? {
        var result: CFTypeRef?
        let query: [CFString: Any] = [kSecValuePersistentRef: reference, kSecReturnData: true]
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { throw Failure(.copyContent, status) }
        return result as? Data
    }
}

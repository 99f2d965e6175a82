import Foundation
import Security
import Testing

/// Adds an item and returns the status.
@discardableResult
func add(_ attributes: [CFString: Any]) -> OSStatus {
    SecItemAdd(attributes as CFDictionary, nil)
}

/// Adds an item and returns the status with the result.
func addReturning(_ attributes: [CFString: Any]) -> (status: OSStatus, result: CFTypeRef?) {
    var result: CFTypeRef?
    let status = SecItemAdd(attributes as CFDictionary, &result)
    return (status, result)
}

/// Finds items and returns the status with the result.
func find(_ query: [CFString: Any]) -> (status: OSStatus, result: CFTypeRef?) {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    return (status, result)
}

@discardableResult
func update(_ query: [CFString: Any], _ changes: [CFString: Any]) -> OSStatus {
    SecItemUpdate(query as CFDictionary, changes as CFDictionary)
}

@discardableResult
func delete(_ query: [CFString: Any]) -> OSStatus {
    SecItemDelete(query as CFDictionary)
}

/// The attributes of the one item that a query finds, without its value.
func attributes(of query: [CFString: Any]) throws -> [String: Any] {
    let found = find(query.merging([kSecReturnAttributes: true]) { _, new in new })
    try #require(found.status == errSecSuccess)
    return try #require(found.result as? [String: Any])
}

/// The value of the one item that a query finds.
func value(of query: [CFString: Any]) throws -> Data {
    let found = find(query.merging([kSecReturnData: true]) { _, new in new })
    try #require(found.status == errSecSuccess)
    return try #require(found.result as? Data)
}

/// The attributes of all items that a query finds; none if it finds nothing.
func allAttributes(of query: [CFString: Any]) throws -> [[String: Any]] {
    let found = find(query.merging([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]) { _, new in new })
    if found.status == errSecItemNotFound { return [] }
    try #require(found.status == errSecSuccess)
    return try #require(found.result as? [[String: Any]])
}

/// The accounts of all items that a query finds, sorted: nothing promises their order.
func accounts(of query: [CFString: Any]) throws -> [String] {
    try allAttributes(of: query).compactMap { $0["acct"] as? String }.sorted()
}

/// The persistent reference of the one item that a query finds.
func reference(of query: [CFString: Any]) throws -> Data {
    let found = find(query.merging([kSecReturnPersistentRef: true]) { _, new in new })
    try #require(found.status == errSecSuccess)
    return try #require(found.result as? Data)
}

/// What a call leaves in a result that already holds an object.
func resultAfter(
    _ call: (UnsafeMutablePointer<CFTypeRef?>) -> OSStatus
) -> (status: OSStatus, isUntouched: Bool, result: CFTypeRef?) {
    let sentinel = NSObject()
    var result: CFTypeRef? = sentinel
    let status = call(&result)
    return (status, result === sentinel, result)
}

/// One of the four calls, for rules that hold for each of them.
enum Call: CaseIterable, CustomTestStringConvertible {
    case add
    case find
    case update
    case delete

    var testDescription: String { "\(self)" }

    func callAsFunction(_ dictionary: CFDictionary) -> OSStatus {
        switch self {
        case .add: SecItemAdd(dictionary, nil)
        case .find: SecItemCopyMatching(dictionary, nil)
        case .update: SecItemUpdate(dictionary, [kSecAttrLabel: "changed"] as CFDictionary)
        case .delete: SecItemDelete(dictionary)
        }
    }

    func callAsFunction(_ dictionary: [CFString: Any]) -> OSStatus {
        self(dictionary as CFDictionary)
    }
}

/// Whether a result is a number and not a truth value.
func isNumber(_ value: Any?) -> Bool {
    (value as? NSNumber).map { CFGetTypeID($0) == CFNumberGetTypeID() } ?? false
}

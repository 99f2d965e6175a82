import Foundation
import Security

/// What a program fills its user's keychain with.
enum Filling: String {
    case values
    case attributes
    case items
    case tombstones

    private static let mebibyte = 1 << 20
    /// Added and deleted together.
    private static let tombstonesAtOnce = 10

    private func item() -> [CFString: Any] {
        let name: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "filling"]
        var item = name.merging([kSecAttrAccount: UUID().uuidString]) { $1 }
        switch self {
        case .values: item[kSecValueData] = Self.bytes(Self.mebibyte)
        case .attributes: item[kSecAttrGeneric] = Self.bytes(Self.mebibyte)
        case .items: item[kSecValueData] = Data("x".utf8)
        case .tombstones: item[kSecAttrSynchronizable] = true
        }
        return item
    }

    private static func bytes(_ count: Int) -> Data {
        FileHandle(forReadingAtPath: "/dev/urandom")?.readData(ofLength: count) ?? Data(count: count)
    }

    /// Adds so many, or until it is refused.
    ///
    /// - Returns: how many were added, and the last status.
    func fill(_ most: Int) -> (count: Int, status: OSStatus) {
        for count in 0..<most {
            let status = SecItemAdd(item() as CFDictionary, nil)
            guard status == errSecSuccess else { return (count, status) }
            guard self == .tombstones, (count + 1) % Self.tombstonesAtOnce == 0 else { continue }
            let all: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: true]
            let deleted = SecItemDelete(all as CFDictionary)
            guard deleted == errSecSuccess else { return (count + 1, deleted) }
        }
        return (most, errSecSuccess)
    }

    private static var everything: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny]
    }

    /// How many items the program finds.
    static func count() -> Int {
        var result: CFTypeRef?
        let query = everything.merging([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return 0 }
        return (result as? [Any])?.count ?? 0
    }

    /// Deletes all items, and then all tombstones.
    static func empty() -> [OSStatus] {
        // As kSecUseTombstones and kSecAttrTombstone have it.
        let without: [String: Any] = ["u_Tomb": false]
        let items = everything.reduce(into: without) { $0[$1.key as String] = $1.value }
        let tombstones = items.merging(["tomb": true]) { $1 }
        return [items, tombstones].map { SecItemDelete($0 as CFDictionary) }
    }
}

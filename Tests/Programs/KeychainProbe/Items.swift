import Foundation
import Security

/// Writes a line to the output in one piece and without a buffer.
func print(line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// The four calls on generic passwords, as any program would make them.
enum Items {
    static func add(_ account: String, value: Data = Data("secret".utf8)) -> OSStatus {
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "probe", kSecAttrAccount: account,
            kSecValueData: value,
        ]
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    static func find(_ account: String) -> OSStatus {
        var result: CFTypeRef?
        return SecItemCopyMatching(findQuery(account), &result)
    }

    static func findQuery(_ account: String) -> CFDictionary {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "probe", kSecAttrAccount: account,
            kSecReturnData: true,
        ]
        return query as CFDictionary
    }

    static func update(_ account: String) -> OSStatus {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "probe", kSecAttrAccount: account,
        ]
        return SecItemUpdate(query as CFDictionary, [kSecValueData: Data("changed".utf8)] as CFDictionary)
    }

    static func delete(_ account: String) -> OSStatus {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "probe", kSecAttrAccount: account,
        ]
        return SecItemDelete(query as CFDictionary)
    }

    static func accounts() -> [String] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "probe", kSecReturnAttributes: true,
            kSecMatchLimit: kSecMatchLimitAll,
        ]
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let items = result as? [[String: Any]]
        else { return [] }
        return items.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    // MARK: - Commands

    /// Adds so many items and prints each status.
    static func add(prefix: String, count: Int, size: Int) {
        for index in 0..<count {
            print(line: "\(add("\(prefix)-\(index)", value: Data(repeating: 0x78, count: size)))")
        }
    }

    /// Adds items until it is killed, and prints each one that was acknowledged.
    static func addForever(prefix: String) {
        for index in 0... {
            let account = "\(prefix)-\(index)"
            let status = add(account)
            guard status == errSecSuccess else {
                print(line: "failed \(status)")
                exit(1)
            }
            print(line: account)
        }
    }

    /// Adds items until one is refused; prints the acknowledged ones and the refusal.
    static func fill(prefix: String, size: Int) {
        for index in 0..<100_000 {
            let account = "\(prefix)-\(index)"
            let status = add(account, value: Data(repeating: 0x78, count: size))
            guard status == errSecSuccess else {
                print(line: "refused \(status)")
                return
            }
            print(line: account)
        }
    }

    /// Finds an item again and again, and prints how long each took on average, in nanoseconds.
    static func findOften(_ account: String, count: Int) {
        let duration = ContinuousClock().measure {
            for _ in 0..<count where find(account) != errSecSuccess { print(line: "failed") }
        }
        let nanoseconds = duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
        print(line: "\(nanoseconds / Int64(max(count, 1)))")
    }

    /// Moves an item to and fro between two access groups.
    static func move(_ account: String, between groups: (String, String), seconds: Double) {
        let end = Date() + seconds
        var (from, to) = groups
        print(line: "moving")
        while Date() < end {
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrAccessGroup: from,
            ]
            let status = SecItemUpdate(query as CFDictionary, [kSecAttrAccessGroup: to] as CFDictionary)
            if status != errSecSuccess {
                print(line: "failed \(status)")
                return
            }
            swap(&from, &to)
        }
        print(line: "done")
    }
}

import Foundation
import KeychainSamples
import Security

/// A program that uses the keychain which its environment names: the other end of `Driver`.
enum Client {
    /// The number of the process: what it adds is its own, and it takes away what it added last.
    nonisolated(unsafe) private static var added = 0

    static func run() throws {
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count == 3, let items = Int(words[0]), let runs = Int(words[1]) else {
                throw Failure("not a command: \(line)")
            }
            let operation = try operation(String(words[2]), items: items)
            let clock = ContinuousClock()
            var times: [String] = []
            for run in 0..<runs {
                let call = operation(run)
                times.append(String(format: "%.1f", try clock.measure(call) / .microseconds(1)))
            }
            print(times.joined(separator: " "))
            fflush(nil)
        }
    }

    /// Makes ready a call, so that only the call itself is timed.
    private static func operation(_ name: String, items: Int) throws -> (Int) -> () throws -> Void {
        func existing() -> Int { Int.random(in: 0..<items) }
        func new(_ number: Int) -> String { "\(ProcessInfo.processInfo.processIdentifier)-\(number)" }
        switch name {
        case "first": return { _ in { try add("0") } }
        case "fill": return { run in { try add("\(run + 1)") } }
        case "get":
            return { _ in
                let query = query("\(existing())", [kSecReturnData: true])
                return {
                    var result: CFTypeRef?
                    try expect(SecItemCopyMatching(query, &result))
                    guard result is NSData else { throw Failure("a value has not come back") }
                }
            }
        case "search":
            return { _ in
                let query =
                    [
                        kSecClass: kSecClassGenericPassword, kSecAttrService: "service-\(existing())",
                        kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                    ] as NSDictionary
                return {
                    var result: CFTypeRef?
                    try expect(SecItemCopyMatching(query, &result))
                    guard (result as? NSArray)?.count == 1 else { throw Failure("an item has not come back") }
                }
            }
        case "list":
            return { _ in
                let query =
                    [
                        kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll,
                        kSecReturnAttributes: true,
                    ] as NSDictionary
                return {
                    var result: CFTypeRef?
                    try expect(SecItemCopyMatching(query, &result))
                    guard (result as? NSArray)?.count == items else { throw Failure("the list is not whole") }
                }
            }
        case "add":
            return { _ in
                added += 1
                let name = new(added)
                return { try add(name) }
            }
        case "update":
            return { run in
                let query = query("\(existing())")
                let change = [kSecValueData: Data("another secret \(run)".utf8)] as NSDictionary
                return { try expect(SecItemUpdate(query, change)) }
            }
        case "delete":
            return { _ in
                let query = query(new(added))
                added -= 1
                return { try expect(SecItemDelete(query)) }
            }
        default: throw Failure("not an operation: \(name)")
        }
    }

    private static func query(_ name: String, _ more: [CFString: Any] = [:]) -> NSDictionary {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service-\(name)", kSecAttrAccount: "account-\(name)",
        ]
        return query.merging(more) { $1 } as NSDictionary
    }

    private static func add(_ name: String) throws {
        let item = query(
            name,
            [kSecAttrLabel: "a password", kSecValueData: Data("secret-\(name)".utf8)]
        )
        try expect(SecItemAdd(item, nil))
    }

    private static func expect(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw Failure("a call returned \(status)") }
    }
}

import Foundation
import Security
import Synchronization

/// Makes calls in the keychain that `CHATELAINE_KEYCHAIN` names, or in one that a service in this process serves:
/// `call-count [--serve FOLDER] KIND:CALLS…`. It measures nothing itself: what counts its instructions is told where the calls of
/// a kind begin and end.
@main
struct CallCount {
    /// What can be called; `scripts/instructions.sh` names them too.
    enum Kind: String {
        /// Adds the items that the others look for, at once.
        case fill
        /// The value, by primary key.
        case find
        /// The value, by an attribute that has an index.
        case search
        /// A durable one.
        case add
        case update
        case delete
        /// The attributes of all items.
        case list
    }

    /// In the keychain that the calls are made in.
    private static let items = 100
    private static let valueSize = 32

    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        var service: CountedService?
        if arguments.first == "--serve", let folder = arguments.dropFirst().first {
            service = try CountedService(folder)
            arguments = arguments.dropFirst(2)
        }
        for argument in arguments {
            let words = argument.split(separator: ":")
            guard words.count == 2, let kind = Kind(rawValue: String(words[0])), let calls = Int(words[1]),
                0..<items ~= calls
            else { throw Failure("usage: call-count [--serve FOLDER] KIND:CALLS… (fewer than \(items) calls)") }
            // Neither what only a first call does nor the making of dictionaries is a part of what is counted.
            let all = (0...calls).map { Self.call(kind, $0) }
            try all[0]()
            callCountMark()
            for call in all.dropFirst() { try call() }
            callCountMark()
        }
        service?.stop()
    }

    /// A call with ready arguments.
    private static func call(_ kind: Kind, _ number: Int) -> () throws -> Void {
        switch kind {
        case .fill:
            let all = (0..<items).map(addition)
            return { for item in all { try check(SecItemAdd(item, nil)) } }
        case .find: return finding(query(number))
        case .search: return finding([kSecClass: kSecClassGenericPassword, kSecAttrLabel: "label \(number)"])
        case .add:
            let item = addition(items + number)
            return { try check(SecItemAdd(item, nil)) }
        case .update:
            let (query, changes) = (
                query(number) as NSDictionary, [kSecValueData: value(of: number + 1)] as NSDictionary
            )
            return { try check(SecItemUpdate(query, changes)) }
        case .delete:
            let query = query(number) as NSDictionary
            return { try check(SecItemDelete(query)) }
        case .list:
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            ]
            return matching(query) { ($0 as? NSArray)?.count == items }
        }
    }

    private static func addition(_ number: Int) -> NSDictionary {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "service \(number % 10)",
            kSecAttrAccount: "account \(number)",
            kSecAttrLabel: "label \(number)",
            kSecAttrDescription: "application password",
            kSecAttrComment: "counted",
            kSecAttrCreator: 1_667_785_076,
            kSecAttrType: 1_650_814_563,
            kSecValueData: value(of: number),
        ]
        return item as NSDictionary
    }

    private static func value(of number: Int) -> Data {
        let text = "value \(number)"
        return Data((text + String(repeating: ".", count: valueSize - text.utf8.count)).utf8)
    }

    private static func query(_ number: Int) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service \(number % 10)",
            kSecAttrAccount: "account \(number)",
        ]
    }

    private static func finding(_ query: [CFString: Any]) -> () throws -> Void {
        matching(query.merging([kSecReturnData: true]) { $1 }) { ($0 as? NSData)?.length == valueSize }
    }

    private static func matching(
        _ query: [CFString: Any],
        isExpected: @escaping (CFTypeRef?) -> Bool
    ) -> () throws -> Void {
        let query = query as NSDictionary
        return {
            var result: CFTypeRef?
            try check(SecItemCopyMatching(query, &result))
            guard isExpected(result) else { throw Failure("what has come back is not what was asked for") }
        }
    }

    private static func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw Failure("a call returned \(status)") }
    }
}

/// The number of marks, without which no call of an empty function would be left.
private let marks = Atomic<Int>(0)

/// What counts is told by its name.
@c(call_count_mark)
@inline(never)
public func callCountMark() { marks.add(1, ordering: .relaxed) }

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import Foundation
import Security

/// An embedded keychain of a number of items in a folder of its own.
///
/// Only one at a time is the process's keychain: `use()` says which.
public final class SampleKeychain {
    public var folder: URL { place.url }
    private let place: TemporaryFolder
    public private(set) var count: Int
    /// One ready query for each item that was there at the start, in a random order.
    private let queries: [NSDictionary]
    private let order: [Int]
    private var turn = 0

    private static let description = "application password"
    private static let comment = "made by a benchmark"
    /// The bytes of each value.
    public static let valueSize = 32

    /// Makes a keychain under `parent`.
    ///
    /// Its items are added in memory where there is a file system for that: what is measured later is not how long that
    /// takes, and a durable add waits for the disk.
    public init(count: Int, in parent: URL) throws {
        self.count = count
        place = try TemporaryFolder("keychain-\(count)", in: parent)
        let memory = URL(filePath: "/dev/shm")
        let nursery = FileManager.default.isWritableFile(atPath: memory.path) ? memory : parent
        let cradle = try TemporaryFolder("keychain", in: nursery)
        order = (0..<count).shuffled()
        queries = order.map { Self.query($0, returning: [kSecReturnData: true]) }
        Self.select(cradle.url)
        for number in 0..<count {
            try check(SecItemAdd(Self.item(number), nil), "SecItemAdd")
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: cradle.url.path) {
            try FileManager.default.copyItem(at: cradle.url.appending(path: name), to: folder.appending(path: name))
        }
        use()
        // A delete writes the journal back, and everything else with it.
        try newItems(1).forEach(Self.add)
        try deletions(ofLast: 1).forEach(Self.delete)
        forgetLast(1)
    }

    /// Makes this the keychain of the process.
    public func use() {
        Self.select(folder)
    }

    private static func select(_ folder: URL) {
        setenv("CHATELAINE_KEYCHAIN", "embedded:\(folder.path)", 1)
    }

    // MARK: - Items

    /// The attributes of an item as programs set them. With those that the keychain adds, a search returns 15.
    private static func item(_ number: Int) -> NSDictionary {
        [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "service \(number % 100)",
            kSecAttrAccount: "account \(number)",
            kSecAttrLabel: "label \(number)",
            kSecAttrDescription: description,
            kSecAttrComment: comment,
            kSecAttrCreator: 0x6368_6174,
            kSecAttrType: 0x6265_6E63,
            kSecValueData: Data(repeating: UInt8(truncatingIfNeeded: number), count: valueSize),
        ] as [CFString: Any] as NSDictionary
    }

    /// The bytes of an item's value and of the attributes that the program set, without the names of the attributes.
    public static func payload(of number: Int) -> Int {
        let text = ["service \(number % 100)", "account \(number)", "label \(number)", description, comment]
        return text.reduce(2 * 8 + valueSize) { $0 + $1.utf8.count }
    }

    private static func query(_ number: Int, returning more: [CFString: Any] = [:]) -> NSDictionary {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "service \(number % 100)",
            kSecAttrAccount: "account \(number)",
        ]
        return query.merging(more) { first, _ in first } as NSDictionary
    }

    // MARK: - Operations

    /// The queries of the next items, so that making them is not measured.
    public func nextQueries(_ count: Int) -> [NSDictionary] {
        (0..<count).map { _ in
            turn = (turn + 1) % queries.count
            return queries[turn]
        }
    }

    /// Finds one value by its primary key.
    public static func find(_ query: NSDictionary) throws {
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query, &result), "SecItemCopyMatching")
        guard (result as? NSData)?.length == valueSize else { throw Failure("a value has not come back") }
    }

    /// A ready query by label for the value of one item.
    public func nextLabelQuery() -> NSDictionary {
        turn = (turn + 1) % queries.count
        return [
            kSecClass: kSecClassGenericPassword, kSecAttrLabel: "label \(turn)", kSecReturnData: true,
        ] as [CFString: Any] as NSDictionary
    }

    /// Ready attributes of items that are not there yet.
    public func newItems(_ count: Int) -> [NSDictionary] {
        defer { self.count += count }
        return (0..<count).map { Self.item(self.count + $0) }
    }

    public static func add(_ item: NSDictionary) throws {
        try check(SecItemAdd(item, nil), "SecItemAdd")
    }

    /// Ready queries without the return key, which an update refuses.
    public func nextUpdateQueries(_ count: Int) -> [NSDictionary] {
        (0..<count).map { _ in
            turn = (turn + 1) % order.count
            return Self.query(order[turn])
        }
    }

    /// Replaces the value of one item.
    public static func update(_ query: NSDictionary, value: UInt8) throws {
        let changes: [CFString: Any] = [kSecValueData: Data(repeating: value, count: valueSize)]
        try check(SecItemUpdate(query, changes as NSDictionary), "SecItemUpdate")
    }

    /// A ready query for each of the items that were added last.
    public func deletions(ofLast number: Int) -> [NSDictionary] {
        (count - number..<count).map { Self.query($0) }
    }

    public static func delete(_ query: NSDictionary) throws {
        try check(SecItemDelete(query), "SecItemDelete")
    }

    /// Counts items no more that were deleted.
    public func forgetLast(_ number: Int) {
        count -= number
    }

    /// All attributes of all items.
    public func list() throws -> NSArray {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
        ]
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query as NSDictionary, &result), "SecItemCopyMatching")
        guard let items = result as? NSArray, items.count == count else { throw Failure("the list is not whole") }
        return items
    }

    // MARK: - Files

    /// The bytes of the folder's files.
    public func fileSizes() throws -> [String: Int] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let sizes = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            return (name, (attributes[.size] as? NSNumber)?.intValue ?? 0)
        }
        return Dictionary(uniqueKeysWithValues: sizes)
    }
}

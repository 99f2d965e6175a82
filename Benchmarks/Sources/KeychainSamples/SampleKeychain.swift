import Foundation
import Security

/// An embedded keychain of a number of items in a folder of its own.
///
/// Only one at a time is the process's keychain: `use()` says which.
public final class SampleKeychain {
    public let folder: URL
    /// Nil for a keychain that is kept.
    private let place: TemporaryFolder?
    public private(set) var count: Int
    /// One ready query for each item that was there at the start, or for some of very many, in a random order.
    private let queries: [NSDictionary]
    private let order: [Int]
    private var turn = 0

    /// The bytes of each value.
    public static let valueSize = 32
    private static let mostQueries = 20_000

    /// Makes a keychain under `parent`.
    ///
    /// Its items are added in memory where there is a file system for that: what is measured later is not how long that
    /// takes, and a durable add waits for the disk.
    public convenience init(count: Int, in parent: URL) throws {
        let place = try TemporaryFolder("keychain-\(count)", in: parent)
        let cradle = try TemporaryFolder("keychain", in: TemporaryFolder.nursery(or: parent))
        Self.select(cradle.url)
        for number in 0..<count { try Self.add(Self.item(number)) }
        try cradle.copyContents(to: place.url)
        self.init(count: count, at: place.url, place)
        // A delete writes the journal back, and everything else with it.
        try newItems(1).forEach(Self.add)
        try deletions(ofLast: 1).forEach(Self.delete)
        forgetLast(1)
    }

    /// The keychain in a folder that has one, of so many items.
    init(count: Int, at folder: URL, _ place: TemporaryFolder?) {
        self.count = count
        self.folder = folder
        self.place = place
        order = Self.choice(of: count)
        queries = order.map { Self.query($0, returning: [kSecReturnData: true]) }
        use()
    }

    private static func choice(of count: Int) -> [Int] {
        if count <= mostQueries { return (0..<count).shuffled() }
        return (0..<mostQueries).map { _ in Int.random(in: 0..<count) }
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
    static func attributes(of number: Int) -> [(key: CFString, value: String)] {
        [
            (kSecAttrService, "service \(number % 100)"),
            (kSecAttrAccount, "account \(number)"),
            (kSecAttrLabel, "label \(number)"),
            (kSecAttrDescription, "application password"),
            (kSecAttrComment, "made by a benchmark"),
            // A keychain takes a number in text for the number.
            (kSecAttrCreator, "1667785076"),
            (kSecAttrType, "1650814563"),
        ]
    }

    static func value(of number: Int) -> String {
        let text = "value \(number)"
        return text + String(repeating: ".", count: max(0, valueSize - text.utf8.count))
    }

    private static func item(_ number: Int) -> NSDictionary {
        var item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecValueData: Data(value(of: number).utf8),
        ]
        for (key, value) in attributes(of: number) { item[key] = Int(value) ?? value }
        return item as NSDictionary
    }

    /// The bytes of an item's value and of the attributes that the program set, without the names of the attributes.
    public static func payload(of number: Int) -> Int {
        attributes(of: number).reduce(valueSize) { $0 + (Int($1.value) == nil ? $1.value.utf8.count : 8) }
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

    /// Finds one item, whichever.
    public func find() throws {
        try nextQueries(1).forEach(Self.find)
    }

    /// Ready queries for the value of one item each, by an attribute that has an index.
    public func nextLabelQueries(_ number: Int) -> [NSDictionary] {
        (0..<number).map { _ in
            turn = (turn + 1) % order.count
            return [
                kSecClass: kSecClassGenericPassword, kSecAttrLabel: "label \(order[turn])", kSecReturnData: true,
            ] as [CFString: Any] as NSDictionary
        }
    }

    /// Looks for a comment that no item has: comments have no index, so it goes through all items.
    public static func scan() throws {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrComment: "of no item", kSecReturnData: true,
        ]
        let status = SecItemCopyMatching(query as NSDictionary, nil)
        guard status == errSecItemNotFound else { throw Failure("a search for what is not there returned \(status)") }
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

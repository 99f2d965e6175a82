import Foundation
import FuzzSupport
import Security

@testable import KeychainModel

/// Makes dictionaries of anything out of an input.
///
/// A dictionary is the number of its entries, and for each a key and a value: a byte for the kind, then what that kind
/// takes.
struct DictionarySource {
    private var source: ByteSource
    /// The references of the items that are there.
    var knownReferences: [[UInt8]] = []

    init(_ bytes: [UInt8]) {
        source = ByteSource(bytes)
    }

    var isAtEnd: Bool { source.isAtEnd }

    mutating func byte() -> UInt8 { source.byte() }

    mutating func dictionary() -> NSMutableDictionary {
        let dictionary = NSMutableDictionary()
        for _ in 0..<(source.byte() % 16) {
            guard let key = key() as? NSObject else { continue }
            dictionary[key] = value(depth: 0)
        }
        return dictionary
    }

    // MARK: - Keys

    private static let attributeKeys = ItemClass.allCases.flatMap(AttributeTable.attributes(of:))
        .map(\.key.description).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }

    private static let otherKeys = [
        "class", "v_Data", "v_Ref", "v_PersistentRef", "r_Data", "r_Attributes", "r_Ref", "r_PersistentRef", "m_Limit",
        "m_HostOrSubdomainOfHost", "m_Issuers", "m_Policy", "m_EmailAddressIfPresent", "m_TrustedOnly", "m_ValidOnDate",
        "m_CaseInsensitive", "u_ItemList", "u_Tomb", "u_CredRef", "u_AuthCtx", "u_NoAuthUI", "u_AuthUI", "u_OpPrompt",
        "u_CallerName", "u_SystemKeychain", "nleg", "clip", "f_Any", "x", "",
    ]

    private mutating func key() -> Any {
        switch source.byte() % 16 {
        case 0..<8: source.choice(of: Self.attributeKeys)
        case 8..<13: source.choice(of: Self.otherKeys)
        case 13: String(decoding: source.shortBytes(), as: UTF8.self)
        case 14: NSNumber(value: source.byte())
        default: NSData(data: Data(source.shortBytes()))
        }
    }

    // MARK: - Values

    private enum Kind: UInt8, CaseIterable {
        case name, text, data, longText, longData, integer, unsigned, real, boolean, date, null, uuid, array, dictionary
        case accessControl, object, reference, knownReference, utf16, smallNumber
    }

    private static let names =
        ItemClass.allCases.map(\.rawValue) + Accessibility.allCases.map(\.rawValue) + [
            "syna", "m_LimitOne", "m_LimitAll", "fuzz.default", "fuzz.other", "fuzz.wild.x", "fuzz.wild.", "elsewhere",
            "u_AuthUIA", "u_AuthUIF", "u_AuthUIS", "f", "443", "0443", "-0", "9223372036854775808", "", "\0",
            "e\u{301}", "\u{E9}", "example.org", "www.example.org",
        ]

    private static let lengths = [
        1, 20, 31, 32, 33, 127, 128, 255, 256, 4096, 16383, 16384, 1 << 20, (1 << 20) + 1,
    ]

    private mutating func value(depth: Int) -> Any {
        switch Kind(rawValue: source.byte() % UInt8(Kind.allCases.count)) ?? .null {
        case .name: source.choice(of: Self.names)
        case .text: String(decoding: source.shortBytes(), as: UTF8.self)
        case .data: Data(source.shortBytes())
        case .longText: String(repeating: "x", count: source.choice(of: Self.lengths))
        case .longData: Data(repeating: source.byte(), count: source.choice(of: Self.lengths))
        case .integer: NSNumber(value: Int64(bitPattern: source.number()))
        case .unsigned: NSNumber(value: source.number())
        case .real: NSNumber(value: Double(bitPattern: source.number()))
        case .boolean: NSNumber(value: source.flag())
        case .date: NSDate(timeIntervalSinceReferenceDate: Double(bitPattern: source.number()))
        case .null: NSNull()
        case .uuid: uuid()
        case .array: depth < 3 ? NSArray(array: values(depth: depth)) : NSArray()
        case .dictionary: depth < 3 ? NSDictionary(dictionary: ["k": value(depth: depth + 1)]) : NSDictionary()
        case .accessControl: accessControl() ?? NSNull()
        case .object: (source.flag() ? SampleObjects.certificate : SampleObjects.key) ?? NSNull()
        case .reference: Data(Array(source.choice(of: ItemClass.allCases).rawValue.utf8) + source.shortBytes())
        case .knownReference: knownReferences.isEmpty ? Data() : Data(source.choice(of: knownReferences))
        case .utf16: utf16()
        case .smallNumber: NSNumber(value: Int(source.byte()) - 2)
        }
    }

    private mutating func values(depth: Int) -> [Any] {
        (0..<(source.byte() % 4)).map { _ in value(depth: depth + 1) }
    }

    private mutating func uuid() -> NSUUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in bytes.indices { bytes[index] = source.byte() }
        return NSUUID(uuidBytes: bytes)
    }

    private mutating func accessControl() -> SecAccessControl? {
        let protection = source.choice(of: Accessibility.allCases.map(\.rawValue) + ["f"])
        let flags = source.flag() ? UInt(truncatingIfNeeded: source.number()) : 1 << UInt(source.byte() % 32)
        return SecAccessControlCreateWithFlags(
            nil,
            protection as NSString,
            SecAccessControlCreateFlags(rawValue: source.flag() ? flags : 0),
            nil
        )
    }

    /// Text with halves of characters in it.
    private mutating func utf16() -> NSString {
        let bytes = source.shortBytes()
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        return NSString(characters: units, length: units.count)
    }
}

// MARK: - Seeds

/// Writes dictionaries as `DictionarySource` reads them.
extension DictionarySource {
    private enum Written {
        case name(String), text(String), number(Int64), boolean(Bool), firstReference, small(Int)
        case accessControl, userPresence

        var bytes: [UInt8] {
            switch self {
            case .name(let name): [Kind.name.rawValue, UInt8(names.firstIndex(of: name) ?? 0)]
            case .text(let text): [Kind.text.rawValue, UInt8(text.utf8.count)] + Array(text.utf8)
            case .number(let number):
                [Kind.integer.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64(56 - $0 * 8)) }
            case .boolean(let flag): [Kind.boolean.rawValue, flag ? 1 : 0]
            case .firstReference: [Kind.knownReference.rawValue, 0]
            case .small(let number): [Kind.smallNumber.rawValue, UInt8(number + 2)]
            case .accessControl: [Kind.accessControl.rawValue, 0, 0, 0, 0]
            case .userPresence: [Kind.accessControl.rawValue, 0, 0, 0, 1]
            }
        }
    }

    private static func data(_ text: String) -> [UInt8] {
        [Kind.data.rawValue, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func written(_ entries: [(String, Written)], value: String? = nil) -> [UInt8] {
        var bytes = [UInt8(entries.count + (value == nil ? 0 : 1))]
        for (name, written) in entries { bytes += key(name) + written.bytes }
        if let value { bytes += key("v_Data") + data(value) }
        return bytes
    }

    private static func key(_ name: String) -> [UInt8] {
        if let index = otherKeys.firstIndex(of: name) { return [8, UInt8(index)] }
        return [0, UInt8(attributeKeys.firstIndex(of: name) ?? 0)]
    }

    static func seeds() -> [String: [UInt8]] {
        let password = written(
            [("class", .name("genp")), ("acct", .text("alice")), ("svce", .text("s"))],
            value: "secret"
        )
        let account = written([("class", .name("genp")), ("acct", .text("alice"))])
        let all = written([
            ("class", .name("genp")), ("m_Limit", .name("m_LimitAll")), ("r_Attributes", .boolean(true)),
            ("r_Data", .boolean(true)), ("sync", .name("syna")),
        ])
        let internet = written(
            [
                ("class", .name("inet")), ("srvr", .name("example.org")), ("port", .number(443)),
                ("sync", .boolean(true)),
            ],
            value: "internet"
        )
        let certificate = written([("class", .name("cert")), ("slnr", .small(5))], value: "der")
        let keyItem = written([("class", .name("keys")), ("kcls", .small(1)), ("atag", .text("tag"))], value: "key")
        let controlled = written([("class", .name("genp")), ("accc", .accessControl)], value: "x")
        let owned = written([("class", .name("genp")), ("accc", .userPresence)], value: "y")
        let grouped = written([("class", .name("genp")), ("agrp", .name("fuzz.wild.x")), ("pdmn", .name("ck"))])
        let reference = written([("v_PersistentRef", .firstReference), ("r_Data", .boolean(true))])
        let change = written([("acct", .text("bob"))], value: "new")
        let add: [UInt8] = [0]
        let find: [UInt8] = [1]
        let update: [UInt8] = [2]
        let delete: [UInt8] = [3]
        return [
            "add": add + password, "add-find": add + password + find + all + find + reference,
            "add-update": add + password + update + account + change + find + all,
            "add-delete": add + password + delete + account + delete + account,
            "internet": add + internet + find + written([("class", .name("inet")), ("sync", .name("syna"))])
                + delete + written([("class", .name("inet")), ("sync", .boolean(true))]),
            "certificate": add + certificate, "key": add + keyItem + find + reference,
            "access-control": add + controlled, "user-presence": add + owned + find + all + find + reference,
            "group": add + grouped + update + grouped + change,
        ]
    }
}

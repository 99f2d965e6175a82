import Glibc
import KeychainCodes
package import KeychainModel

/// What a table shows of an item, and a search looks into. It has no secret.
package struct ItemSummary: Sendable {
    package let reference: PersistentReference
    /// What a person calls it; empty where it has no name.
    package let name: String
    package let account: String
    /// The server or service that it is for.
    package let place: String
    package let group: String
    /// Whether it makes one-time codes.
    package let isCode: Bool
    /// What it is to the programs that keep other programs' secrets; nil for other items.
    let bridge: BridgeItem?
    package let accessibility: Accessibility
    /// Whether its owner is asked before its value is released.
    package let isGuarded: Bool
    package let isSynchronizable: Bool
    /// Seconds since 2001.
    package let created: Double
    package let modified: Double
    /// All that a search looks into, in small letters. The name comes first.
    private let searched: [UInt8]
    private let nameCount: Int

    /// What it is sorted by: its name in small letters.
    var order: ArraySlice<UInt8> { searched.prefix(nameCount) }

    /// A text for tables and searches is no longer than this.
    static let mostCharacters = 400

    package init(_ item: FoundItem) {
        let attributes = item.attributes
        reference = item.reference
        name = Self.cut(
            [.label, .server, .service].lazy.compactMap { attributes.text($0) }.first { !$0.allSatisfy(\.isWhitespace) }
                ?? ""
        )
        account = Self.cut(attributes.text(.account) ?? "")
        let codePlace = item.reference.itemClass == .genericPassword ? CodeItem.place(of: attributes) : nil
        isCode = codePlace != nil
        bridge = BridgeItem(item.reference.itemClass, attributes)
        place =
            switch item.reference.itemClass {
            case .genericPassword: Self.cut(bridge?.place ?? codePlace ?? attributes.text(.service) ?? "")
            case .internetPassword: Self.cut(attributes.text(.server) ?? "")
            case .key: Self.cut(attributes.text(.applicationTag) ?? "")
            case .certificate, .identity: ""
            }
        group = attributes.text(.accessGroup) ?? ""
        accessibility =
            attributes.text(.accessible).flatMap(Accessibility.init(rawValue:))
            ?? reference.itemClass.defaultAccessibility
        isGuarded = !item.accessControl.constraint.isMet(by: []) || item.accessControl.asksPassword
        isSynchronizable = attributes[.synchronizable] == .integer(1)
        created = attributes.seconds(.creationDate)
        modified = attributes.seconds(.modificationDate)
        let small = Array(name.lowercased().utf8)
        nameCount = small.count
        let kind = isCode ? ItemKind.code.name : bridge?.kindName ?? ItemKind(item.reference.itemClass)?.name ?? ""
        let rest = [account, place, group, kind] + [.path, .comment].map { Self.cut(attributes.text($0) ?? "") }
        searched = small + Array(("\n" + rest.joined(separator: "\n")).lowercased().utf8)
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= mostCharacters
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(mostCharacters)))
    }

    /// What kind of item it is, in words.
    var kindName: String { bridge?.kindName ?? kind.name }

    /// Whether each of these words is in one of its texts.
    func matches(_ words: [[UInt8]]) -> Bool { words.allSatisfy { searched.contains($0) } }
}

extension AttributeList {
    /// A text, also where it was stored as bytes that are one; nil where there is none.
    func text(_ key: AttributeKey) -> String? {
        switch self[key] {
        case .string(let text) where !text.isEmpty: text
        case .data(let bytes) where !bytes.isEmpty: String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    func number(_ key: AttributeKey) -> Int64? {
        if case .integer(let number) = self[key] { number } else { nil }
    }

    func seconds(_ key: AttributeKey) -> Double {
        if case .date(let seconds) = self[key] { seconds } else { 0 }
    }
}

extension AccessControl {
    /// Whether a password of the program's own is asked for.
    var asksPassword: Bool { flags?.contains(.applicationPassword) ?? false }
}

extension [UInt8] {
    /// Whether the bytes are somewhere in these.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard count >= part.count else { return false }
        return unsafe withUnsafeBytes { whole in
            unsafe part.withUnsafeBytes { part in
                guard let start = whole.baseAddress, let wanted = part.baseAddress else { return false }
                for place in 0...(whole.count - part.count) where unsafe whole[place] == first {
                    if unsafe memcmp(start + place, wanted, part.count) == 0 { return true }
                }
                return false
            }
        }
    }
}

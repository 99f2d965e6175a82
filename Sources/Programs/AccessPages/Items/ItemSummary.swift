import Glibc
import KeychainCodes
package import KeychainModel

/// What a table shows of an item, and a search looks into. It has no secret.
///
/// Its texts are bytes of a block, which all items of an index share: many small blocks, between what a search has read and let go of,
/// would keep twice as much memory from being given back.
package struct ItemSummary: Sendable {
    private let block: [UInt8]
    private let start: Int
    /// Where each text ends, from the start.
    private let ends: Ends

    private struct Ends {
        var uuid: Int32 = 0
        var name: Int32 = 0
        var account: Int32 = 0
        var place: Int32 = 0
        var group: Int32 = 0
        /// The name in small letters, with which what a search looks into begins.
        var order: Int32 = 0
        var searched: Int32 = 0
    }

    private let itemClass: ItemClass
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

    /// A text for tables and searches is no longer than this.
    static let mostCharacters = 400

    package init(_ item: FoundItem) {
        let attributes = item.attributes
        itemClass = item.reference.itemClass
        let name = Self.cut(
            [.label, .server, .service].lazy.compactMap { attributes.text($0) }.first {
                !$0.allSatisfy(\.isWhitespace)
            } ?? ""
        )
        let account = Self.cut(attributes.text(.account) ?? "")
        let codePlace = item.reference.itemClass == .genericPassword ? CodeItem.place(of: attributes) : nil
        isCode = codePlace != nil
        bridge = BridgeItem(item.reference.itemClass, attributes)
        let place =
            switch item.reference.itemClass {
            case .genericPassword: Self.cut(bridge?.place ?? codePlace ?? attributes.text(.service) ?? "")
            case .internetPassword: Self.cut(attributes.text(.server) ?? "")
            case .key: Self.cut(attributes.text(.applicationTag) ?? "")
            case .certificate, .identity: ""
            }
        let group = attributes.text(.accessGroup) ?? ""
        accessibility =
            attributes.text(.accessible).flatMap(Accessibility.init(rawValue:))
            ?? item.reference.itemClass.defaultAccessibility
        isGuarded = !item.accessControl.constraint.isMet(by: []) || item.accessControl.asksPassword
        isSynchronizable = attributes[.synchronizable] == .integer(1)
        created = attributes.seconds(.creationDate)
        modified = attributes.seconds(.modificationDate)

        let kind = isCode ? ItemKind.code.name : bridge?.kindName ?? ItemKind(item.reference.itemClass)?.name ?? ""
        let rest = [account, place, group, kind] + [.path, .comment].map { Self.cut(attributes.text($0) ?? "") }
        var block = item.reference.uuid?.bytes ?? []
        var ends = Ends(uuid: Int32(block.count))
        func append(_ text: String) -> Int32 {
            block += text.utf8
            return Int32(block.count)
        }
        ends.name = append(name)
        ends.account = append(account)
        ends.place = append(place)
        ends.group = append(group)
        ends.order = append(name.lowercased())
        ends.searched = append(("\n" + rest.joined(separator: "\n")).lowercased())
        (self.block, self.ends, start) = (block, ends, 0)
    }

    /// The same, with its texts in a block that others share.
    private init(_ item: ItemSummary, in block: [UInt8], from start: Int) {
        (self.block, self.start) = (block, start)
        (ends, itemClass, isCode, bridge) = (item.ends, item.itemClass, item.isCode, item.bridge)
        (accessibility, isGuarded, isSynchronizable) = (item.accessibility, item.isGuarded, item.isSynchronizable)
        (created, modified) = (item.created, item.modified)
    }

    /// The same items, with one block for the texts of all.
    static func sharing(_ items: [ItemSummary]) -> [ItemSummary] {
        var block: [UInt8] = []
        block.reserveCapacity(items.reduce(0) { $0 + Int($1.ends.searched) })
        let starts = items.map { item in
            defer { block += item.bytes(0, item.ends.searched) }
            return block.count
        }
        return zip(items, starts).map { ItemSummary($0, in: block, from: $1) }
    }

    private func bytes(_ from: Int32, _ end: Int32) -> ArraySlice<UInt8> { block[start + Int(from)..<start + Int(end)] }

    private func text(_ from: Int32, _ end: Int32) -> String { String(decoding: bytes(from, end), as: UTF8.self) }

    /// An item that was found has a UUID.
    package var reference: PersistentReference {
        PersistentReference(itemClass: itemClass, uuid: ItemUUID(bytes(0, ends.uuid)) ?? ItemUUID())
    }

    /// What a person calls it; empty where it has no name.
    package var name: String { text(ends.uuid, ends.name) }
    package var account: String { text(ends.name, ends.account) }
    /// The server or service that it is for.
    package var place: String { text(ends.account, ends.place) }
    package var group: String { text(ends.place, ends.group) }

    /// What it is sorted by: its name in small letters.
    var order: ArraySlice<UInt8> { bytes(ends.group, ends.order) }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= mostCharacters
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(mostCharacters)))
    }

    /// What kind of item it is, in words.
    var kindName: String { bridge?.kindName ?? kind.name }

    /// Whether it has a secret that people read. What a passkey has is for its program alone.
    var hasSecret: Bool {
        if case .passkey? = bridge { return false }
        return kind.hasSecret
    }

    package var kind: ItemKind { isCode ? .code : ItemKind(itemClass) ?? .password }

    /// Whether each of these words is in one of its texts.
    func matches(_ words: [[UInt8]]) -> Bool { words.allSatisfy { bytes(ends.group, ends.searched).contains($0) } }
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

extension ArraySlice<UInt8> {
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

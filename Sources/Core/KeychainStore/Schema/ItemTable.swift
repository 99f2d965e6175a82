import KeychainModel

/// An item's table as the attribute table has it. The newest schema has these columns and indexes, as a test
/// sees to.
struct ItemTable: Sendable {
    let itemClass: ItemClass
    /// The attributes that have a blind column, in the order of the attribute table.
    let blind: [Attribute]

    init(_ itemClass: ItemClass) {
        self.itemClass = itemClass
        blind = AttributeTable.attributes(of: itemClass).filter(\.hasBlindColumn)
    }

    var name: String { itemClass.rawValue }

    /// The columns that stand before the blind ones.
    static let fixedColumns = [
        "uuid", "version", "agrp", "pdmn", "sync", "tomb", "accc", "metadata", "key", "secret",
    ]

    var columns: [String] { Self.fixedColumns + blind.map { Self.column($0.key) } }

    /// What makes an item unique: the class's own attributes first, in the order in which people search by them.
    ///
    /// `aside` is 0 for every row but those that were found damaged and had to make room.
    var primaryKey: [String] {
        let common = Set(AttributeTable.attributes(of: .genericPassword).map(\.key))
            .intersection(AttributeTable.attributes(of: .certificate).map(\.key))
        let columns = blind.filter { $0.flags.contains(.primaryKey) }
        return columns.filter { !common.contains($0.key) }.map { Self.column($0.key) }
            + ["agrp", "sync"]
            + columns.filter { common.contains($0.key) }.map { Self.column($0.key) }
            + ["aside"]
    }

    static func column(_ key: AttributeKey) -> String { "b_\(key)" }

    /// The name and the first column of each index: SQLite's own for the UNIQUE constraints, and ours.
    var indexes: [(name: String, column: String)] {
        [
            ("sqlite_autoindex_\(name)_1", "uuid"),
            ("sqlite_autoindex_\(name)_2", primaryKey.first ?? "uuid"),
        ]
            + blind.filter { $0.flags.contains(.indexed) }.map { ("\(name)_\($0.key)", Self.column($0.key)) }
    }

    /// Finds the synchronizable rows, without the others.
    var sharedIndex: String { "\(name)_\(AttributeKey.synchronizable)" }

    static let all: [ItemClass: ItemTable] = Dictionary(
        uniqueKeysWithValues: ItemClass.stored.map { ($0, ItemTable($0)) }
    )
}

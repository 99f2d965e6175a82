package import EnclaveInterface
package import KeychainModel

/// A row as it stands in the database: nothing in it is to be believed before the vault has opened it.
package struct SealedRow: Sendable {
    /// What its ciphertexts are bound to.
    package var binding: ItemBinding
    package var blindColumns: BlindColumns
    /// The attributes, sealed under the metadata key of the class.
    package var metadata: [UInt8]
    /// The item's own key, wrapped under the class key.
    package var wrappedKey: [UInt8]
    /// The value and the other secret attributes, sealed under the item's own key.
    package var secret: [UInt8]

    package init(
        binding: ItemBinding,
        blindColumns: BlindColumns,
        metadata: [UInt8] = [],
        wrappedKey: [UInt8] = [],
        secret: [UInt8] = []
    ) {
        self.binding = binding
        self.blindColumns = blindColumns
        self.metadata = metadata
        self.wrappedKey = wrappedKey
        self.secret = secret
    }

    package var itemClass: ItemClass { binding.itemClass }
    package var uuid: ItemUUID { binding.uuid }
    package var version: [UInt8] { binding.version }
    package var accessGroup: String { binding.accessGroup }
    package var accessibility: UInt8 { binding.accessibility }
    package var isSynchronizable: Bool { binding.isSynchronizable }
    package var isTombstone: Bool { binding.isTombstone }
    package var accessControl: [UInt8] { binding.accessControl }
}

/// The blind columns that are set, in the order of the attribute table: for each the four bytes of its key and the 16
/// of its index.
///
/// In one piece, since a row is read far more often than taken apart.
package struct BlindColumns: Sendable, Equatable {
    package private(set) var bytes: [UInt8] = []
    private static let entrySize = 4 + BlindIndex.size

    package init() {}

    /// - Returns: nil for what is no list of columns. Whether it is that of a row, its metadata tell.
    package init?(bytes: [UInt8]) {
        guard bytes.count.isMultiple(of: Self.entrySize) else { return nil }
        self.bytes = bytes
    }

    package mutating func append(_ key: AttributeKey, _ index: UnsafeRawBufferPointer) {
        unsafe withUnsafeBytes(of: key.rawValue.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe bytes.append(contentsOf: index)
    }

    package mutating func reserveCapacity(_ count: Int) {
        bytes.reserveCapacity(count * Self.entrySize)
    }

    /// The index of a key, or nil where the column is not set.
    package subscript(key: AttributeKey) -> ArraySlice<UInt8>? {
        for start in stride(from: 0, to: bytes.count - Self.entrySize + 1, by: Self.entrySize) {
            let found = bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if found == key.rawValue { return bytes[(start + 4)..<(start + Self.entrySize)] }
        }
        return nil
    }
}

/// A row that the vault has sealed: the only thing that the store takes in.
package struct SealedItem: Sendable {
    package let row: SealedRow

    init(row: SealedRow) {
        self.row = row
    }
}

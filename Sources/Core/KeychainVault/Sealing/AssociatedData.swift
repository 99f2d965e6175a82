import KeychainModel

/// What a row's ciphertexts are bound to, so that no part of it can be edited, swapped or mixed with another.
///
/// `docs/formats/row.md` gives every byte. Each field has a fixed length or its length before it.
struct AssociatedData {
    enum Part: UInt8 {
        case wrappedKey = 1
        case metadata = 2
        case secret = 3
    }

    private let bytes: [UInt8]
    private let blindColumns: [UInt8]

    private static let formatVersion: UInt8 = 1

    init(row: SealedRow, keychain: ItemUUID) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(80 + row.accessGroup.utf8.count + row.accessControl.count)
        bytes.append(Self.formatVersion)
        bytes += keychain.bytes
        bytes += row.uuid.bytes
        bytes += row.version
        bytes += row.itemClass.rawValue.utf8
        bytes.append(row.accessibility)
        bytes.append(row.isSynchronizable ? 1 : 0)
        bytes.append(row.isTombstone ? 1 : 0)
        Self.append(row.accessGroup.utf8, to: &bytes)
        Self.append(row.accessControl, to: &bytes)
        self.bytes = bytes
        blindColumns = row.blindColumns.bytes
    }

    private static func append(_ field: some Collection<UInt8>, to bytes: inout [UInt8]) {
        let count = UInt32(truncatingIfNeeded: field.count)
        unsafe withUnsafeBytes(of: count.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes += field
    }

    /// The data for one of the row's ciphertexts. The metadata's covers the blind columns: each was computed from an
    /// attribute that is in that metadata, so a column that was moved or edited is noticed without computing it again.
    func bytes(for part: Part) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(1 + bytes.count + (part == .metadata ? blindColumns.count : 0))
        data.append(part.rawValue)
        data += bytes
        if part == .metadata { data += blindColumns }
        return data
    }
}

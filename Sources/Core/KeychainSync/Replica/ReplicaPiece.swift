/// A piece of what a replica is on a disk. Pieces change by themselves: a small change of a replica is a small one of the disk.
///
/// `docs/formats/sync-state.md` gives every byte.
package enum ReplicaPiece: Hashable, Sendable {
    /// All that is small.
    case state
    /// An entry of the circle, by its place in an order in which each comes after its parents.
    case entry(UInt32)
    case item(ItemName)
    /// What is known of a journal, without its history.
    case journal(JournalID, Side)
    /// Hashes of a journal's segments, so many in each piece.
    case history(JournalID, Side, UInt32)

    /// What this device knows now, or what it knew before it began anew.
    package enum Side: UInt8, Sendable, CaseIterable {
        case now = 0
        case former = 1
    }

    /// Hashes in one piece of a history.
    static let hashes = 64
    /// In bytes: longer than any piece.
    package static let largest = Entry.largest + 1

    private static let (stateCode, entryCode, itemCode, journalCode, historyCode): (UInt8, UInt8, UInt8, UInt8, UInt8) =
        (
            1, 2, 3, 4, 5
        )

    package var key: [UInt8] {
        var writer = SyncWriter()
        switch self {
        case .state: writer.append(number: Self.stateCode)
        case .entry(let place):
            writer.append(number: Self.entryCode)
            writer.append(number: place)
        case .item(let name):
            writer.append(number: Self.itemCode)
            writer.append(name)
        case .journal(let id, let side):
            writer.append(number: Self.journalCode)
            writer.append(number: side.rawValue)
            writer.append(id.bytes)
        case .history(let id, let side, let place):
            writer.append(number: Self.historyCode)
            writer.append(number: side.rawValue)
            writer.append(id.bytes)
            writer.append(number: place)
        }
        return writer.bytes
    }

    package init(key: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(key, atMost: 64)
        func journal(_ reader: inout SyncReader) throws(SyncRefusal) -> (Side, JournalID) {
            guard let side = Side(rawValue: try reader.byte()) else { throw .outOfRange }
            return (side, try SyncName(from: &reader))
        }
        let code = try reader.byte()
        switch code {
        case Self.stateCode: self = .state
        case Self.entryCode: self = .entry(try reader.number(UInt32.self))
        case Self.itemCode: self = .item(try reader.hash())
        case Self.journalCode:
            let (side, id) = try journal(&reader)
            self = .journal(id, side)
        case Self.historyCode:
            let (side, id) = try journal(&reader)
            self = .history(id, side, try reader.number(UInt32.self))
        default: throw .unknownKind(code)
        }
        try reader.end()
    }
}

/// What an entry says.
package enum EntryBody: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case found = 1
        case add = 2
        case remove = 3
        case end = 4
        case epoch = 5
        case floor = 6
        case merge = 7
    }

    /// The circle begins, with its author.
    case found(Founding)
    case add(Addition)
    case remove(Removal)
    /// Journals end here: its author's, or ones with two histories. In the order of their names.
    case end([Ending])
    case epoch(EpochDescription)
    /// The oldest format that may be written and read from now on.
    case floor(UInt16)
    /// Nothing: it has so many parents that others need fewer.
    case merge

    package var kind: Kind {
        switch self {
        case .found: .found
        case .add: .add
        case .remove: .remove
        case .end: .end
        case .epoch: .epoch
        case .floor: .floor
        case .merge: .merge
        }
    }

    var encoded: [UInt8] {
        var writer = SyncWriter()
        switch self {
        case .found(let founding): founding.write(to: &writer)
        case .add(let addition): addition.write(to: &writer)
        case .remove(let removal): removal.write(to: &writer)
        case .end(let endings): writer.append(rising: endings, by: \.journal) { $1.write(to: &$0) }
        case .epoch(let epoch): epoch.write(to: &writer)
        case .floor(let number): writer.append(number: number)
        case .merge: break
        }
        return writer.bytes
    }

    init(_ kind: Kind, _ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Entry.largest)
        switch kind {
        case .found: self = .found(try Founding(from: &reader))
        case .add: self = .add(try Addition(from: &reader))
        case .remove: self = .remove(try Removal(from: &reader))
        case .end:
            let endings = try reader.rising(atMost: Removal.mostEnds, by: \.journal) {
                (reader) throws(SyncRefusal) in try Ending(from: &reader)
            }
            self = .end(endings)
        case .epoch: self = .epoch(try EpochDescription(from: &reader))
        case .floor: self = .floor(try reader.number(UInt16.self))
        case .merge: self = .merge
        }
        try reader.end()
        switch self {
        case .add(let addition): try addition.check()
        case .epoch(let epoch): try epoch.check()
        case .end(let endings): guard !endings.isEmpty else { throw .outOfRange }
        case .found, .remove, .floor, .merge: break
        }
    }
}

/// What an entry says.
package enum EntryBody: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case found = 1
        case add = 2
        case remove = 3
        case end = 4
        case epoch = 5
        case floor = 6
    }

    /// The circle begins, with its author.
    case found(Founding)
    case add(Addition)
    case remove(Removal)
    /// A journal ends here: its own device's, or one with two histories.
    case end(Ending)
    case epoch(EpochDescription)
    /// The oldest format that may be written and read from now on.
    case floor(UInt16)

    package var kind: Kind {
        switch self {
        case .found: .found
        case .add: .add
        case .remove: .remove
        case .end: .end
        case .epoch: .epoch
        case .floor: .floor
        }
    }

    var encoded: [UInt8] {
        var writer = SyncWriter()
        switch self {
        case .found(let founding): founding.write(to: &writer)
        case .add(let addition): addition.write(to: &writer)
        case .remove(let removal): removal.write(to: &writer)
        case .end(let ending): ending.write(to: &writer)
        case .epoch(let epoch): epoch.write(to: &writer)
        case .floor(let number): writer.append(number: number)
        }
        return writer.bytes
    }

    init(_ kind: Kind, _ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Entry.largest)
        switch kind {
        case .found: self = .found(try Founding(from: &reader))
        case .add: self = .add(try Addition(from: &reader))
        case .remove: self = .remove(try Removal(from: &reader))
        case .end: self = .end(try Ending(from: &reader))
        case .epoch: self = .epoch(try EpochDescription(from: &reader))
        case .floor: self = .floor(try reader.number(UInt16.self))
        }
        try reader.end()
        switch self {
        case .add(let addition): try addition.check()
        case .epoch(let epoch): try epoch.check()
        case .found, .remove, .end, .floor: break
        }
    }
}

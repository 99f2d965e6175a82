extension Replica {
    /// The version of the form in which pieces are written.
    static let pieceVersion: UInt8 = 1

    /// All of it, as pieces.
    package var pieces: [ReplicaPiece: [UInt8]] {
        var pieces: [ReplicaPiece: [UInt8]] = [.state: statePiece]
        for (place, entry) in circle.entries.enumerated() {
            pieces[.entry(UInt32(clamping: place))] = Self.encoded { $0.append(entry.encoded) }
        }
        for (name, item) in items { pieces[.item(name)] = Self.encoded(item.write) }
        for side in ReplicaPiece.Side.allCases {
            for (id, journal) in known(side) {
                pieces[.journal(id, side)] = Self.encoded { journal.write(to: &$0) }
                for place in 0..<Self.count(of: journal.history) {
                    pieces[.history(id, side, place)] = Self.piece(place, of: journal.history)
                }
            }
        }
        return pieces
    }

    /// The pieces that are others than those of an earlier state of this replica; nil for those that are no more.
    package func pieces(since earlier: Replica) -> [ReplicaPiece: [UInt8]?] {
        var pieces: [ReplicaPiece: [UInt8]?] = [:]
        let state = statePiece
        if state != earlier.statePiece { pieces[.state] = state }
        let (count, before) = (circle.count, earlier.circle.count)
        if count != before {
            for (place, entry) in circle.entries.enumerated().dropFirst(before) {
                pieces[.entry(UInt32(clamping: place))] = Self.encoded { $0.append(entry.encoded) }
            }
        }
        for (name, item) in items where earlier.items[name] != item { pieces[.item(name)] = Self.encoded(item.write) }
        for name in earlier.items.keys where items[name] == nil { pieces.updateValue(nil, forKey: .item(name)) }
        for side in ReplicaPiece.Side.allCases { differ(side, from: earlier, &pieces) }
        return pieces
    }

    private func differ(
        _ side: ReplicaPiece.Side,
        from earlier: Replica,
        _ pieces: inout [ReplicaPiece: [UInt8]?]
    ) {
        let (now, before) = (known(side), earlier.known(side))
        for (id, journal) in now where before[id] != journal {
            pieces[.journal(id, side)] = Self.encoded { journal.write(to: &$0) }
            let old = before[id]?.history ?? []
            let common = zip(old, journal.history).prefix { $0 == $1 }.count
            let (count, countBefore) = (Self.count(of: journal.history), Self.count(of: old))
            if common < max(old.count, journal.history.count) {
                for place in UInt32(common / ReplicaPiece.hashes)..<max(count, countBefore) {
                    let piece = place < count ? Self.piece(place, of: journal.history) : nil
                    pieces.updateValue(piece, forKey: .history(id, side, place))
                }
            }
        }
        for (id, journal) in before where now[id] == nil {
            pieces.updateValue(nil, forKey: .journal(id, side))
            for place in 0..<Self.count(of: journal.history) {
                pieces.updateValue(nil, forKey: .history(id, side, place))
            }
        }
    }

    /// The journals of one side; a device's own with the others.
    private func known(_ side: ReplicaPiece.Side) -> [JournalID: StoredJournal] {
        let (others, mine) = side == .now ? (journals, own) : (formerJournals, former)
        var all = others.mapValues { StoredJournal.other($0) }
        if let mine { all[mine.id] = .own(mine) }
        return all
    }

    private static func count(of history: [SegmentHash]) -> UInt32 {
        UInt32(clamping: (history.count + ReplicaPiece.hashes - 1) / ReplicaPiece.hashes)
    }

    private static func piece(_ place: UInt32, of history: [SegmentHash]) -> [UInt8] {
        let start = Int(place) * ReplicaPiece.hashes
        return encoded { writer in
            for hash in history[start..<min(start + ReplicaPiece.hashes, history.count)] { writer.append(hash) }
        }
    }

    private static func encoded(_ write: (inout SyncWriter) -> Void) -> [UInt8] {
        var writer = SyncWriter()
        writer.append(number: pieceVersion)
        write(&writer)
        return writer.bytes
    }

    // MARK: - The state

    private var statePiece: [UInt8] {
        Self.encoded { writer in
            writer.append(device)
            switch phase {
            case .member: writer.append(number: UInt8(0))
            case .reading(let required):
                writer.append(number: UInt8(1))
                writer.append(rising: required, by: \.journal) { writer, head in
                    writer.append(head.journal.bytes)
                    writer.append(number: head.counter)
                    writer.append(head.hash)
                }
            }
            for number in [stampFloor, age, formerSince, UInt64(clamping: differences)] {
                writer.append(number: number)
            }
            writer.append(optional: lastClock)
            writer.append(optional: suspectedSince)
            writer.append(number: UInt8(acceptsOlder ? 1 : 0))
            writer.append(number: UInt8(hasLockedSecrets ? 1 : 0))
            for set in [held, opened] { writer.append(rising: Array(set), by: \.self) { $0.append($1) } }
            writer.append(rising: Self.some(unreadSince), by: \.key) { writer, one in
                writer.append(one.key.bytes)
                writer.append(number: one.value)
            }
            writer.append(rising: Self.some(lostSince), by: \.key) { writer, one in
                writer.append(one.key)
                writer.append(number: one.value)
            }
            writer.append(rising: findings.map(FindingBytes.init), by: \.self) { $0.append(field: $1.bytes) }
        }
    }

    /// As many as a list has room for: the waiting of others begins anew.
    private static func some<Key: Comparable, Value>(_ all: [Key: Value]) -> [(key: Key, value: Value)] {
        Array(all.sorted { $0.key < $1.key }.prefix(Int(UInt16.max)))
    }

    // MARK: - Reading

    /// Puts a replica together. What it was made from is believed: the caller has kept others from changing it.
    ///
    /// - Throws: where a piece is missing, damaged, or of another version.
    package init(pieces: [ReplicaPiece: [UInt8]]) throws(SyncRefusal) {
        var entries: [Entry] = []
        while let bytes = pieces[.entry(UInt32(clamping: entries.count))] {
            entries.append(
                try Self.reading(bytes) { (reader) throws(SyncRefusal) in
                    try Entry(try reader.take(bytes.count - reader.offset))
                }
            )
        }
        guard let state = pieces[.state] else { throw .truncated }
        let device = try Self.reading(Array(state.prefix(1 + SyncHash.size))) { (reader) throws(SyncRefusal) in
            try reader.hash()
        }
        self.init(of: device, in: try Circle(restoring: entries), required: [])
        try Self.reading(state) { (reader) throws(SyncRefusal) in try restoreState(from: &reader) }
        for (piece, bytes) in pieces {
            switch piece {
            case .state, .history: break
            case .entry(let place): guard place < UInt32(clamping: entries.count) else { throw .truncated }
            case .item(let name):
                items[name] = try Self.reading(bytes) { (reader) throws(SyncRefusal) in try CurrentItem(from: &reader) }
            case .journal(let id, let side):
                var journal = try Self.reading(bytes) { (reader) throws(SyncRefusal) in
                    try StoredJournal(from: &reader, of: device)
                }
                guard journal.id == id else { throw .otherPlace }
                for place in 0..<Self.count(of: journal.history) {
                    guard let piece = pieces[.history(id, side, place)] else { throw .truncated }
                    try journal.fill(place, from: piece)
                }
                restore(journal, side)
            }
        }
    }

    private mutating func restore(_ journal: StoredJournal, _ side: ReplicaPiece.Side) {
        switch (journal, side) {
        case (.own(let journal), .now): own = journal
        case (.own(let journal), .former): former = journal
        case (.other(let journal), .now): journals[JournalID(ofJournalOf: journal.device, salt: journal.salt)] = journal
        case (.other(let journal), .former):
            formerJournals[JournalID(ofJournalOf: journal.device, salt: journal.salt)] = journal
        }
    }

    private mutating func restoreState(from reader: inout SyncReader) throws(SyncRefusal) {
        _ = try reader.hash()
        if try reader.flag() {
            phase = .reading(
                required: try reader.rising(atMost: Head.mostMarks, by: \.journal) { (reader) throws(SyncRefusal) in
                    JoinAnswer.KnownHead(
                        journal: try SyncName(from: &reader),
                        counter: try reader.number(UInt64.self),
                        hash: try reader.hash()
                    )
                }
            )
        } else {
            phase = .member
        }
        stampFloor = try reader.number(UInt64.self)
        age = try reader.number(UInt64.self)
        formerSince = try reader.number(UInt64.self)
        differences = Int(clamping: try reader.number(UInt64.self))
        lastClock = try reader.optionalNumber()
        suspectedSince = try reader.optionalNumber()
        acceptsOlder = try reader.flag()
        hasLockedSecrets = try reader.flag()
        held = Set(try reader.hashes())
        opened = Set(try reader.hashes())
        let unread = try reader.rising(atMost: .max, by: \.0) { (reader) throws(SyncRefusal) in
            (try SyncName(from: &reader), try reader.number(UInt64.self))
        }
        unreadSince = Dictionary(uniqueKeysWithValues: unread)
        let lost = try reader.rising(atMost: .max, by: \.0) { (reader) throws(SyncRefusal) in
            (try reader.hash(), try reader.number(UInt64.self))
        }
        lostSince = Dictionary(uniqueKeysWithValues: lost)
        let found = try reader.rising(atMost: .max, by: \.self) { (reader) throws(SyncRefusal) in
            FindingBytes(bytes: try reader.field(atMost: 64))
        }
        for one in found { findings.insert(try one.finding()) }
    }

    private static func reading<Value>(
        _ bytes: [UInt8],
        _ read: (inout SyncReader) throws(SyncRefusal) -> Value
    ) throws(SyncRefusal) -> Value {
        var reader = try SyncReader(bytes, atMost: .max)
        try reader.version(pieceVersion)
        let value = try read(&reader)
        try reader.end()
        return value
    }
}

/// A finding, in an order.
private struct FindingBytes: Comparable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ finding: Replica.Finding) {
        var writer = SyncWriter()
        switch finding {
        case .fork(let journal):
            writer.append(number: UInt8(1))
            writer.append(journal.bytes)
        case .setBack(let point):
            writer.append(number: UInt8(2))
            point?.write(to: &writer)
        }
        bytes = writer.bytes
    }

    func finding() throws(SyncRefusal) -> Replica.Finding {
        var reader = try SyncReader(bytes, atMost: 64)
        let finding: Replica.Finding
        let code = try reader.byte()
        switch code {
        case 1: finding = .fork(try SyncName(from: &reader))
        case 2: finding = .setBack(reader.offset < bytes.count ? try JournalPoint(from: &reader) : nil)
        default: throw .unknownKind(code)
        }
        try reader.end()
        return finding
    }

    static func < (one: FindingBytes, other: FindingBytes) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}

/// A journal of either kind.
private enum StoredJournal: Equatable {
    case other(Journal)
    case own(OwnJournal)

    var history: [SegmentHash] {
        switch self {
        case .other(let journal): journal.history
        case .own(let journal): journal.history
        }
    }

    var id: JournalID {
        switch self {
        case .other(let journal): JournalID(ofJournalOf: journal.device, salt: journal.salt)
        case .own(let journal): journal.id
        }
    }

    func write(to writer: inout SyncWriter) {
        switch self {
        case .other(let journal):
            writer.append(number: UInt8(0))
            journal.write(to: &writer)
        case .own(let journal):
            writer.append(number: UInt8(1))
            journal.write(to: &writer)
        }
        writer.append(number: UInt32(clamping: history.count))
    }

    /// Its history has as many hashes as it had, and all are zero.
    init(from reader: inout SyncReader, of device: DeviceID) throws(SyncRefusal) {
        if try reader.flag() {
            var journal = try OwnJournal(from: &reader, of: device)
            journal.history = try Self.emptyHistory(from: &reader)
            self = .own(journal)
        } else {
            var journal = try Journal(from: &reader)
            journal.history = try Self.emptyHistory(from: &reader)
            self = .other(journal)
        }
    }

    private static func emptyHistory(from reader: inout SyncReader) throws(SyncRefusal) -> [SegmentHash] {
        let count = try reader.number(UInt32.self)
        guard count <= UInt32(clamping: Segment.mostSpine) + 2 else { throw .tooLarge }
        return [SegmentHash](repeating: .zero, count: Int(count))
    }

    mutating func fill(_ place: UInt32, from bytes: [UInt8]) throws(SyncRefusal) {
        var history = history
        let start = Int(place) * ReplicaPiece.hashes
        var reader = try SyncReader(bytes, atMost: 1 + ReplicaPiece.hashes * SegmentHash.size)
        try reader.version(Replica.pieceVersion)
        for index in start..<min(start + ReplicaPiece.hashes, history.count) { history[index] = try reader.hash() }
        try reader.end()
        switch self {
        case .other(var journal):
            journal.history = history
            self = .other(journal)
        case .own(var journal):
            journal.history = history
            self = .own(journal)
        }
    }
}

extension Journal {
    /// All but its history.
    fileprivate func write(to writer: inout SyncWriter) {
        writer.append(device)
        writer.append(salt.bytes)
        writer.append(field: head?.encoded ?? [])
        writer.append(number: heard)
        writer.append(optional: compared)
        writer.append(number: skipped == nil ? UInt8(0) : 1)
        skipped?.write(to: &writer)
    }

    fileprivate init(from reader: inout SyncReader) throws(SyncRefusal) {
        self.init(of: try reader.hash(), salt: try SyncName(from: &reader))
        head = try reader.optionalHead()
        heard = try reader.number(UInt64.self)
        compared = try reader.optionalHash()
        skipped = try reader.flag() ? try JournalPoint(from: &reader) : nil
    }
}

extension OwnJournal {
    /// All but its history.
    fileprivate func write(to writer: inout SyncWriter) {
        writer.append(salt.bytes)
        for number in [counter, base.lowerBound, base.upperBound, confirmed, UInt64(clamping: size), firstKept] {
            writer.append(number: number)
        }
        writer.append(rising: readAtBase, by: \.journal) { $1.write(to: &$0) }
        writer.append(rising: Array(epochs), by: \.self) { $0.append($1) }
        writer.append(field: head?.encoded ?? [])
    }

    fileprivate init(from reader: inout SyncReader, of device: DeviceID) throws(SyncRefusal) {
        self.init(of: device, salt: try SyncName(from: &reader))
        counter = try reader.number(UInt64.self)
        let (lower, upper) = (try reader.number(UInt64.self), try reader.number(UInt64.self))
        guard lower <= upper else { throw .outOfRange }
        base = lower...upper
        confirmed = try reader.number(UInt64.self)
        size = Int(clamping: try reader.number(UInt64.self))
        firstKept = try reader.number(UInt64.self)
        readAtBase = try reader.rising(atMost: Head.mostMarks, by: \.journal) { (reader) throws(SyncRefusal) in
            try JournalPoint(from: &reader)
        }
        epochs = Set(try reader.hashes())
        head = try reader.optionalHead()
    }
}

extension CurrentItem {
    fileprivate func write(to writer: inout SyncWriter) {
        writer.append(number: version.stamp)
        writer.append(optional: version.digest)
        writer.append(number: tier.rawValue)
        writer.append(optional: replaced)
        writer.append(rising: Array(carriers), by: \.key) { writer, carrier in
            writer.append(carrier.key.bytes)
            writer.append(number: carrier.value)
        }
    }

    fileprivate init(from reader: inout SyncReader) throws(SyncRefusal) {
        version = Version(stamp: try reader.number(UInt64.self), digest: try reader.optionalHash())
        let code = try reader.byte()
        guard let tier = SyncTier(rawValue: code) else { throw .unknownKind(code) }
        self.tier = tier
        replaced = try reader.optionalHash()
        let all = try reader.rising(atMost: .max, by: \.0) { (reader) throws(SyncRefusal) in
            (try SyncName(from: &reader), try reader.number(UInt64.self))
        }
        carriers = Dictionary(uniqueKeysWithValues: all)
    }
}

extension SyncWriter {
    fileprivate mutating func append(optional number: UInt64?) {
        append(number: number == nil ? UInt8(0) : 1)
        if let number { append(number: number) }
    }

    fileprivate mutating func append(optional hash: SyncHash?) {
        append(number: hash == nil ? UInt8(0) : 1)
        if let hash { append(hash) }
    }
}

extension SyncReader {
    fileprivate mutating func optionalNumber() throws(SyncRefusal) -> UInt64? {
        try flag() ? try number(UInt64.self) : nil
    }

    fileprivate mutating func optionalHash() throws(SyncRefusal) -> SyncHash? { try flag() ? try hash() : nil }

    fileprivate mutating func optionalHead() throws(SyncRefusal) -> Head? {
        let bytes = try field(atMost: Head.largest)
        return bytes.isEmpty ? nil : try Head(bytes)
    }

    fileprivate mutating func hashes() throws(SyncRefusal) -> [SyncHash] {
        try rising(atMost: .max, by: \.self) { (reader) throws(SyncRefusal) in try reader.hash() }
    }
}

/// The newest state of a journal, signed by its device: what it has written, and what it has read of others.
package struct Head: Hashable, Sendable {
    package static let largest = 29_984
    package static let mostMarks = 256
    private static let version: UInt8 = 1

    package struct Contents: Hashable, Sendable {
        package var circle: CircleID
        package var device: DeviceID
        /// What the journal's name was made from.
        package var salt: SyncName
        /// Grows with each head of the journal.
        package var counter: UInt64
        /// The newest segment.
        package var tip: JournalPoint
        /// The number of the segment that ends the newest base; 0 where there is none.
        package var base: UInt64
        /// Whether its device has all that counts of the journals that have ended: it is in journals that go on.
        package var isSettled: Bool
        /// How far other journals were read.
        package var read: [JournalPoint]
        /// The same when the newest base was written.
        package var readAtBase: [JournalPoint]
        /// The newest entries that its device knows.
        package var frontier: [EntryHash]
        package var epoch: EpochID
        /// The greatest stamp of a tombstone that its device has dropped.
        package var stampFloor: UInt64
        /// HMAC of all current items under a key of the epoch: equal where devices have the same.
        package var digest: SyncHash
        /// The device's clock, in milliseconds since 1970: for warnings alone.
        package var clock: UInt64

        package init(
            circle: CircleID,
            device: DeviceID,
            salt: SyncName,
            counter: UInt64,
            tip: JournalPoint,
            base: UInt64,
            isSettled: Bool,
            read: [JournalPoint],
            readAtBase: [JournalPoint],
            frontier: [EntryHash],
            epoch: EpochID,
            stampFloor: UInt64,
            digest: SyncHash,
            clock: UInt64
        ) {
            self.circle = circle
            self.device = device
            self.salt = salt
            self.counter = counter
            self.tip = tip
            self.base = base
            self.isSettled = isSettled
            self.read = read
            self.readAtBase = readAtBase
            self.frontier = frontier
            self.epoch = epoch
            self.stampFloor = stampFloor
            self.digest = digest
            self.clock = clock
        }

        package var journal: JournalID { tip.journal }

        var encoded: [UInt8] {
            var writer = SyncWriter()
            writer.append(number: Head.version)
            writer.append(circle)
            writer.append(device)
            writer.append(salt.bytes)
            writer.append(number: counter)
            writer.append(number: tip.number)
            writer.append(tip.hash)
            writer.append(number: base)
            writer.append(number: isSettled ? UInt8(1) : 0)
            for marks in [read, readAtBase] { writer.append(rising: marks, by: \.journal) { $1.write(to: &$0) } }
            writer.append(rising: frontier, by: \.self) { $0.append($1) }
            writer.append(epoch)
            writer.append(number: stampFloor)
            writer.append(digest)
            writer.append(number: clock)
            return writer.bytes
        }
    }

    package let contents: Contents
    package let signature: [UInt8]
    /// Of all but the signature.
    package let hash: SyncHash

    package init<Failure: Error>(
        _ contents: Contents,
        sign: (SyncStatement) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        self.contents = contents
        let bytes = contents.encoded
        hash = SyncHash(of: bytes)
        signature = try sign(SyncStatement(.head, bytes))
    }

    package var encoded: [UInt8] { contents.encoded + signature }

    package func isSigned(by card: DeviceCard) -> Bool {
        card.id == contents.device && card.verifies(signature, of: SyncStatement(.head, contents.encoded))
    }

    /// Reads a head. Its signature is not looked at: that takes its device's card.
    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        try self.init(bytes) { (reader) throws(SyncRefusal) in try reader.take(Entry.signatureSize) }
    }

    /// Reads what a head says, before it is signed.
    package init(statement: [UInt8]) throws(SyncRefusal) { try self.init(statement) { _ in [] } }

    private init(
        _ bytes: [UInt8],
        signature read: (inout SyncReader) throws(SyncRefusal) -> [UInt8]
    ) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        try reader.version(Self.version)
        let circle = try reader.hash()
        let device = try reader.hash()
        let salt = try SyncName(from: &reader)
        let journal = JournalID(ofJournalOf: device, salt: salt)
        let counter = try reader.number(UInt64.self)
        let tip = JournalPoint(journal: journal, number: try reader.number(UInt64.self), hash: try reader.hash())
        let base = try reader.number(UInt64.self)
        let isSettled = try reader.flag()
        func marks(_ reader: inout SyncReader) throws(SyncRefusal) -> [JournalPoint] {
            try reader.rising(atMost: Self.mostMarks, by: \.journal) { (reader) throws(SyncRefusal) in
                try JournalPoint(from: &reader)
            }
        }
        let marksNow = try marks(&reader)
        let marksAtBase = try marks(&reader)
        let frontier = try reader.rising(atMost: Entry.mostParents, by: \.self) { (reader) throws(SyncRefusal) in
            try reader.hash()
        }
        contents = Contents(
            circle: circle,
            device: device,
            salt: salt,
            counter: counter,
            tip: tip,
            base: base,
            isSettled: isSettled,
            read: marksNow,
            readAtBase: marksAtBase,
            frontier: frontier,
            epoch: try reader.hash(),
            stampFloor: try reader.number(UInt64.self),
            digest: try reader.hash(),
            clock: try reader.number(UInt64.self)
        )
        hash = SyncHash(of: Array(bytes.prefix(reader.offset)))
        signature = try read(&reader)
        try reader.end()
        guard counter > 0, counter < Record.numberBound, circle != .zero, tip.number > 0,
            tip.number < Record.numberBound, base <= tip.number, tip.hash != .zero, !frontier.isEmpty,
            contents.stampFloor < Record.stampBound
        else { throw .outOfRange }
        guard (marksNow + marksAtBase).allSatisfy({ $0.number > 0 }) else { throw .outOfRange }
        // A device reads its own journal as others have it, by its tip.
        guard !(marksNow + marksAtBase).contains(where: { $0.journal == journal }) else { throw .notCanonical }
    }
}

/// The four blobs of a ceremony in which a device becomes a member. Each names the ceremony.
package struct JoinRequest: Hashable, Sendable {
    package static let largest = 17 + DeviceCard.size + 32
    private static let version: UInt8 = 1
    private static let tag = "chatelaine sync join commitment 1"

    package let ceremony: SyncName
    package let card: DeviceCard
    /// To the nonce that the third message reveals. It leaves an attacker in the middle one guess at the digits.
    package let commitment: SyncHash

    package init(ceremony: SyncName, card: DeviceCard, nonce: SyncHash) {
        self.ceremony = ceremony
        self.card = card
        commitment = Self.commitment(of: card, nonce)
    }

    package static func commitment(of card: DeviceCard, _ nonce: SyncHash) -> SyncHash {
        SyncHash(of: card.encoded + nonce.bytes, tag: tag)
    }

    package var encoded: [UInt8] {
        var writer = SyncWriter()
        writer.append(number: Self.version)
        writer.append(ceremony.bytes)
        writer.append(card.encoded)
        writer.append(commitment)
        return writer.bytes
    }

    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        try reader.version(Self.version)
        ceremony = try SyncName(from: &reader)
        card = try DeviceCard(from: &reader)
        commitment = try reader.hash()
        try reader.end()
        guard card.kind == .device else { throw .outOfRange }
    }
}

/// What a member answers.
package struct JoinAnswer: Hashable, Sendable {
    package static let largest = 16_727
    private static let version: UInt8 = 1

    /// A head that the member has read. The newcomer refuses journals that are older: else the transport could show it the past.
    package struct KnownHead: Hashable, Sendable {
        package let journal: JournalID
        package let counter: UInt64
        package let hash: SyncHash

        package init(journal: JournalID, counter: UInt64, hash: SyncHash) {
            self.journal = journal
            self.counter = counter
            self.hash = hash
        }
    }

    package let ceremony: SyncName
    package let circle: CircleID
    package let frontier: [EntryHash]
    package let card: DeviceCard
    package let nonce: SyncHash
    package let heads: [KnownHead]

    package init(
        ceremony: SyncName,
        circle: CircleID,
        frontier: [EntryHash],
        card: DeviceCard,
        nonce: SyncHash,
        heads: [KnownHead]
    ) {
        self.ceremony = ceremony
        self.circle = circle
        self.frontier = frontier.sorted()
        self.card = card
        self.nonce = nonce
        self.heads = heads.sorted { $0.journal < $1.journal }
    }

    /// - Parameters:
    ///   - replica: a member's, settled: it is what the newcomer will not be older than.
    ///   - nonce: 32 random bytes; an enclave puts its own in.
    package init(to request: JoinRequest, of replica: Replica, card: DeviceCard, nonce: SyncHash = .zero) {
        self.init(
            ceremony: request.ceremony,
            circle: replica.circle.id,
            frontier: replica.circle.frontier,
            card: card,
            nonce: nonce,
            heads: replica.knownHeads
        )
    }

    package func withNonce(_ nonce: SyncHash) -> JoinAnswer {
        JoinAnswer(
            ceremony: ceremony,
            circle: circle,
            frontier: frontier,
            card: card,
            nonce: nonce,
            heads: heads
        )
    }

    package var encoded: [UInt8] {
        var writer = SyncWriter()
        writer.append(number: Self.version)
        writer.append(ceremony.bytes)
        writer.append(circle)
        writer.append(rising: frontier, by: \.self) { $0.append($1) }
        writer.append(card.encoded)
        writer.append(nonce)
        writer.append(rising: heads, by: \.journal) { writer, head in
            writer.append(head.journal.bytes)
            writer.append(number: head.counter)
            writer.append(head.hash)
        }
        return writer.bytes
    }

    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        try reader.version(Self.version)
        ceremony = try SyncName(from: &reader)
        circle = try reader.hash()
        frontier = try reader.rising(atMost: Entry.mostParents, by: \.self) { (reader) throws(SyncRefusal) in
            try reader.hash()
        }
        card = try DeviceCard(from: &reader)
        nonce = try reader.hash()
        heads = try reader.rising(atMost: Head.mostMarks, by: \.journal) { (reader) throws(SyncRefusal) in
            KnownHead(
                journal: try SyncName(from: &reader),
                counter: try reader.number(UInt64.self),
                hash: try reader.hash()
            )
        }
        try reader.end()
        guard circle != .zero, !frontier.isEmpty, card.kind == .device,
            heads.allSatisfy({ $0.counter > 0 && $0.counter < Record.numberBound && $0.hash != .zero })
        else { throw .outOfRange }
    }
}

/// What the newcomer had committed to.
package struct JoinReveal: Hashable, Sendable {
    package static let largest = 49
    private static let version: UInt8 = 1

    package let ceremony: SyncName
    package let nonce: SyncHash

    package init(ceremony: SyncName, nonce: SyncHash) {
        self.ceremony = ceremony
        self.nonce = nonce
    }

    package var encoded: [UInt8] { [Self.version] + ceremony.bytes + nonce.bytes }

    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        try reader.version(Self.version)
        ceremony = try SyncName(from: &reader)
        nonce = try reader.hash()
        try reader.end()
    }
}

/// The newcomer's consent, once the member's digits were typed at it.
package struct JoinConsent: Hashable, Sendable {
    package static let largest = 81
    private static let version: UInt8 = 1

    package let ceremony: SyncName
    package let signature: [UInt8]

    package init(ceremony: SyncName, signature: [UInt8]) {
        self.ceremony = ceremony
        self.signature = signature
    }

    package var encoded: [UInt8] { [Self.version] + ceremony.bytes + signature }

    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        try reader.version(Self.version)
        ceremony = try SyncName(from: &reader)
        signature = try reader.take(Entry.signatureSize)
        try reader.end()
    }
}

/// A signed statement of a member about the circle. It never changes and is never removed.
package struct Entry: Hashable, Sendable {
    /// The longest body, one that begins an epoch, has 102,496 bytes.
    package static let largest = 103_656
    private static let largestBody = 102_496
    package static let mostParents = 32
    package static let signatureSize = 64
    private static let version: UInt8 = 1

    /// Zero in the entry that founds a circle.
    package let circle: CircleID
    /// What the author knew, without what those knew in turn. Sorted.
    package let parents: [EntryHash]
    package let author: DeviceID
    package let body: EntryBody
    /// Of an addition: the newcomer's signature over the circle and its card.
    package let consent: [UInt8]?
    package let signature: [UInt8]

    /// Of all but the signatures, of which there may be several for the same statement.
    package let hash: EntryHash

    /// - Parameters:
    ///   - consent: for an addition alone.
    ///   - sign: signs with the author's key.
    package init<Failure: Error>(
        circle: CircleID,
        parents: [EntryHash],
        author: DeviceID,
        body: EntryBody,
        consent: [UInt8]? = nil,
        sign: (SyncStatement) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        self.circle = circle
        self.parents = parents.sorted()
        self.author = author
        self.body = body
        self.consent = consent
        let statement = Self.statement(circle, self.parents, author, body)
        hash = SyncHash(of: statement)
        signature = try sign(SyncStatement(.entry, statement))
    }

    private static func statement(
        _ circle: CircleID,
        _ parents: [EntryHash],
        _ author: DeviceID,
        _ body: EntryBody
    ) -> [UInt8] {
        var writer = SyncWriter()
        writer.append(number: version)
        writer.append(circle)
        writer.append(rising: parents, by: \.self) { $0.append($1) }
        writer.append(author)
        writer.append(number: body.kind.rawValue)
        writer.append(field: body.encoded)
        return writer.bytes
    }

    private var statement: [UInt8] { Self.statement(circle, parents, author, body) }

    /// What its signature is of.
    package var unsigned: SyncStatement { SyncStatement(.entry, statement) }

    package var encoded: [UInt8] { statement + (consent ?? []) + signature }

    /// The secrets that it hands on.
    package var secrets: EpochSecrets {
        switch body {
        case .add(let addition): EpochSecrets(wraps: addition.wraps)
        case .epoch(let epoch): epoch.secrets
        case .found, .remove, .end, .floor, .merge: EpochSecrets(wraps: [])
        }
    }

    /// Whether the author, whose card this is, has signed it.
    package func isSigned(by card: DeviceCard) -> Bool {
        card.id == author && card.verifies(signature, of: SyncStatement(.entry, statement))
    }

    /// Reads an entry. Its signature is not looked at: that takes its author's card.
    package init(_ bytes: [UInt8]) throws(SyncRefusal) {
        try self.init(bytes) { (reader, kind) throws(SyncRefusal) in
            (
                kind == .add ? try reader.take(Self.signatureSize) : nil,
                try reader.take(Self.signatureSize)
            )
        }
    }

    /// Reads what an entry says, before it is signed.
    package init(statement: [UInt8]) throws(SyncRefusal) {
        try self.init(statement) { _, _ in (nil, []) }
    }

    private init(
        _ bytes: [UInt8],
        signatures: (inout SyncReader, EntryBody.Kind) throws(SyncRefusal) -> (consent: [UInt8]?, own: [UInt8])
    ) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        try reader.version(Self.version)
        circle = try reader.hash()
        parents = try reader.rising(atMost: Self.mostParents, by: \.self) { (reader) throws(SyncRefusal) in
            try reader.hash()
        }
        author = try reader.hash()
        let code = try reader.byte()
        guard let kind = EntryBody.Kind(rawValue: code) else { throw .unknownKind(code) }
        body = try EntryBody(kind, try reader.field(atMost: Self.largestBody))
        hash = SyncHash(of: Array(bytes.prefix(reader.offset)))
        (consent, signature) = try signatures(&reader, kind)
        try reader.end()
        // One without parents founds a circle, and nothing else does.
        guard parents.isEmpty == (kind == .found), (circle == .zero) == (kind == .found) else { throw .outOfRange }
        guard kind != .merge || parents.count > 1 else { throw .outOfRange }
        if case .found(let founding) = body {
            guard founding.card.id == author, founding.card.kind == .device else { throw .otherPlace }
        }
    }
}

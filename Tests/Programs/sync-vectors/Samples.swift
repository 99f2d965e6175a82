import Crypto
import KeychainModel
import KeychainSync

/// One of each blob.
struct Samples {
    /// The kind of a blob, its name, and its bytes.
    private(set) var blobs: [(kind: String, name: String, bytes: [UInt8])] = []
    /// What is in the box of the segment, and its secret.
    let secret = [UInt8](repeating: 7, count: 32)

    static func name(_ number: UInt8) throws -> SyncName {
        guard let name = SyncName([UInt8](repeating: number, count: SyncName.size)) else { throw SyncRefusal.truncated }
        return name
    }

    static func hash(_ number: UInt8) -> SyncHash { SyncHash(of: [number]) }

    init() throws {
        let alice = try SampleDevice(1)
        let bob = try SampleDevice(2)
        let paper = try SampleDevice(3, kind: .recovery)
        let epoch = EpochSecret(SymmetricKey(data: secret))
        let nameKey = SecretBytes([UInt8](repeating: 9, count: 32))
        let founding = try Entry(
            circle: .zero,
            parents: [],
            author: alice.id,
            body: .found(Founding(card: alice.card, nameKey: Founding.commitment(to: nameKey))),
            sign: alice.sign
        )
        let circle = founding.hash
        blobs = [
            ("card", "of a device", alice.card.encoded), ("card", "of a recovery key", paper.card.encoded),
            ("entry", "that founds a circle", founding.encoded),
        ]
        for (name, body) in try Self.bodies(alice, bob, epoch, nameKey, circle) {
            let parents = [circle, Self.hash(1)]
            let consent = try bob.sign(Addition.consent(of: bob.card, to: circle))
            let entry = try Entry(
                circle: circle,
                parents: parents,
                author: alice.id,
                body: body,
                consent: body.kind == .add ? consent : nil,
                sign: alice.sign
            )
            blobs.append(("entry", name, entry.encoded))
        }
        try addJournal(of: alice, epoch, circle)
        try addCeremony(alice, bob, circle)
    }

    private static func bodies(
        _ alice: SampleDevice,
        _ bob: SampleDevice,
        _ epoch: EpochSecret,
        _ nameKey: SecretBytes,
        _ circle: CircleID
    ) throws -> [(String, EntryBody)] {
        let earlier = EpochSecret(SymmetricKey(data: [UInt8](repeating: 8, count: 32)))
        let end = Ending(of: bob.id, salt: try name(5), at: 9, hash(9))
        let other = Ending(of: alice.id, salt: try name(4), at: 0, .zero)
        let data = EpochDescription.nameKeyData(in: circle, epoch.id)
        return [
            (
                "that adds a device",
                .add(
                    Addition(
                        card: bob.card,
                        wraps: [try epoch.wrap(for: bob.card, in: circle), try earlier.wrap(for: bob.card, in: circle)]
                    )
                )
            ),
            (
                "that removes a device",
                .remove(Removal(of: bob.id, ends: [end, Ending(of: bob.id, salt: try name(4), at: 0, .zero)]))
            ),
            ("that removes a device without a journal", .remove(Removal(of: bob.id, ends: []))),
            ("that ends a journal", .end([end])), ("that ends two journals", .end([end, other])),
            ("that merges entries", .merge),
            (
                "that begins an epoch",
                .epoch(
                    EpochDescription(
                        id: epoch.id,
                        secrets: try epoch.secrets(for: [alice.card, bob.card], earlier: [earlier], in: circle),
                        nameKey: try epoch.seal(nameKey, for: .afterFirstUnlock, authenticating: data)
                    )
                )
            ),
            ("that raises the floor", .floor(2)),
        ]
    }

    private mutating func addJournal(of alice: SampleDevice, _ epoch: EpochSecret, _ circle: CircleID) throws {
        let salt = try Self.name(6)
        let journal = JournalID(ofJournalOf: alice.id, salt: salt)
        let records = [
            Record(
                name: Self.hash(1),
                stamp: 1_800_000_000_000,
                number: 1,
                replaced: nil,
                item: SecretBytes([1, 2, 3])
            ),
            Record(name: Self.hash(2), stamp: 1_800_000_000_001, number: 1, replaced: Self.hash(3), item: nil),
        ]
        blobs.append(("records", "an item and a tombstone", Record.encode(records)))
        blobs.append(("records", "none", Record.encode([])))
        let contents = try Padding.padded(Record.encode(records))
        blobs.append(("contents", "padded", contents.withUnsafeBytes { Array($0) }))
        let segment = try Self.segment(
            Segment.Header(circle: circle, journal: journal, number: 1, previous: .zero),
            [(.unlocked, [records[0]]), (.afterFirstUnlock, [records[1]])],
            epoch
        )
        let header = Segment.Header(
            circle: circle,
            journal: journal,
            number: 3,
            previous: Self.hash(2),
            base: Segment.Base(first: 2, spine: [segment.hash, Self.hash(2)])
        )
        let base = try Self.segment(header, [(.afterFirstUnlock, records)], epoch)
        let empty = Segment(
            Segment.Header(
                circle: circle,
                journal: journal,
                number: 1,
                previous: .zero,
                base: .init(first: 1, spine: [])
            ),
            boxes: []
        )
        blobs.append(("segment", "with two boxes", segment.encoded))
        blobs.append(("segment", "that ends a base", base.encoded))
        blobs.append(("segment", "that is an empty base", empty.encoded))
        let head = try Head(
            Head.Contents(
                circle: circle,
                device: alice.id,
                salt: salt,
                counter: 4,
                tip: base.point,
                base: 2,
                isSettled: true,
                read: [
                    JournalPoint(journal: try Self.name(7), number: 2, hash: Self.hash(3)),
                    JournalPoint(journal: try Self.name(8), number: 1, hash: Self.hash(4)),
                ],
                readAtBase: [JournalPoint(journal: try Self.name(7), number: 1, hash: Self.hash(5))],
                frontier: [circle],
                epoch: epoch.id,
                stampFloor: 1_700_000_000_000,
                digest: Self.hash(8),
                clock: 1_800_000_000_000
            ),
            sign: alice.sign
        )
        blobs.append(("head", "with marks", head.encoded))
    }

    private static func segment(
        _ header: Segment.Header,
        _ tiers: [(tier: SyncTier, records: [Record])],
        _ epoch: EpochSecret
    ) throws -> Segment {
        let boxes = try tiers.map { tier, records in
            let contents = try Padding.padded(Record.encode(records))
            let data = header.associatedData(of: tier, in: epoch.id)
            let sealed = try epoch.seal(contents, for: tier, authenticating: data)
            return Segment.Box(tier: tier, epoch: epoch.id, sealed: sealed)
        }
        return Segment(header, boxes: boxes)
    }

    private mutating func addCeremony(_ alice: SampleDevice, _ bob: SampleDevice, _ circle: CircleID) throws {
        let ceremony = try Self.name(11)
        let nonce = Self.hash(12)
        let answer = JoinAnswer(
            ceremony: ceremony,
            circle: circle,
            frontier: [circle, Self.hash(1)],
            card: alice.card,
            nonce: Self.hash(13),
            heads: [JoinAnswer.KnownHead(journal: try Self.name(7), counter: 3, hash: Self.hash(14))]
        )
        let consent = try bob.sign(Addition.consent(of: bob.card, to: circle))
        blobs.append(
            ("request", "of a newcomer", JoinRequest(ceremony: ceremony, card: bob.card, nonce: nonce).encoded)
        )
        blobs.append(("answer", "of a member", answer.encoded))
        blobs.append(("reveal", "of a newcomer", JoinReveal(ceremony: ceremony, nonce: nonce).encoded))
        blobs.append(("consent", "of a newcomer", JoinConsent(ceremony: ceremony, signature: consent).encoded))
    }
}

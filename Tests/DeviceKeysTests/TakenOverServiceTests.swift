import EnclaveInterface
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import SyncTestSupport
import Testing

@testable import EnclaveDesk

/// A keychain service that was taken over, and what it asks the enclave for without its owner.
@Suite("A service that was taken over and the circle")
struct TakenOverServiceTests {
    private let site = CircleSite()
    private let alice: CircleDevice
    private let attacker: Stranger

    init() throws {
        alice = try CircleDevice(at: site)
        attacker = try Stranger()
        try alice.found()
    }

    private var circle: Circle { get throws { try #require(alice.replica).circle } }

    private func forgedAddition(to circle: CircleID? = nil) throws -> (body: EntryBody, consent: [UInt8]) {
        let consent = try attacker.consent(to: circle ?? self.circle.id)
        return (.add(Addition(card: attacker.card, wraps: [])), consent)
    }

    /// Whether the attacker's device is a member for the enclave: it would be given an epoch's secret.
    private func isMember() -> Bool {
        guard let secrets = try? alice.beginEpoch(for: [alice.keys.card, attacker.card]), let circle = try? circle
        else { return false }
        return attacker.opens(secrets, in: circle.id) > 0
    }

    @Test func `it founds no circle`() throws {
        let device = try CircleDevice(at: site)
        #expect(
            failure {
                try Replica.founding(device.keys.card, salt: .random(), nameKey: SecretBytes([1]), keys: device.keys)
            } == .noPermission
        )
        try device.owner.allow(.found, with: try device.token())
        // What was allowed was allowed once.
        try device.found()
        let founding = Founding(card: device.keys.card, nameKey: .zero)
        #expect(
            failure {
                try Entry(circle: .zero, parents: [], author: device.id, body: .found(founding)) {
                    (statement) throws(KeychainError) in try device.keys.sign(statement)
                }
            } == .noPermission
        )
    }

    @Test func `it adds no device, and hands no secret out`() throws {
        let (body, consent) = try forgedAddition()
        #expect(failure { try alice.signed(body, consent: consent) } == .noPermission)
        let epochs = try circle.state.goodEpochs.map(\.id)
        #expect(failure { try alice.keys.wrap(epochs, for: attacker.card, in: circle.id) } == .noPermission)
        #expect(failure { try alice.beginEpoch(for: [alice.keys.card, attacker.card]) } == .noPermission)
        #expect(failure { try alice.beginEpoch(for: [attacker.card]) } == .noPermission)
        #expect(!isMember())
    }

    @Test func `it makes nobody a member by entries that no member has signed`() throws {
        let (body, consent) = try forgedAddition()
        let accomplice = try Stranger()
        let parents = try circle.frontier
        var forged = [
            try attacker.entry(body, in: circle.id, after: parents, consent: consent),
            try accomplice.entry(body, in: circle.id, after: parents, consent: consent),
        ]
        // In the name of the device itself, under another one's signature.
        forged.append(
            try Entry(
                circle: circle.id,
                parents: parents,
                author: alice.id,
                body: body,
                consent: consent,
                sign: attacker.sign
            )
        )
        let founding = Founding(card: attacker.card, nameKey: .zero)
        forged.append(
            try Entry(circle: .zero, parents: [], author: attacker.card.id, body: .found(founding), sign: attacker.sign)
        )
        for entry in forged {
            try alice.keys.note(entry)
            #expect(!isMember())
        }
    }

    @Test func `it makes nobody a member who has not consented`() throws {
        let paper = try Stranger(kind: .recovery)
        let circle = try circle.id
        let papers = try paper.consent(to: circle)
        let change = SyncChange.addRecoveryKey(card: paper.card.encoded, consent: papers)
        try alice.owner.allow(change, with: try alice.token())
        var replica = try #require(alice.replica)
        _ = try replica.add(paper.card, consent: papers, keys: alice.keys)
        alice.replica = replica
        let (body, consent) = try forgedAddition()
        let parents = replica.circle.frontier
        for other in [[UInt8](repeating: 0, count: 64), papers, try attacker.consent(to: SyncHash(of: [1]))] {
            try alice.keys.note(try paper.entry(body, in: circle, after: parents, consent: other))
            #expect(!isMember())
        }
        try alice.keys.note(try paper.entry(body, in: circle, after: parents, consent: consent))
        #expect(isMember())
    }

    @Test func `it makes nobody a member again who was removed`() throws {
        let bob = try CircleDevice(at: site)
        try alice.approve(bob)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        let epochs = try circle.state.goodEpochs.map(\.id)
        _ = try alice.keys.wrap(epochs, for: bob.keys.card, in: circle.id)
        try alice.remove(bob.id)
        #expect(failure { try alice.keys.wrap(epochs, for: bob.keys.card, in: circle.id) } == .noPermission)
        for entry in site.entries.values.sorted(by: { $0.hash < $1.hash }) { try alice.keys.note(entry) }
        #expect(failure { try alice.keys.wrap(epochs, for: bob.keys.card, in: circle.id) } == .noPermission)
    }

    @Test func `it removes no device`() throws {
        let bob = try CircleDevice(at: site)
        try alice.approve(bob)
        for device in [bob.id, alice.id, attacker.card.id] {
            #expect(failure { try alice.signed(.remove(Removal(of: device, ends: []))) } == .noPermission)
        }
        let removal = EntryBody.remove(Removal(of: bob.id, ends: []))
        try alice.keys.note(try attacker.entry(removal, in: circle.id, after: circle.frontier))
        _ = try alice.keys.wrap(circle.state.goodEpochs.map(\.id), for: bob.keys.card, in: circle.id)
        // What was allowed for one device is not allowed for another one.
        try alice.owner.allow(.remove(bob.id.bytes), with: try alice.token())
        #expect(failure { try alice.signed(.remove(Removal(of: alice.id, ends: []))) } == .noPermission)
        _ = try alice.signed(.remove(Removal(of: bob.id, ends: [])))
    }

    @Test func `it has no epoch signed whose secret it knows, or that is for somebody else`() throws {
        let known = EpochSecret()
        let box = try known.seal(
            SecretBytes([UInt8](repeating: 1, count: 32)),
            for: .afterFirstUnlock,
            authenticating: []
        )
        let secrets = try known.secrets(for: [alice.keys.card], earlier: [], in: circle.id)
        let made = EntryBody.epoch(EpochDescription(id: known.id, secrets: secrets, nameKey: box))
        #expect(failure { try alice.signed(made) } == .noPermission)
        // Nor when the enclave has taken the secret, as it takes those of others.
        #expect(try alice.keys.unwrap(secrets, in: circle.id) == [known.id])
        #expect(failure { try alice.signed(made) } == .noPermission)
        let own = try alice.beginEpoch(for: [alice.keys.card])
        let id = try #require(own.wraps.first?.epoch)
        let stolen = EpochSecrets(wraps: own.wraps + [try known.wrap(for: attacker.card, in: circle.id).renamed(id)])
        #expect(
            failure { try alice.signed(.epoch(EpochDescription(id: id, secrets: stolen, nameKey: box))) }
                == .noPermission
        )
        _ = try alice.signed(.epoch(EpochDescription(id: id, secrets: own, nameKey: box)))
    }

    @Test func `it has nothing signed for another circle, for another device, or in a format that there is not`() throws
    {
        let other = SyncHash(of: [1])
        #expect(
            failure {
                try Entry(circle: other, parents: [other], author: alice.id, body: .end([])) {
                    (statement) throws(KeychainError) in try alice.keys.sign(statement)
                }
            } == .invalidParameter
        )
        #expect(
            failure {
                try Entry(circle: other, parents: [other], author: alice.id, body: .floor(1)) {
                    (statement) throws(KeychainError) in try alice.keys.sign(statement)
                }
            } == .noPermission
        )
        #expect(
            failure {
                try Entry(circle: circle.id, parents: circle.frontier, author: attacker.card.id, body: .floor(1)) {
                    (statement) throws(KeychainError) in try alice.keys.sign(statement)
                }
            } == .noPermission
        )
        #expect(failure { try alice.signed(.floor(2)) } == .noPermission)
        let head = try #require(site.heads.values.first).contents
        for (circle, device) in [(other, alice.id), (head.circle, attacker.card.id)] {
            let journal = JournalID(ofJournalOf: device, salt: head.salt)
            let contents = Head.Contents(
                circle: circle,
                device: device,
                salt: head.salt,
                counter: 9,
                tip: JournalPoint(journal: journal, number: 1, hash: other),
                base: 0,
                isSettled: false,
                read: [],
                readAtBase: [],
                frontier: head.frontier,
                epoch: head.epoch,
                stampFloor: 0,
                digest: .zero,
                clock: 1
            )
            #expect(
                failure {
                    try Head(contents) { (statement) throws(KeychainError) in try alice.keys.sign(statement) }
                } == .noPermission
            )
        }
        for bytes in [[], [1], [UInt8](repeating: 0, count: 60_000)] as [[UInt8]] {
            for kind in [SyncStatement.Kind.entry, .head] {
                #expect(failure { try alice.keys.sign(SyncStatement(kind, bytes)) } == .invalidParameter)
            }
        }
    }

    @Test func `it consents to no circle, types no digits, and asks for no ceremony in its owner's place`() throws {
        let device = try CircleDevice(at: site)
        let consent = try Addition.consent(of: device.keys.card, to: circle.id)
        #expect(failure { try device.keys.sign(consent) } == .noPermission)
        #expect(failure { try device.enclave.answer(SyncCeremonyRequest(.fetchConsent)) } == .itemNotFound)
        let token = try device.token()
        let digits = SecretBytes(Array("123456".utf8))
        #expect(failure { try device.enclave.answer(TypeDigitsRequest(digits, with: token)) } == .noPermission)
        #expect(failure { try device.enclave.answer(AllowSyncRequest(.found, with: token)) } == .noPermission)
        #expect(failure { try device.enclave.answer(CeremonyStateRequest(ends: true)) } == .noPermission)
    }

    @Test func `what was allowed is allowed for two minutes`() throws {
        let bob = try CircleDevice(at: site)
        try alice.approve(bob)
        func remove(after seconds: UInt64) throws -> KeychainError.Code? {
            try alice.owner.allow(.remove(bob.id.bytes), with: try alice.token())
            let then = StartClock.current
            let later = StartClock(start: then.start, now: then.now + seconds * 1_000_000_000)
            return StartClock.$uncheckedReading.withValue({ later }) {
                failure { try alice.signed(.remove(Removal(of: bob.id, ends: []))) }
            }
        }
        #expect(try remove(after: 121) == .noPermission)
        #expect(try remove(after: 119) == nil)
    }

    @Test func `an allowance needs a token of its own, once`() throws {
        let device = try CircleDevice(at: site)
        let other = try device.token(for: .backup)
        #expect(failure { try device.owner.allow(.found, with: other) } == .authenticationFailed)
        let token = try device.token()
        try device.owner.allow(.found, with: token)
        #expect(failure { try device.owner.allow(.found, with: token) } == .authenticationFailed)
        #expect(
            failure { try device.owner.type(digits: SecretBytes([1]), with: token) } == .authenticationFailed
        )
    }

    // MARK: - Ceremonies

    @Test func `a device that takes another one's place in a ceremony shows other digits`() throws {
        let bob = try CircleDevice(at: site)
        let request = try JoinRequest(try bob.enclave.answer(SyncCeremonyRequest(.begin)))
        // The service gives the member the attacker's card, and Bob an answer of its own making.
        let nonce = SyncHash(of: [7])
        let forged = JoinRequest(ceremony: request.ceremony, card: attacker.card, nonce: nonce)
        let answer = try alice.answer(to: forged)
        let reveal = JoinReveal(ceremony: request.ceremony, nonce: nonce)
        _ = try alice.enclave.answer(SyncCeremonyRequest(.reveal, reveal.encoded))
        _ = try bob.enclave.answer(SyncCeremonyRequest(.answer, answer.encoded))
        let shown = try bob.owner.ceremony().digits
        #expect(shown != JoinDigits(forged, answer, reveal).newcomers)
        #expect(failure { try alice.type(shown) } == .authenticationFailed)
        #expect(failure { try alice.type(JoinDigits(forged, answer, reveal).newcomers) } == .itemNotFound)
        let consent = JoinConsent(ceremony: request.ceremony, signature: try attacker.consent(to: circle.id))
        #expect(failure { try alice.enclave.answer(SyncCeremonyRequest(.consent, consent.encoded)) } == .itemNotFound)
        #expect(!isMember())
    }

    @Test func `the member's nonce is the enclave's, and a revealed card is the one that was committed to`() throws {
        let request = JoinRequest(ceremony: .random(), card: attacker.card, nonce: SyncHash(of: [7]))
        let first = try alice.answer(to: request)
        #expect(first.nonce != .zero)
        // One at a time.
        #expect(failure { try alice.answer(to: request) } == .duplicateItem)
        let other = JoinReveal(ceremony: .random(), nonce: SyncHash(of: [7]))
        #expect(failure { try alice.enclave.answer(SyncCeremonyRequest(.reveal, other.encoded)) } == .itemNotFound)
        let wrong = JoinReveal(ceremony: request.ceremony, nonce: SyncHash(of: [8]))
        #expect(
            failure { try alice.enclave.answer(SyncCeremonyRequest(.reveal, wrong.encoded)) } == .authenticationFailed
        )
        #expect(try alice.owner.ceremony().stage == .none)
        #expect(try alice.answer(to: request).nonce != first.nonce)
    }

    @Test func `digits cannot be guessed: after three failures there is a wait`() throws {
        for number in 0..<3 {
            let request = JoinRequest(ceremony: .random(), card: attacker.card, nonce: SyncHash(of: [7]))
            _ = try alice.answer(to: request)
            let reveal = JoinReveal(ceremony: request.ceremony, nonce: SyncHash(of: [7]))
            _ = try alice.enclave.answer(SyncCeremonyRequest(.reveal, reveal.encoded))
            #expect(failure { try alice.type("00000\(number)") } == .authenticationFailed)
        }
        let request = JoinRequest(ceremony: .random(), card: attacker.card, nonce: SyncHash(of: [7]))
        #expect(failure { try alice.answer(to: request) } == .authenticationFailed)
        _ = try alice.owner.ceremony(ending: true)
        #expect(failure { try alice.answer(to: request) } == .authenticationFailed)
    }

    @Test func `a message of no ceremony is refused, and ends none`() throws {
        let bob = try CircleDevice(at: site)
        let request = try JoinRequest(try bob.enclave.answer(SyncCeremonyRequest(.begin)))
        let answer = try alice.answer(to: request)
        for step in SyncCeremonyStep.allCases where step != .begin && step != .fetchConsent {
            for message in [[], [1], [UInt8](repeating: 1, count: 1_331)] as [[UInt8]] {
                for device in [alice, bob] {
                    #expect(
                        failure { try device.enclave.answer(SyncCeremonyRequest(step, message)) } != nil,
                        "\(step) \(message.count)"
                    )
                }
            }
        }
        #expect(failure { try bob.enclave.answer(SyncCeremonyRequest(.begin)) } == .duplicateItem)
        _ = try bob.enclave.answer(SyncCeremonyRequest(.answer, answer.encoded))
        #expect(try bob.owner.ceremony().stage == .showing)
        // A second answer would be a second guess.
        #expect(failure { try bob.enclave.answer(SyncCeremonyRequest(.answer, answer.encoded)) } == .itemNotFound)
    }

    @Test func `a member joins no other circle`() throws {
        #expect(failure { try alice.enclave.answer(SyncCeremonyRequest(.begin)) } == .duplicateItem)
    }
}

extension EpochWrap {
    fileprivate func renamed(_ epoch: EpochID) -> EpochWrap {
        EpochWrap(epoch: epoch, recipient: recipient, key: key)
    }
}

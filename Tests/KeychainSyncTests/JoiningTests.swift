import Foundation
import KeychainModel
import KeychainSync
import Testing

@Suite("Ceremonies in which a device joins")
struct JoiningTests {
    private static let clock = SyncSite.clock
    private let site = SyncSite()
    private let alice: SyncMember
    private let bob: SyncDevice
    private let ceremony = SyncMember.name()

    init() throws {
        alice = try SyncMember(founding: site)
        try alice.write(1, 10)
        for _ in 0..<2 { try alice.synchronize() }
        bob = try SyncDevice()
    }

    private func nonce() -> SyncHash {
        SyncHash(of: SyncMember.name().bytes)
    }

    private func newcomer() -> JoiningDevice {
        JoiningDevice(bob.card, ceremony: ceremony, nonce: nonce(), clock: Self.clock)
    }

    private func member(_ request: JoinRequest, limit: JoinLimit = JoinLimit()) throws -> ApprovingMember {
        try ApprovingMember(
            request,
            answering: JoinAnswer(to: request, of: alice.replica, card: alice.keys.card, nonce: nonce()),
            limit: limit,
            clock: Self.clock
        )
    }

    @Test func `an owner who types what each device shows at the other one adds the newcomer, with all items`() throws {
        var joining = newcomer()
        var approving = try member(JoinRequest(joining.request.encoded))
        let (reveal, shown) = try joining.take(JoinAnswer(approving.answer.encoded), clock: Self.clock)
        try approving.take(JoinReveal(reveal.encoded), clock: Self.clock)
        let other = try approving.type(shown, clock: Self.clock + 60_000)
        let consent = try joining.type(other, clock: Self.clock + 120_000, sign: bob.sign)
        let added = try approving.take(JoinConsent(consent.encoded), clock: Self.clock + 120_000)
        #expect(added.card == bob.card)
        site.post(try alice.replica.add(added.card, consent: added.consent, keys: alice.keys))
        let founding = try #require(alice.replica.circle.entries.first)
        var replica = try #require(try joining.replica(founding: founding))
        _ = try replica.insert(Array(site.entries.values), keys: bob)
        try alice.synchronize()
        _ = try replica.insert(Array(site.entries.values), keys: bob)
        let plan = try replica.plan(clock: Self.clock, heads: Array(site.heads.values), keys: bob) { site.segments[$0] }
        let outcome = replica.execute(plan, clock: Self.clock)
        #expect(Array(outcome.changed.keys) == [SyncMember.item(1)])
    }

    @Test func `both show twelve digits of the same messages, and other ones if a single byte differs`() throws {
        let joining = newcomer()
        let approving = try member(joining.request)
        let reveal = JoinReveal(ceremony: ceremony, nonce: nonce())
        let digits = JoinDigits(joining.request, approving.answer, reveal)
        #expect(digits.newcomers.count == 6)
        #expect(digits.members.count == 6)
        #expect(digits != JoinDigits(joining.request, approving.answer, JoinReveal(ceremony: ceremony, nonce: nonce())))
        let other = try member(joining.request)
        #expect(digits != JoinDigits(joining.request, other.answer, reveal))
    }

    /// Somebody in the middle has a key of its own and both sides' messages, and cannot choose its nonce any more.
    @Test func `a reveal that is not what was committed to ends the ceremony before anything is shown`() throws {
        var joining = newcomer()
        var approving = try member(joining.request)
        _ = try joining.take(approving.answer, clock: Self.clock)
        let changed = JoinReveal(ceremony: ceremony, nonce: nonce())
        #expect(throws: JoinFailure.brokenCommitment) { try approving.take(changed, clock: Self.clock) }
        #expect(throws: JoinFailure.otherCeremony) { try approving.type("000000", clock: Self.clock) }
    }

    @Test func `a newcomer's card that was exchanged makes both show different digits`() throws {
        let mallory = try SyncDevice()
        var joining = newcomer()
        // To the member, Mallory is the newcomer.
        var between = JoiningDevice(mallory.card, ceremony: ceremony, nonce: nonce(), clock: Self.clock)
        var approving = try member(between.request)
        let (_, shown) = try joining.take(approving.answer, clock: Self.clock)
        let (reveal, _) = try between.take(approving.answer, clock: Self.clock)
        try approving.take(reveal, clock: Self.clock)
        // The owner types what the true newcomer shows.
        #expect(throws: JoinFailure.wrongDigits) { try approving.type(shown, clock: Self.clock) }
    }

    @Test func `one guess is all: after wrong digits the ceremony is over at both ends`() throws {
        var joining = newcomer()
        var approving = try member(joining.request)
        let (reveal, shown) = try joining.take(approving.answer, clock: Self.clock)
        try approving.take(reveal, clock: Self.clock)
        let wrong = shown == "000000" ? "000001" : "000000"
        #expect(throws: JoinFailure.wrongDigits) { try approving.type(wrong, clock: Self.clock) }
        #expect(throws: JoinFailure.otherCeremony) { try approving.type(shown, clock: Self.clock) }
        #expect(throws: JoinFailure.wrongDigits) { try joining.type("12345", clock: Self.clock, sign: bob.sign) }
        #expect(throws: JoinFailure.otherCeremony) { try joining.type("123456", clock: Self.clock, sign: bob.sign) }
        let founding = try #require(alice.replica.circle.entries.first)
        #expect(try joining.replica(founding: founding) == nil)
    }

    @Test func `no consent is taken before the digits were typed, and none of another circle or ceremony`() throws {
        var joining = newcomer()
        var approving = try member(joining.request)
        let early = JoinConsent(ceremony: ceremony, signature: [UInt8](repeating: 0, count: 64))
        #expect(throws: JoinFailure.otherCeremony) { try approving.take(early, clock: Self.clock) }
        let (reveal, shown) = try joining.take(approving.answer, clock: Self.clock)
        try approving.take(reveal, clock: Self.clock)
        _ = try approving.type(shown, clock: Self.clock)
        let elsewhere = try bob.sign(Addition.consent(of: bob.card, to: SyncHash(of: [1])))
        let other = JoinConsent(ceremony: SyncMember.name(), signature: elsewhere)
        #expect(throws: JoinFailure.otherCeremony) { try approving.take(other, clock: Self.clock) }
        let wrong = JoinConsent(ceremony: ceremony, signature: elsewhere)
        #expect(throws: JoinFailure.noConsent) { try approving.take(wrong, clock: Self.clock) }
    }

    @Test func `a second answer is refused, and a ceremony ends after ten minutes or if the clock goes back`() throws {
        var joining = newcomer()
        let approving = try member(joining.request)
        _ = try joining.take(approving.answer, clock: Self.clock)
        #expect(throws: JoinFailure.otherCeremony) { try joining.take(approving.answer, clock: Self.clock) }
        for clock in [Self.clock + 600_001, Self.clock - 1] {
            #expect(throws: JoinFailure.expired) { try joining.type("123456", clock: clock, sign: bob.sign) }
            var late = approving
            let reveal = JoinReveal(ceremony: ceremony, nonce: nonce())
            #expect(throws: JoinFailure.expired) { try late.take(reveal, clock: clock) }
        }
    }

    @Test func `the founding entry of another circle does not make a replica`() throws {
        var joining = newcomer()
        var approving = try member(joining.request)
        let (reveal, shown) = try joining.take(approving.answer, clock: Self.clock)
        try approving.take(reveal, clock: Self.clock)
        _ = try joining.type(try approving.type(shown, clock: Self.clock), clock: Self.clock, sign: bob.sign)
        let other = try SyncMember(founding: SyncSite())
        let founding = try #require(other.replica.circle.entries.first)
        #expect(throws: SyncRefusal.otherCircle) { try joining.replica(founding: founding) }
    }

    @Test func `ceremonies that fail make the next ones wait: an hour, and twice as long each time, up to a week`()
        throws
    {
        var limit = JoinLimit()
        for _ in 0..<3 { limit.fail(clock: Self.clock) }
        let hour: UInt64 = 3_600_000
        #expect(throws: JoinFailure.tooManyFailures(until: Self.clock + hour)) {
            try member(newcomer().request, limit: limit)
        }
        try limit.check(clock: Self.clock + hour)
        limit.fail(clock: Self.clock + hour)
        #expect(throws: JoinFailure.tooManyFailures(until: Self.clock + 3 * hour)) {
            try limit.check(clock: Self.clock + 2 * hour)
        }
        // A clock that is set back does not shorten it.
        limit.fail(clock: 0)
        #expect(limit.last == Self.clock + hour)
        for _ in 0..<100 { limit.fail(clock: Self.clock) }
        try limit.check(clock: limit.last + 7 * 24 * hour)
        #expect(throws: JoinFailure.self) { try limit.check(clock: limit.last + 7 * 24 * hour - 1) }
        limit.succeed()
        try limit.check(clock: Self.clock)
    }

    // MARK: - Recovery keys

    private func recoveryKey(_ number: UInt8 = 7) throws -> RecoveryKey {
        try RecoveryKey(SecretBytes([UInt8](repeating: number, count: RecoveryKey.size)))
    }

    @Test func `a recovery key is read as it was printed, and as people type`() throws {
        let key = try recoveryKey()
        #expect(key.text.count == 44)
        for text in [
            key.text, key.text.lowercased(), key.text.replacing("-", with: " "), key.text.replacing("-", with: ""),
        ] {
            #expect(try RecoveryKey(text: text).card == key.card)
        }
        let golden = "0W3G-E1R7-0W3G-E1R7-0W3G-E1R7-0W3G-E1R7-"
        #expect(key.text.hasPrefix(golden))
        #expect(try RecoveryKey(text: key.text.replacing("0", with: "o").replacing("1", with: "l")).card == key.card)
    }

    @Test func `a recovery key that was mistyped is refused`() throws {
        let text = try recoveryKey().text
        #expect(throws: SyncRefusal.truncated) { try RecoveryKey(text: String(text.dropLast())) }
        #expect(throws: SyncRefusal.trailing) { try RecoveryKey(text: text + "0") }
        #expect(throws: SyncRefusal.outOfRange) { try RecoveryKey(text: "U" + text.dropFirst()) }
        #expect(throws: SyncRefusal.outOfRange) { try RecoveryKey(text: "é" + text.dropFirst()) }
        let letters = Array(text)
        for place in letters.indices where letters[place] != "-" {
            var wrong = letters
            wrong[place] = wrong[place] == "A" ? "B" : "A"
            #expect(throws: SyncRefusal.notCanonical) { try RecoveryKey(text: String(wrong)) }
        }
    }

    @Test func `a recovery key adds a device when no other one is left, and reads what is there`() throws {
        let paper = try SyncDevice(recovery: recoveryKey())
        let consent = try paper.sign(Addition.consent(of: paper.card, to: alice.replica.circle.id))
        site.post(try alice.replica.add(paper.card, consent: consent, keys: alice.keys))
        for _ in 0..<3 { try alice.synchronize() }
        // Only the paper and the transport are left.
        let founding = try #require(alice.replica.circle.entries.first)
        var circle = try Circle(founding: founding)
        #expect(circle.insert(Array(site.entries.values)).added.count == site.entries.count - 1)
        let again = try SyncDevice(recovery: RecoveryKey(text: recoveryKey().text))
        let bobs = try bob.sign(Addition.consent(of: bob.card, to: circle.id))
        let entries = try Replica.recover(bob.card, consent: bobs, in: circle, by: again.id, keys: again)
        var replica = Replica(of: bob.id, in: circle, required: [])
        _ = try replica.insert(entries, keys: bob)
        let plan = try replica.plan(clock: Self.clock, heads: Array(site.heads.values), keys: bob) { site.segments[$0] }
        let outcome = replica.execute(plan, clock: Self.clock)
        #expect(Array(outcome.changed.keys) == [SyncMember.item(1)])
        #expect(replica.isMember)
    }

    @Test func `a circle that a transport has invented for a recovery key is not taken: the key never consented to it`()
        throws
    {
        let paper = try SyncDevice(recovery: recoveryKey())
        let invented = try SyncMember(founding: SyncSite())
        for _ in 0..<2 { try invented.synchronize() }
        let consent = try paper.sign(Addition.consent(of: paper.card, to: alice.replica.circle.id))
        #expect(throws: SyncRefusal.badSignature) {
            try invented.replica.add(paper.card, consent: consent, keys: invented.keys)
        }
        #expect(throws: SyncRefusal.notMember) {
            try Replica.recover(
                bob.card,
                consent: [UInt8](repeating: 0, count: 64),
                in: invented.replica.circle,
                by: paper.id,
                keys: paper
            )
        }
    }
}

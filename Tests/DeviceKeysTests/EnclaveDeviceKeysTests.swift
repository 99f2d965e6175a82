import EnclaveInterface
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import SyncTestSupport
import Testing

@Suite("A device's keys in its enclave")
struct EnclaveDeviceKeysTests {
    private let site = CircleSite()
    private let name = SyncHash(of: [1])

    private func pair() throws -> (alice: CircleDevice, bob: CircleDevice) {
        let alice = try CircleDevice(at: site)
        try alice.found()
        let bob = try CircleDevice(at: site)
        try alice.approve(bob)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        return (alice, bob)
    }

    @Test func `two devices share an item after their owner has typed the digits of each at the other`() throws {
        let (alice, bob) = try pair()
        try alice.write("hunter2", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == "hunter2")
        try bob.write("hunter3", as: name)
        try alice.synchronize()
        #expect(alice.text(name) == "hunter3")
    }

    @Test func `a locked device signs and reads what is not locked, and nothing else`() throws {
        let (alice, bob) = try pair()
        let other = SyncHash(of: [2])
        try bob.lock()
        try alice.write("always there", as: other, tier: .afterFirstUnlock)
        try bob.synchronize()
        #expect(bob.text(other) == "always there")
        try alice.write("locked", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == nil)
        #expect(failure { try bob.beginEpoch(for: [alice.keys.card, bob.keys.card]) } == .interactionNotAllowed)
        let circle = try #require(bob.replica).circle
        let epochs = circle.state.goodEpochs.map(\.id)
        #expect(failure { try bob.keys.wrap(epochs, for: alice.keys.card, in: circle.id) } == .interactionNotAllowed)
        try bob.unlock()
        try bob.synchronize()
        #expect(bob.text(name) == "locked")
    }

    @Test func `a locked device takes no new secrets, and takes them once it is unlocked`() throws {
        let (alice, bob) = try pair()
        let circle = try #require(bob.replica).circle.id
        try bob.lock()
        let secrets = try alice.beginEpoch(for: [alice.keys.card, bob.keys.card])
        #expect(failure { try bob.keys.unwrap(secrets, in: circle) } == .interactionNotAllowed)
        // What is for others needs no key.
        let others = try alice.beginEpoch(for: [alice.keys.card])
        #expect(try bob.keys.unwrap(others, in: circle) == [])
        try bob.unlock()
        #expect(try bob.keys.unwrap(secrets, in: circle).count == 1)
        try bob.lock()
        #expect(try bob.keys.unwrap(secrets, in: circle).count == 1)
    }

    @Test func `before the first unlock a device can do nothing`() throws {
        let (alice, bob) = try pair()
        let epoch = try #require(bob.replica?.circle.state.goodEpochs.first?.id)
        try bob.owner.logOut()
        #expect(failure { try bob.keys.code(of: name, in: epoch) } == .interactionNotAllowed)
        #expect(
            failure {
                try bob.keys.seal(SecretBytes([1]), for: .afterFirstUnlock, in: epoch, authenticating: [])
            } == .interactionNotAllowed
        )
        try bob.unlock()
        #expect(try bob.keys.code(of: name, in: epoch) == alice.keys.code(of: name, in: epoch))
    }

    @Test func `the key of one box opens no other one`() throws {
        let (alice, bob) = try pair()
        let epoch = try #require(bob.replica?.circle.state.goodEpochs.first?.id)
        for tier in SyncTier.allCases {
            let box = try alice.keys.seal(SecretBytes([1, 2]), for: tier, in: epoch, authenticating: [3])
            let opened = try bob.keys.open(box, for: tier, in: epoch, authenticating: [3])
            #expect(opened.withUnsafeBytes { Array($0) } == [1, 2])
            let other: SyncTier = tier == .unlocked ? .afterFirstUnlock : .unlocked
            for (tier, data) in [(tier, [4]), (other, [3])] as [(SyncTier, [UInt8])] {
                #expect(
                    failure { try bob.keys.open(box, for: tier, in: epoch, authenticating: data) }
                        == .authenticationFailed
                )
            }
        }
    }

    @Test func `who was removed is given no secret any more, and others go on without it`() throws {
        let (alice, bob) = try pair()
        let carol = try CircleDevice(at: site)
        try alice.approve(carol)
        for _ in 0..<3 { for device in [carol, bob, alice] { try device.synchronize() } }
        try alice.remove(carol.id)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        try alice.write("not for carol", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == "not for carol")
        try? carol.synchronize()
        #expect(carol.text(name) == nil)
        for device in [alice, bob] {
            let circle = try #require(device.replica).circle
            let cards = [alice.keys.card, bob.keys.card, carol.keys.card]
            #expect(failure { try device.beginEpoch(for: cards) } == .noPermission)
            let epochs = circle.state.goodEpochs.map(\.id)
            #expect(failure { try device.keys.wrap(epochs, for: carol.keys.card, in: circle.id) } == .noPermission)
        }
    }

    @Test func `a device that was removed signs nothing any more, and joins again as a new one`() throws {
        let (alice, bob) = try pair()
        try alice.remove(bob.id)
        let before = bob.id
        var replica = try #require(bob.replica)
        _ = try replica.insert(Array(site.entries.values), keys: bob.keys)
        bob.replica = replica
        #expect(failure { try bob.signed(.floor(1)) } == .noPermission)
        try alice.approve(bob)
        #expect(bob.id != before)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        try alice.write("welcome back", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == "welcome back")
    }

    @Test func `a recovery key that consents becomes a member when the owner allows it`() throws {
        let (alice, _) = try pair()
        let paper = try Stranger(kind: .recovery)
        let circle = try #require(alice.replica).circle.id
        let consent = try paper.consent(to: circle)
        let change = SyncChange.addRecoveryKey(card: paper.card.encoded, consent: consent)
        #expect(
            failure { try alice.signed(.add(Addition(card: paper.card, wraps: [])), consent: consent) } == .noPermission
        )
        try alice.owner.allow(change, with: try alice.token())
        var replica = try #require(alice.replica)
        let entries = try replica.add(paper.card, consent: consent, keys: alice.keys)
        #expect(entries.contains { paper.opens($0.secrets, in: circle) > 0 })
        #expect(replica.circle.state.members[paper.card.id] != nil)
    }

    @Test func `only a recovery key that consents to this circle can be allowed`() throws {
        let (alice, _) = try pair()
        let circle = try #require(alice.replica).circle.id
        let paper = try Stranger(kind: .recovery)
        let device = try Stranger()
        for change in [
            SyncChange.addRecoveryKey(card: device.card.encoded, consent: try device.consent(to: circle)),
            .addRecoveryKey(card: paper.card.encoded, consent: try paper.consent(to: name)),
            .addRecoveryKey(card: [1, 2, 3], consent: []),
        ] {
            #expect(failure { try alice.owner.allow(change, with: try alice.token()) } == .invalidParameter)
        }
    }

    @Test func `a device that forgets its circle can found another one, as another device`() throws {
        let (alice, _) = try pair()
        let before = alice.id
        #expect(failure { try alice.owner.allow(.found, with: try alice.token()) } == .duplicateItem)
        try alice.owner.allow(.forget, with: try alice.token())
        #expect(failure { try alice.keys.code(of: name, in: name) } == .itemNotFound)
        try alice.found()
        #expect(alice.id != before)
    }
}

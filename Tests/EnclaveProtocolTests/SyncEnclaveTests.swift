import EnclaveInterface
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import SyncTestSupport
import Testing

@testable import EnclaveClient

/// What devices of a circle ask of their enclaves, over the enclave's sockets.
struct SyncEnclaveTests {
    private let served: ServedEnclave
    private let site = CircleSite()

    init() throws { served = try ServedEnclave() }

    private func device(_ uid: UInt32, over connection: EnclaveConnection) throws -> CircleDevice {
        let folder = RemoteEnclaveFolder(connection, uid: uid)
        try folder.create()
        try served.setPasscode(CircleDevice.passcode, of: uid)
        return try CircleDevice(try folder.open(), owner: try served.owner(of: uid), at: site)
    }

    @Test func `two devices share an item, and one that was removed gets none`() throws {
        let connection = served.connection()
        let alice = try device(1000, over: connection)
        let bob = try device(1001, over: connection)
        try alice.found()
        try alice.approve(bob)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        let name = SyncHash(of: [1])
        try alice.write("hunter2", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == "hunter2")
        try alice.remove(bob.id)
        try alice.synchronize()
        try alice.write("hunter3", as: name)
        try? bob.synchronize()
        #expect(bob.text(name) == "hunter2")
    }

    @Test func `an addition that is larger than a message is left alone, and keeps no other entry out`() throws {
        let alice = try device(1000, over: served.connection())
        try alice.found()
        var replica = try #require(alice.replica)
        let circle = replica.circle.id
        let (paper, other, last) = (try Stranger(kind: .recovery), try Stranger(), try Stranger(kind: .recovery))
        let consent = try paper.consent(to: circle)
        let change = SyncChange.addRecoveryKey(card: paper.card.encoded, consent: consent)
        try alice.owner.allow(change, with: try alice.token())
        _ = try replica.add(paper.card, consent: consent, keys: alice.keys)
        let wraps = try (0..<64).map { _ in try EpochSecret().wrap(for: other.card, in: circle) }
        let large = try paper.entry(
            .add(Addition(card: other.card, wraps: wraps)),
            in: circle,
            after: replica.circle.frontier,
            consent: try other.consent(to: circle)
        )
        #expect(large.encoded.count > EnclaveMessage.largest)
        let next = try paper.entry(
            .add(Addition(card: last.card, wraps: [])),
            in: circle,
            after: [large.hash],
            consent: try last.consent(to: circle)
        )
        #expect(try replica.insert([large, next], keys: alice.keys).added.count == 2)
        // One of both is a member for the enclave.
        #expect(
            failure { try alice.keys.beginEpoch(for: [alice.keys.card, other.card], earlier: [], in: circle) }
                == .noPermission
        )
        _ = try alice.keys.beginEpoch(for: [alice.keys.card, last.card], earlier: [], in: circle)
        // The device keeps up, and begins no epoch for the other.
        _ = try replica.keepUp(clock: CircleSite.clock, keys: alice.keys)
    }

    @Test func `a circle of as many members as there can be has room in messages`() throws {
        let alice = try device(1000, over: served.connection())
        try alice.found()
        var replica = try #require(alice.replica)
        let papers = try (1..<CircleState.mostMembers).map { _ in try Stranger(kind: .recovery) }
        for paper in papers {
            let consent = try paper.consent(to: replica.circle.id)
            let change = SyncChange.addRecoveryKey(card: paper.card.encoded, consent: consent)
            try alice.owner.allow(change, with: try alice.token())
            _ = try replica.add(paper.card, consent: consent, keys: alice.keys)
        }
        alice.replica = replica
        // Many earlier epochs, too: 32 wraps and 256 of them.
        let cards = replica.circle.state.members.values.sorted { $0.id < $1.id }
        let known = (0..<255).map { _ in EpochSecret() }
        let before = try EpochSecret().secrets(for: [alice.keys.card], earlier: known, in: replica.circle.id)
        let earlier = try alice.keys.unwrap(before, in: replica.circle.id)
        #expect(earlier.count == 256)
        let secrets = try alice.beginEpoch(for: cards, earlier: earlier)
        #expect(secrets.wraps.count == CircleState.mostMembers && secrets.earlier.count > 200)
        let id = try #require(secrets.wraps.first?.epoch)
        let box = try alice.keys.seal(
            SecretBytes([UInt8](repeating: 1, count: 32)),
            for: .afterFirstUnlock,
            in: id,
            authenticating: []
        )
        _ = try alice.signed(.epoch(EpochDescription(id: id, secrets: secrets, nameKey: box)))
        // What others have made, in whole: another member's enclave takes it.
        #expect(try alice.keys.unwrap(secrets, in: replica.circle.id).count == 1 + secrets.earlier.count)
        let wraps = try alice.keys.wrap(Array(earlier.sorted().prefix(64)), for: papers[0].card, in: replica.circle.id)
        #expect(wraps.count == 64)
    }
}

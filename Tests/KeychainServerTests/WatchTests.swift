import Foundation
import KeychainModel
import KeychainProtocol
import Synchronization
import Testing

@testable import KeychainServer

/// What programs hear that watch their keychain.
struct WatchTests {
    /// The groups of whoever connects next.
    private final class Groups: Sendable {
        let next = Mutex(["group"])
    }

    private let groups = Groups()
    private let service: TestService

    init() throws {
        let groups = groups
        service = try TestService(gate: OpenGate(groups: { groups.next.withLock(\.self) }))
    }

    private func watcher(of group: String) throws -> RawClient {
        groups.next.withLock { $0 = [group] }
        defer { groups.next.withLock { $0 = ["group"] } }
        let client = try RawClient.admitted(service.socket)
        client.send(try RawClient.frame(.watch))
        return client
    }

    private func event(_ client: RawClient) throws -> KeychainEvent {
        guard case .event(let event) = try client.receive() else { throw RawClient.Ended() }
        return event
    }

    @Test
    func `a watcher hears how it stands, and then of each change of its own groups' items`() throws {
        let watcher = try watcher(of: "group")
        #expect(try event(watcher) == .lockState(.noPasscode))
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a"))
        guard case .item(.added, let reference, "group") = try event(watcher) else {
            throw RawClient.Ended()
        }
        #expect(reference.itemClass == .genericPassword)
        _ = try client.count(RawClient.delete("a"))
        #expect(try event(watcher) == .item(.deleted, reference, accessGroup: "group"))
    }

    @Test
    func `a watcher hears nothing of other groups' items`() throws {
        let stranger = try watcher(of: "other")
        #expect(try event(stranger) == .lockState(.noPasscode))
        let own = try watcher(of: "group")
        #expect(try event(own) == .lockState(.noPasscode))
        let client = try RawClient.admitted(service.socket)
        _ = try client.count(RawClient.add("a"))
        // The control: whoever has the group hears of it.
        guard case .item(.added, _, "group") = try event(own) else { throw RawClient.Ended() }
        groups.next.withLock { $0 = ["other"] }
        let other = try RawClient.admitted(service.socket)
        _ = try other.count(RawClient.add("b"))
        // The first that the stranger hears is the second that has happened.
        guard case .item(.added, _, "other") = try event(stranger) else { throw RawClient.Ended() }
    }

    @Test
    func `a watcher for the circle hears that a synchronizable item has changed, and nothing of others`() throws {
        let watchers = Watchers()
        let caller = Caller(name: "carrier", groups: AccessGroups(["group"]))
        let carrier = try watchers.add(for: caller, ofCircle: true)
        let ordinary = try watchers.add(for: caller)
        func change(isSynchronizable: Bool) {
            let row = AffectedRow(
                uuid: ItemUUID(),
                itemClass: .key,
                accessGroup: "group",
                isSynchronizable: isSynchronizable
            )
            let operation = RawClient.add("account")
            watchers.tell(of: operation, .success(OperationResult(.items([]), rows: [row])))
        }
        change(isSynchronizable: false)
        #expect(carrier.take().isEmpty && ordinary.take().count == 1)
        for _ in 0..<3 { change(isSynchronizable: true) }
        #expect(carrier.take() == [.circleChange] && ordinary.take().count == 3)
    }

    @Test
    func `a watcher that does not read holds up nobody, and is told that it has missed something`() throws {
        let watcher = try Watchers().add(for: Caller(name: "slow", groups: AccessGroups(["group"])))
        let all = Watchers()
        let slow = try all.add(for: Caller(name: "slow", groups: AccessGroups(["group"])))
        for _ in 0...Watcher.mostWaiting { all.tell(.lockState(.locked)) }
        #expect(slow.take().first == .missed)
        #expect(watcher.take().isEmpty)
    }

    @Test
    func `no more programs watch than have threads`() throws {
        let all = Watchers()
        let caller = Caller(name: "watcher", groups: AccessGroups(["group"]))
        let first = try (0..<Watchers.most).map { _ in try all.add(for: caller) }
        #expect(throws: KeychainError(.notAvailable, "")) { try all.add(for: caller) }
        all.remove(first[0])
        #expect(throws: Never.self) { try all.add(for: caller) }
    }

    @Test
    func `a request on a connection that watches ends it`() throws {
        let watcher = try watcher(of: "group")
        #expect(try event(watcher) == .lockState(.noPasscode))
        watcher.send(try RawClient.frame(.status, id: 2))
        watcher.waitForEnd()
        // The service goes on.
        #expect(throws: Never.self) { try RawClient.admitted(service.socket).status() }
    }
}

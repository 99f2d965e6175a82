import EnclaveClient
import EnclaveInterface
import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Synchronization
import Testing

/// A lock against answers that are under way, in the service as it is started.
@Suite("Locks that race answers", .serialized, .timeLimit(.minutes(5)))
struct LockRaceTests {
    private static let mark = Array("SECRET-\(UUID().uuidString)".utf8)

    private func unlockedService(_ mode: ServiceProcess.Mode) throws -> LockedService {
        let service = try LockedService(mode)
        // Long enough that few answers fill a socket.
        let secret = Self.mark + [UInt8](repeating: 0x2e, count: 4_000)
        _ = try service.client.add(Item.add("locked", secret: secret))
        try service.control().changePasscode(from: nil, to: LockedService.passcode)
        return service
    }

    /// Once it has returned, the kernel has all bytes that will ever come: what a client has not read yet is in its
    /// socket, and can be counted.
    @Test(arguments: ServiceProcess.Mode.possible)
    func `no byte of a locked item is sent once the lock has returned`(mode: ServiceProcess.Mode) throws {
        let service = try unlockedService(mode)
        var sentBefore = 0
        for (round, count) in [20, 60, 300].enumerated() {
            if round > 0 { try service.control().unlock(LockedService.passcode) }
            let clients = try (0..<3).map { _ in try SilentClient(service.address.path) }
            defer { withExtendedLifetime(clients) {} }
            let control = try service.control()
            for client in clients { try client.ask(Item.find("locked"), times: count) }
            // At another point of their answers each time.
            try waitUntil("some of an answer is there", pause: 0) { clients.contains { $0.waiting > 0 } }
            usleep(useconds_t(round) * 3_000)
            try control.lock()
            let waiting = clients.map(\.waiting)
            for (client, waiting) in zip(clients, waiting) {
                let bytes = client.readUntilQuiet()
                #expect(bytes.count >= waiting)
                let marks = Data(bytes).places(of: Self.mark)
                #expect(marks.allSatisfy { $0 + Self.mark.count <= waiting }, "round \(round)")
                sentBefore += marks.count
            }
        }
        // Or there was nothing to race with.
        #expect(sentBefore > 0)
    }

    @Test(arguments: ServiceProcess.Mode.possible)
    func `no client that asks once the lock has returned gets a locked item`(mode: ServiceProcess.Mode) throws {
        let service = try unlockedService(mode)
        let locks = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
        let late = Atomic<Int>(0)
        let got = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                let client = service.client
                while !isOver.load(ordering: .acquiring) {
                    // Odd while it is locked.
                    let before = locks.load(ordering: .acquiring)
                    let found = Result { () throws(KeychainError) in try client.find(Item.find("locked")) }
                    switch found {
                    case .success:
                        got.add(1, ordering: .relaxed)
                        let isLocked = before % 2 == 1 && locks.load(ordering: .acquiring) == before
                        if isLocked { late.add(1, ordering: .relaxed) }
                    case .failure(let error) where error.code == .interactionNotAllowed:
                        refused.add(1, ordering: .relaxed)
                    case .failure: break
                    }
                }
            }
        }
        // Also where something fails, so that the clients end.
        defer {
            isOver.store(true, ordering: .releasing)
            group.wait()
        }
        let control = try service.control()
        for _ in 0..<3 {
            try waitUntil("an item is read", pause: 1_000) { got.exchange(0, ordering: .relaxed) > 0 }
            try control.lock()
            locks.add(1, ordering: .acquiringAndReleasing)
            // Those that were under way as the lock returned may be late.
            refused.store(0, ordering: .relaxed)
            try waitUntil("twenty requests are refused", pause: 1_000) { refused.load(ordering: .relaxed) >= 20 }
            locks.add(1, ordering: .acquiringAndReleasing)
            try control.unlock(LockedService.passcode)
        }
        isOver.store(true, ordering: .releasing)
        group.wait()
        #expect(late.load(ordering: .relaxed) == 0)
    }
}

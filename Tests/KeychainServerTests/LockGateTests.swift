import Foundation
import Glibc
import Synchronization
import Testing

@testable import KeychainServer

/// What goes out, and what does not, when a keychain is locked while requests are under way.
struct LockGateTests {
    private let gate = LockGate()

    private func pair() -> [Int32] {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        return ends
    }

    /// Whether bytes still go out.
    private func canSend(_ socket: Int32) -> Bool {
        send(socket, [1], 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == 1
    }

    /// Enters on a thread of its own, as connections have.
    private func enter(_ socket: Int32) throws -> LockGate.Pass {
        let pass = Mutex<LockGate.Pass?>(nil)
        let thread = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass.withLock { $0 = gate.enter(socket) }
            thread.signal()
        }
        thread.wait()
        let entered = pass.withLock { $0 }
        return try #require(entered)
    }

    @Test
    func `a lock waits for an answer that is on its way`() throws {
        let ends = pair()
        let pass = try enter(ends[0])
        let hasSent = Mutex(false)
        Thread.detachNewThread {
            usleep(50_000)
            hasSent.withLock { $0 = canSend(ends[0]) }
            gate.leave(pass)
        }
        gate.shut()
        let wasSent = hasSent.withLock { $0 }
        #expect(wasSent)
        // Its connection goes on.
        #expect(canSend(ends[0]))
        ends.forEach { close($0) }
    }

    @Test
    func `nothing goes out after a lock of a request that does not end`() throws {
        let ends = pair()
        let pass = try enter(ends[0])
        #expect(canSend(ends[0]))
        gate.shut()
        #expect(!canSend(ends[0]))
        gate.leave(pass)
        ends.forEach { close($0) }
    }

    @Test
    func `requests that begin after a lock are not held up`() throws {
        let ends = pair()
        gate.shut()
        let pass = try enter(ends[0])
        #expect(canSend(ends[0]))
        gate.leave(pass)
        ends.forEach { close($0) }
    }

    @Test
    func `a request that brings a lock about does not wait for itself`() {
        let ends = pair()
        let pass = gate.enter(ends[0])
        gate.shut()
        #expect(canSend(ends[0]))
        gate.leave(pass)
        ends.forEach { close($0) }
    }
}

import Dispatch
import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import Testing

@Suite("A service that stops", .timeLimit(.minutes(2)))
struct StopTests {
    /// A gate that keeps callers waiting, and refuses one that seems to have hung up, as the real one does.
    private struct SlowGate: Gatekeeper {
        let isAsked = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)

        func admit(_ socket: Int32) throws(KeychainError) -> AdmittedPeer {
            isAsked.signal()
            goesOn.wait()
            var byte: UInt8 = 0
            guard recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0 else {
                throw KeychainError(.authenticationFailed, "the caller has gone")
            }
            return try OpenGate().admit(socket)
        }
    }

    /// Stops a service on a thread of its own.
    private func stop(_ service: TestService) -> DispatchSemaphore {
        let hasStopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            service.stop()
            hasStopped.signal()
        }
        return hasStopped
    }

    @Test func `admits one that it has begun to look at, and notes no attack`() throws {
        let gate = SlowGate()
        let service = try TestService(gate: gate)
        let client = try RawClient(service.socket)
        #expect(gate.isAsked.wait(timeout: .now() + .seconds(10)) == .success)
        let hasStopped = stop(service)
        #expect(hasStopped.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        gate.goesOn.signal()
        #expect(hasStopped.wait(timeout: .now() + .seconds(10)) == .success)
        guard case .welcome = try client.receive() else {
            Issue.record("the client was not admitted")
            return
        }
        #expect(service.counts.rejected == 0)
        #expect(service.audit().isEmpty)
    }

    @Test func `notes no attack of one that it cuts off because its look takes too long`() throws {
        let gate = SlowGate()
        var limits = TestService.quickLimits
        limits.stopTime = .milliseconds(100)
        let service = try TestService(limits: limits, gate: gate)
        let client = try RawClient(service.socket)
        #expect(gate.isAsked.wait(timeout: .now() + .seconds(10)) == .success)
        let hasStopped = stop(service)
        // The service has given up before its own last wait ends.
        #expect(throws: (any Error).self) { try client.receive() }
        gate.goesOn.signal()
        #expect(hasStopped.wait(timeout: .now() + .seconds(10)) == .success)
        #expect(service.counts.rejected == 0 && service.counts.dropped == 1)
        #expect(service.audit().isEmpty)
    }
}

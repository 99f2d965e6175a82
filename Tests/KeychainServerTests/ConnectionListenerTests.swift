import Dispatch
import Foundation
import Glibc
import KeychainSystem
import KeychainTestSupport
import Logging
import Synchronization
import Testing

@testable import KeychainServer

struct ConnectionListenerTests {
    @Test func `a stop waits for the connection that is being taken, and none is taken after it`() throws {
        let keychain = try TestKeychain()
        let path = keychain.surroundings + "/keychain.sock"
        let listening = try ListeningSocket(binding: path, for: .owner)
        defer { listening.close() }
        let isTaken = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let taken = Mutex(0)
        let listener = try ConnectionListener(socket: listening.descriptor, log: Logger(label: "test")) { connection in
            close(connection)
            taken.withLock { $0 += 1 }
            isTaken.signal()
            goesOn.wait()
        }
        Thread.detachNewThread { listener.run() }
        let first = try RawClient(path)
        defer { first.close() }
        #expect(isTaken.wait(timeout: .now() + .seconds(10)) == .success)
        let hasStopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            listener.stop()
            hasStopped.signal()
        }
        #expect(hasStopped.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        goesOn.signal()
        #expect(hasStopped.wait(timeout: .now() + .seconds(10)) == .success)
        let late = try RawClient(path)
        defer { late.close() }
        #expect(isTaken.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        #expect(taken.withLock(\.self) == 1)
    }
}

import Foundation
import Glibc
import KeychainSystem
import Synchronization
import Testing

@Suite("Waiting")
struct WaitingTests {
    /// For what comes at once.
    private var soon: ContinuousClock.Instant { .now + .seconds(10) }

    @Test func `a thread waits for the first of several descriptors`() throws {
        let (first, second) = (try WakeUp(), try WakeUp())
        second.signal()
        let ready = try Waiting.wait(for: (first.number, POLLIN), (second.number, POLLIN), (-1, POLLIN), until: soon)
        #expect(ready == [false, true, false])
    }

    @Test func `waiting ends at its deadline, and one that has passed looks once`() throws {
        let wake = try WakeUp()
        let start = ContinuousClock.now
        #expect(try !wake.wait(for: POLLIN, until: start + .milliseconds(20)))
        #expect(.now - start >= .milliseconds(20))
        #expect(try !wake.wait(for: POLLIN, until: start))
        wake.signal()
        #expect(try wake.wait(for: POLLIN, until: start))
        #expect(try wake.wait(for: POLLIN, until: SuspendingClock.now))
    }

    @Test func `a hang-up is noticed by who waits for nothing else`() throws {
        let (reader, writer) = try Descriptor.pair(SOCK_STREAM)
        _ = Glibc.send(writer.number, [1], 1, 0)
        #expect(try !reader.wait(for: 0, until: ContinuousClock.now))
        shutdown(writer.number, Int32(SHUT_RDWR))
        #expect(try reader.wait(for: 0, until: soon))
    }

    @Test func `any number of signals are one, and are taken back at once`() throws {
        let wake = try WakeUp()
        for _ in 0..<1_000 { wake.signal() }
        #expect(wake.wait(within: .seconds(10)))
        #expect(!wake.wait(within: .zero))
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    /// Waits on a thread of its own, which gets a signal each few milliseconds.
    @Test func `signals neither end waiting nor make it longer`() async throws {
        signal(SIGURG) { _ in }
        let wake = try WakeUp()
        let isOver = Flag()
        let waited = await withCheckedContinuation { continuation in
            let waiter = Thread {
                let start = ContinuousClock.now
                let isReady = (try? wake.wait(for: POLLIN, until: start + .milliseconds(200))) ?? true
                isOver.value.store(true, ordering: .releasing)
                continuation.resume(returning: isReady ? nil : ContinuousClock.now - start)
            }
            let disturber = Thread {
                while !isOver.value.load(ordering: .acquiring) {
                    kill(getpid(), SIGURG)
                    usleep(5_000)
                }
            }
            waiter.start()
            disturber.start()
        }
        let time = try #require(waited)
        #expect(time >= .milliseconds(200) && time < .seconds(60))
    }
}

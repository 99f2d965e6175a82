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

    private final class Waiter: Sendable {
        /// Zero before it waits.
        let thread = Atomic<UInt>(0)
        let isOver = Atomic(false)
    }

    private static let interruptions = Atomic(0)

    /// Waits on a thread of its own, which gets a signal each few milliseconds.
    @Test func `signals neither end waiting nor make it longer`() async throws {
        signal(SIGURG) { _ in WaitingTests.interruptions.add(1, ordering: .relaxed) }
        let wake = try WakeUp()
        let waiter = Waiter()
        let waited = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // Threads begin with the signals kept off that their makers keep off.
                var all = sigset_t()
                sigemptyset(&all)
                sigaddset(&all, SIGURG)
                pthread_sigmask(SIG_UNBLOCK, &all, nil)
                waiter.thread.store(UInt(pthread_self()), ordering: .releasing)
                let start = ContinuousClock.now
                let isReady = (try? wake.wait(for: POLLIN, until: start + .milliseconds(200))) ?? true
                let time = ContinuousClock.now - start
                waiter.isOver.store(true, ordering: .releasing)
                continuation.resume(returning: isReady ? nil : time)
                // For whoever sends to it once more.
                usleep(200_000)
            }
            Thread.detachNewThread {
                while !waiter.isOver.load(ordering: .acquiring) {
                    if case let thread = waiter.thread.load(ordering: .acquiring), thread != 0 {
                        pthread_kill(pthread_t(thread), SIGURG)
                    }
                    usleep(5_000)
                }
            }
        }
        let time = try #require(waited)
        #expect(time >= .milliseconds(200) && time < .seconds(60))
        #expect(Self.interruptions.load(ordering: .relaxed) > 0)
    }
}

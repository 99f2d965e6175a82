import Testing

@testable import KeychainStore

@Suite("When the journal is cleaned again")
struct CleaningAttemptsTests {
    /// How long is waited until the last attempt.
    private func wait(_ start: CleaningAttempts, count: Int) -> Duration {
        var attempts = start
        var total = Duration.zero
        while true {
            total += attempts.pause
            if attempts.areOver(afterBlockedOne: count) { return total }
        }
    }

    @Test func `a reader is waited for in pauses that double, for 20 seconds`() {
        let attempts = CleaningAttempts()
        #expect(attempts.pause == .milliseconds(20))
        #expect(wait(attempts, count: 1) == .milliseconds(20_460))
    }

    @Test func `what is left meanwhile gets its 20 seconds too, in pauses that stay long`() {
        var attempts = CleaningAttempts()
        for _ in 0..<9 {
            let areOver = attempts.areOver(afterBlockedOne: 1)
            #expect(!areOver)
        }
        let areOver = attempts.areOver(afterBlockedOne: 2)
        #expect(!areOver)
        #expect(attempts.pause == .milliseconds(640))
        #expect(wait(attempts, count: 2) > .seconds(19))
    }

    @Test func `a lock that another process holds is no attempt`() {
        var attempts = CleaningAttempts()
        for _ in 0..<1_000 { attempts.noteBusyLock() }
        #expect(attempts.pause == .milliseconds(640))
        _ = attempts.areOver(afterBlockedOne: 1)
        #expect(attempts.pause == .milliseconds(40))
    }
}

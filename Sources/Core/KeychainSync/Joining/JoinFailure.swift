/// Why a ceremony ends. Nothing of it is kept then.
package enum JoinFailure: Error, Equatable, Sendable {
    /// It has taken longer than ten minutes.
    case expired
    /// The message belongs to another ceremony, or this one is over.
    case otherCeremony
    /// The newcomer has revealed something else than it had committed to: somebody is in the middle.
    case brokenCommitment
    /// What was typed is not what the other device shows: somebody is in the middle, or the owner has mistyped it.
    case wrongDigits
    /// The consent is not that of the newcomer to this circle.
    case noConsent
    /// Ceremonies have failed too often: there is a wait until this time, in milliseconds since 1970.
    case tooManyFailures(until: UInt64)
}

/// How long a ceremony may take: ten minutes.
let longestCeremony: UInt64 = 600_000

/// Counts ceremonies that failed at a member, for all of its life: digits cannot be guessed over days.
///
/// The caller keeps it, and writes it before it answers.
package struct JoinLimit: Hashable, Sendable {
    /// Failures that cost nothing.
    private static let free = 3
    private static let firstWait: UInt64 = 3_600_000
    private static let longestWait: UInt64 = 7 * 86_400_000

    /// Since the last success.
    package private(set) var failures: UInt32
    /// When the last one failed, in milliseconds since 1970.
    package private(set) var last: UInt64

    package init(failures: UInt32 = 0, last: UInt64 = 0) {
        self.failures = failures
        self.last = last
    }

    package mutating func fail(clock: UInt64) {
        failures = failures == .max ? .max : failures + 1
        last = max(last, clock)
    }

    package mutating func succeed() { self = JoinLimit() }

    /// An hour after the third failure, and twice as long after each that follows, up to a week.
    ///
    /// - Throws: `tooManyFailures`.
    package func check(clock: UInt64) throws(JoinFailure) {
        guard failures >= Self.free else { return }
        let doublings = min(failures - UInt32(Self.free), 8)
        let end = last &+ min(Self.firstWait << UInt64(doublings), Self.longestWait)
        guard clock >= end else { throw .tooManyFailures(until: end) }
    }
}

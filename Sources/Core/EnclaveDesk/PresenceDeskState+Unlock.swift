import EnclaveInterface
import KeychainModel

/// An unlock of the owner's session with a finger, of which root has told.
struct FingerUnlock {
    static let factor = PresenceFactors.biometry

    /// Nanoseconds since the machine's start, sleep included. Nobody can set that clock.
    let time: UInt64
    /// The fingers that were enrolled then; nil until they are known.
    var set: EnrolledSet?
}

/// A finger that was read when the session was unlocked, in the place of one that is asked for.
extension PresenceDeskState {
    mutating func sessionUnlocked(at clock: StartClock) {
        unlock = FingerUnlock(time: clock.now)
    }

    /// The enrolled fingers have been looked at after an unlock. One whose fingers cannot be told counts for nothing,
    /// and what has ended meanwhile stays so.
    mutating func identifyUnlock(of time: UInt64) {
        guard unlock?.time == time else { return }
        unlock = enrolledSet.map { FingerUnlock(time: time, set: $0) }
    }

    /// Others are enrolled now, or it is unknown which: the unlock has ended, also if they come back.
    mutating func forgetUnlockOfOthers() {
        if let set = unlock?.set, set != enrolledSet { unlock = nil }
    }

    /// What an unlock proves for a question: a finger or nothing.
    ///
    /// Only for contexts, whose groups and program are known. The limit is the enclave's, whatever the question says.
    func reused(by question: PresenceQuestion, at clock: StartClock) -> PresenceFactors {
        guard case .context = question.scope,
            question.demand.alternatives.contains(where: { $0.isSuperset(of: FingerUnlock.factor) }),
            let unlock, let set = unlock.set, set == enrolledSet, !isLockedOut(FingerUnlock.factor)
        else { return [] }
        let allowed = UInt64(min(question.reuse.milliseconds, UnlockReuse.longest.milliseconds)) * 1_000_000
        guard allowed > 0, clock.now >= unlock.time, clock.now - unlock.time <= allowed else { return [] }
        return FingerUnlock.factor
    }

    /// The fingers that are enrolled and can be read; nil where that is unknown, or none is.
    private var enrolledSet: EnrolledSet? {
        guard let seen = readers[FingerUnlock.factor]?.seen, seen.obstacle == nil, seen.set != .empty else {
            return nil
        }
        return seen.set
    }
}

/// What a finger does on a reader (`scan-type` of net.reactivated.Fprint.Device).
package enum FingerprintKind: Sendable, Equatable {
    /// Laid on it; also for unknown words of the reader, since only a prompt's text depends on it.
    case press
    case swipe
}

/// Whether a user's finger can be asked for.
package enum FingerprintStatus: Sendable, Equatable {
    /// There is a reader, and the user has enrolled a finger. Whether another program has claimed the reader shows only
    /// when it is claimed.
    case ready(FingerprintKind)
    case obstacle(FingerprintObstacle)
}

/// Why there is no answer about a finger. None of these says anything about whose finger it was.
package enum FingerprintObstacle: Error, Sendable, Equatable {
    /// No libsystemd, or no system bus.
    case noBus
    /// fprintd is not installed, or does not start.
    case noService
    /// A process that is not root's owns fprintd's name.
    case untrustedService
    case noReader
    /// The user has no finger enrolled on this reader.
    case nothingEnrolled
    /// polkit or the bus refuses this process.
    case notPermitted
    /// Another program has claimed the reader, or another verification of this `FingerprintReader` goes on.
    case busy
    /// fprintd has not answered in time.
    case noAnswer
    /// fprintd has ended, or its name has gone to another process.
    case serviceLost
    /// The reader has been unplugged.
    case readerLost
    /// No finger was put on the reader in time.
    case timedOut
    /// fprintd tells of a failure.
    case failed
    /// fprintd answers what its interface does not have, or far too much.
    case misbehaving
    /// No user has such a name.
    case unusableName
}

/// What to tell the person while a finger is waited for.
package enum FingerprintMessage: Sendable, Equatable {
    /// The reader waits for a finger.
    case waiting
    case retry
    case swipeTooShort
    case notCentered
    case removeAndRetry
}

/// How one attempt has ended.
package enum FingerprintVerdict: Sendable, Equatable {
    /// The finger is one that is enrolled for the user.
    case matched
    /// It is none of them. The reader is free again; whether there is another attempt is the caller's to say.
    case noMatch
    /// The caller's descriptor has become readable.
    case cancelled
    case obstacle(FingerprintObstacle)
}

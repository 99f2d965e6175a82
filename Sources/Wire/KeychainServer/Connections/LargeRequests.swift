import KeychainModel

/// The right to need much memory for a while: one of the service's few, and one of the user's fewer.
struct LargeRequestPermit: ~Copyable {
    private let own: Turnstile
    private let all: Turnstile

    /// - Throws: `notAvailable` if there is none in time.
    init(of share: UserShare, among all: Turnstile, before deadline: ContinuousClock.Instant) throws(KeychainError) {
        // The user's own first, so that who waits for it takes nothing of the others'.
        try share.largeRequests.enter(before: deadline)
        do throws(KeychainError) {
            try all.enter(before: deadline)
        } catch {
            share.largeRequests.leave()
            throw error
        }
        own = share.largeRequests
        self.all = all
    }

    deinit {
        all.leave()
        own.leave()
    }
}

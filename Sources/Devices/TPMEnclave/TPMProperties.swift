/// What a TPM says of itself, without proof.
package struct TPMProperties: Sendable, Equatable {
    package let isLockedOut: Bool
    /// Wrong authorisations that are not forgiven yet, of all programs.
    package let failedTries: UInt32
    /// With so many it locks itself out.
    package let allowedTries: UInt32
    /// Seconds until one wrong try is forgiven.
    package let interval: UInt32
    /// Four letters; `IBM` for swtpm.
    package let manufacturer: String

    package init(isLockedOut: Bool, failedTries: UInt32, allowedTries: UInt32, interval: UInt32, manufacturer: String) {
        self.isLockedOut = isLockedOut
        self.failedTries = failedTries
        self.allowedTries = allowedTries
        self.interval = interval
        self.manufacturer = manufacturer
    }

    /// How many wrong tries this keychain leaves to others, such as the person's disk encryption: half of them, and one
    /// at least.
    package var reserve: UInt32 { max(1, allowedTries / 2) }

    /// Whether one more wrong try is ours to make.
    ///
    /// The TPM forgives one try in each interval. So an attacker who guesses through us makes no more tries in an hour
    /// than it forgives, and none of ours is the one that locks it out.
    package var allowsTry: Bool {
        guard !isLockedOut, allowedTries > reserve else { return false }
        return failedTries < allowedTries - reserve
    }
}

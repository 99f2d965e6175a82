/// By what a person can be told. A set has five factors at most, so that a demand fits into 32 bits.
package struct PresenceFactors: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The keychain's passcode.
    package static let passcode = PresenceFactors(rawValue: 1 << 0)
    /// An enrolled finger, or another biometric factor that the machine reads.
    package static let biometry = PresenceFactors(rawValue: 1 << 1)

    package static let all: PresenceFactors = [.passcode, .biometry]

    /// One factor.
    ///
    /// - Returns: nil for a number that stands for none, for several, or for one that is unknown here.
    package init?(singleKnown number: some BinaryInteger) {
        guard let raw = UInt8(exactly: number), PresenceFactors.all.each.contains(where: { $0.rawValue == raw }) else {
            return nil
        }
        self.init(rawValue: raw)
    }

    /// Each factor alone, in the order of their numbers.
    package var each: [PresenceFactors] {
        (UInt8(0)..<8).map { PresenceFactors(rawValue: 1 << $0) }.filter(isSuperset)
    }
}

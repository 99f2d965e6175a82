package import KeychainModel

extension PresenceFailure {
    /// LocalAuthentication's number for it (`LAError.Code`).
    package var laErrorNumber: Int {
        switch self {
        case .failed: -1
        case .declined: -2
        case .fallback: -3
        case .interrupted: -4
        case .noPasscode: -5
        case .noBiometry: -6
        case .notEnrolled: -7
        case .biometryLockout: -8
        case .noCompanion: -11
        case .nobodyToAsk, .tooMany, .notInteractive: -1004
        }
    }
}

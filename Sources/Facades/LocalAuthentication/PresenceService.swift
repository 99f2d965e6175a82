package import Security

/// What a person is asked to prove.
package enum PresenceQuestion: Sendable {
    case policy(LAPolicy)
    /// What an access control demands for an operation, beside the application password, which the context has or not.
    case accessControl(PresenceDemand, LAAccessControlOperation, hasPassword: Bool)

    /// Whether somebody has to be asked.
    var needsPerson: Bool {
        switch self {
        case .policy: true
        case .accessControl(let demand, _, let hasPassword):
            demand.needsPerson || (demand.needsApplicationPassword && !hasPassword)
        }
    }
}

/// Who asks a person to prove who they are.
package protocol PresenceService: Sendable {
    /// What a person can be told by on this machine.
    var biometryType: LABiometryType { get }

    /// Why a policy cannot be evaluated on this machine, or nil if it can.
    func obstacle(to policy: LAPolicy) -> LAError.Code?

    /// Asks the person, and replies once: nil if they proved what was asked.
    ///
    /// It returns at once. The reply may come from any thread, and before this returns.
    func evaluate(_ question: PresenceQuestion, reason: String, reply: @escaping @Sendable (LAError.Code?) -> Void)
}

/// A machine without anybody who asks: there is no reader of fingers or faces, no companion and no passcode.
struct NoPresenceService: PresenceService {
    var biometryType: LABiometryType { .none }

    func obstacle(to policy: LAPolicy) -> LAError.Code? {
        switch policy {
        case .deviceOwnerAuthenticationWithBiometrics: .biometryNotAvailable
        case .deviceOwnerAuthenticationWithBiometricsOrCompanion: .biometryNotAvailable
        case .deviceOwnerAuthenticationWithCompanion: .companionNotAvailable
        case .deviceOwnerAuthentication, .deviceOwnerAuthenticationWithWristDetection: .passcodeNotSet
        }
    }

    func evaluate(_ question: PresenceQuestion, reason: String, reply: @escaping @Sendable (LAError.Code?) -> Void) {
        switch question {
        case .policy(let policy): reply(obstacle(to: policy) ?? .authenticationFailed)
        case .accessControl(let demand, _, _): reply(obstacle(to: demand))
        }
    }

    private func obstacle(to demand: PresenceDemand) -> LAError.Code {
        if demand.needsPasscode { return .passcodeNotSet }
        if demand.needsBiometry { return .biometryNotAvailable }
        if demand.needsCompanion { return .companionNotAvailable }
        // Nobody can be asked for an application password.
        return .notInteractive
    }
}

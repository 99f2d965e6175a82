package import Security

/// What a person is asked to prove.
package enum ContextQuestion: Sendable {
    case policy(LAPolicy)
    /// What an access control demands for an operation, beside the application password, which the context has or not.
    case accessControl(AccessControlDemand, LAAccessControlOperation, hasPassword: Bool)

    /// Whether the owner has to be asked.
    var needsPerson: Bool {
        switch self {
        case .policy: true
        case .accessControl(let demand, _, let hasPassword):
            demand.needsPerson || (demand.needsApplicationPassword && !hasPassword)
        }
    }
}

/// How a prompt is to look, and what does instead of one.
package struct PresenceWishes: Sendable {
    package let reason: String
    package let cancelTitle: String?
    package let fallbackTitle: String?
    /// For how many seconds an unlock of the session with a finger does for a finger.
    package let reuseDuration: Double

    package init(
        reason: String,
        cancelTitle: String? = nil,
        fallbackTitle: String? = nil,
        reuseDuration: Double = 0
    ) {
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.reuseDuration = reuseDuration
    }
}

/// By what a person can be told at one moment.
package struct PresenceSnapshot: Sendable, Hashable {
    package var biometryType: LABiometryType
    /// A digest of the enrolled fingers or faces; nil where there are none.
    package var biometrySet: Data?
    /// Why no finger can be asked for, or nil if it can.
    package var biometryObstacle: LAError.Code?
    /// Why no passcode can be asked for, or nil if it can.
    package var passcodeObstacle: LAError.Code?
    /// Nil where no keychain answers.
    package var hasPasscode: Bool?

    package init(
        biometryType: LABiometryType,
        biometrySet: Data?,
        biometryObstacle: LAError.Code?,
        passcodeObstacle: LAError.Code?,
        hasPasscode: Bool?
    ) {
        self.biometryType = biometryType
        self.biometrySet = biometrySet
        self.biometryObstacle = biometryObstacle
        self.passcodeObstacle = passcodeObstacle
        self.hasPasscode = hasPasscode
    }
}

/// Asks a person to prove their identity.
package protocol PresenceService: Sendable {
    /// What a person can be told by on this machine.
    var biometryType: LABiometryType { get }

    /// A digest of the enrolled fingers or faces; nil where there are none.
    var biometrySet: Data? { get }

    /// All of this at one moment.
    var snapshot: PresenceSnapshot { get }

    /// Why a policy cannot be evaluated on this machine, or nil if it can.
    func obstacle(to policy: LAPolicy) -> LAError?

    /// What is proved in one context is kept here; nil for a service that keeps nothing. A `PresenceContext`, of which
    /// no declaration here may say more.
    func makeContext() -> (any AnyObject & Sendable)?

    /// Asks the person, and replies once: nil if they proved what was asked.
    ///
    /// It returns at once. The reply may come from any thread, and before this returns.
    ///
    /// - Parameter context: what `makeContext` made.
    func evaluate(
        _ question: ContextQuestion,
        _ wishes: PresenceWishes,
        in context: (any AnyObject & Sendable)?,
        reply: @escaping @Sendable (LAError?) -> Void
    )
}

extension PresenceService {
    package var snapshot: PresenceSnapshot {
        let passcodeObstacle = obstacle(to: .deviceOwnerAuthenticationWithWristDetection)?.code
        return PresenceSnapshot(
            biometryType: biometryType,
            biometrySet: biometrySet,
            biometryObstacle: obstacle(to: .deviceOwnerAuthenticationWithBiometrics)?.code,
            passcodeObstacle: passcodeObstacle,
            hasPasscode: passcodeObstacle != .passcodeNotSet
        )
    }
}

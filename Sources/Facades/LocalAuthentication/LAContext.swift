public import Foundation
public import Security

@_implementationOnly import KeychainModel

/// The longest time, in seconds, for which unlocking the machine with a finger counts as a proof.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// A conversation with a person who proves who they are.
///
/// The answers of `evaluatePolicy` and `evaluateAccessControl` come on a queue of this module's own. An evaluation goes
/// on without its context if no other code keeps that one; on Apple's platforms it is cancelled. A context may be
/// invalidated from any thread; its properties are for one thread at a time, as on Apple's platforms.
///
/// See [LAContext](https://developer.apple.com/documentation/localauthentication/lacontext).
open class LAContext: NSObject {
    private let state = EvaluationState()
    private let presence: any PresenceService

    /// Makes a context.
    public override init() {
        presence = KeychainPresence()
    }

    /// Makes a context that asks another service.
    package init(presence: any PresenceService) {
        self.presence = presence
    }

    // MARK: Policies

    /// Whether a policy can be evaluated on this machine.
    ///
    /// - Parameters:
    ///   - policy: how the person would prove who they are.
    ///   - error: receives an `LAError`, or nil: `passcodeNotSet`, `biometryNotAvailable`, `biometryNotEnrolled`,
    ///     `biometryLockout`, `companionNotAvailable`, or `notInteractive` if nothing can ask. After
    ///     `invalidate()`, `invalidContext`.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let refusal: LAError? =
            state.isInvalidated ? Self.invalidContext : presence.obstacle(to: policy)
        unsafe error?.pointee = refusal.map(\._nsError)
        return refusal == nil
    }

    /// Asks the person to prove who they are.
    ///
    /// - Parameters:
    ///   - policy: how the person proves it.
    ///   - localizedReason: what the person reads. On Apple's platforms an empty text ends the program; here it is
    ///     refused with `authenticationFailed`.
    ///   - reply: receives true, or false and an `LAError`: `userCancel`, `userFallback`, `authenticationFailed` after
    ///     three wrong passcodes, `systemCancel` if there is no answer in three minutes or the keychain locks,
    ///     `notInteractive` while `interactionNotAllowed`, `appCancel` where `invalidate()` comes first, and the errors
    ///     of `canEvaluatePolicy(_:error:)`.
    @preconcurrency
    open func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        evaluate(.policy(policy), reason: localizedReason, reply: reply)
    }

    /// Asks the person to prove who they are. It throws what the other form replies, and never returns false.
    nonisolated(nonsending)
        open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool
    {
        // Through the other form, so that a subclass that overrides that one has overridden this.
        try await Self.reply { evaluatePolicy(policy, localizedReason: localizedReason, reply: $0) }
    }

    // MARK: Access controls

    /// Asks the person for what an access control demands. One that demands nothing is answered with success.
    ///
    /// - Parameters:
    ///   - accessControl: what `SecAccessControlCreateWithFlags` made.
    ///   - operation: what the item or key will be used for. The demand is the same for all of them here.
    ///   - localizedReason: what the person reads; not empty.
    ///   - reply: receives true, or false and an `LAError`, as of `evaluatePolicy(_:localizedReason:reply:)`.
    @preconcurrency
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let hasPassword = state.hasCredential(.applicationPassword)
        evaluate(
            .accessControl(accessControl.presenceDemand, operation, hasPassword: hasPassword),
            reason: localizedReason,
            reply: reply
        )
    }

    /// Asks the person for what an access control demands. It throws what the other form replies.
    nonisolated(nonsending)
        open func evaluateAccessControl(
            _ accessControl: SecAccessControl,
            operation: LAAccessControlOperation,
            localizedReason: String
        ) async throws -> Bool
    {
        try await Self.reply {
            evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason, reply: $0)
        }
    }

    // MARK: The end

    /// Ends the context: evaluations under way are answered with `appCancel`, later ones with `invalidContext`.
    open func invalidate() {
        (state.invalidate() as? any PresenceContext)?.invalidate()
    }

    // MARK: Credentials

    /// Keeps a credential for the evaluations and keychain calls of this context; nil forgets it.
    ///
    /// - Returns: false if the context is invalid.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        state.setCredential(credential.map { SecretBytes($0) }, type: type)
    }

    /// Whether the context has a credential of a type.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        state.hasCredential(type)
    }

    // MARK: What the person sees

    /// The title of the button that leads to another way; empty hides it, nil is the usual one.
    open var localizedFallbackTitle: String?

    /// The title of the button that declines; nil or empty is the usual one.
    open var localizedCancelTitle: String?

    /// What the person reads where a call has no reason of its own, such as a keychain query.
    open var localizedReason: String = ""

    /// Whether to fail with `notInteractive` rather than ask. In a keychain query the context then means
    /// `kSecUseAuthenticationUIFail`.
    open var interactionNotAllowed: Bool = false

    /// For how many seconds unlocking the machine with a finger counts as a finger that this context asks for; 0 for
    /// never. Beyond `LATouchIDAuthenticationMaximumAllowableReuseDuration` it grows no more, and what is no number or
    /// is below 0 is never.
    ///
    /// With the system's service, and where the administrator has told PAM to (`pam_chatelaine(8)`, `finger`), the
    /// person is then not asked. It never takes the place of a passcode or an application password, and it has no
    /// effect with a session's own service or an embedded keychain, which nobody tells of unlocking.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval = 0

    /// Deprecated on Apple's platforms, where setting it has no effect either.
    open var maxBiometryFailures: NSNumber?

    // MARK: What is known

    /// What a person can be told by on this machine.
    open var biometryType: LABiometryType { presence.biometryType }

    /// A digest of the fingers or faces that are enrolled; nil, as long as no biometric evaluation can succeed.
    open var evaluatedPolicyDomainState: Data? { presence.biometrySet }

    /// By what a person can be told, in a form that changes when that does.
    open var domainState: LADomainState { LADomainState(biometryType: biometryType, biometrySet: presence.biometrySet) }
}

// MARK: - How an evaluation goes

extension LAContext {
    private func evaluate(
        _ question: ContextQuestion,
        reason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let state = state
        guard let ticket = state.begin(reply) else { return EvaluationState.send(Self.invalidContext, to: reply) }
        if reason.isEmpty {
            state.end(ticket, LAError(.authenticationFailed, because: "localizedReason is empty"))
        } else if !question.needsPerson {
            state.end(ticket, nil)
        } else if interactionNotAllowed {
            state.end(ticket, LAError(describing: .notInteractive))
        } else {
            let wishes = PresenceWishes(
                reason: reason,
                cancelTitle: localizedCancelTitle,
                fallbackTitle: localizedFallbackTitle,
                reuseDuration: touchIDAuthenticationAllowableReuseDuration
            )
            presence.evaluate(question, wishes, in: presenceContext) { failure in
                state.end(ticket, failure)
            }
        }
    }

    /// Waits for the reply of the form with a closure.
    nonisolated(nonsending)
        private static func reply(to call: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void) async throws
        -> Bool
    {
        try await withCheckedThrowingContinuation { continuation in
            call { success, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: success)
                }
            }
        }
    }

    private static var invalidContext: LAError {
        LAError(.invalidContext, because: "the context was invalidated before")
    }
}

// MARK: - In keychain queries

extension LAContext: AuthenticationContext {
    package var forbidsInteraction: Bool { interactionNotAllowed || state.isInvalidated }
    package var presenceContext: (any AnyObject & Sendable)? { state.presenceContext(presence.makeContext) }
    package var promptReason: String { localizedReason }
    package var promptCancelTitle: String? { localizedCancelTitle }
    package var promptFallbackTitle: String? { localizedFallbackTitle }
    package var unlockReuseDuration: Double { touchIDAuthenticationAllowableReuseDuration }
    package var applicationPassword: (any AnyObject & Sendable)? { state.credential(.applicationPassword) }
}

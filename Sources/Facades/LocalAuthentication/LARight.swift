public import Foundation
import Security
import Synchronization

/// What a person may do once they have proved who they are.
///
/// A right that is not stored guards nothing in the keychain: its state is for this program's own decisions.
/// `LARightStore` makes it guard a key and a secret, and then the enclave judges each use of them.
///
/// There is no key-value observing on Linux: whoever needs `state` reads it.
///
/// See [LARight](https://developer.apple.com/documentation/localauthentication/laright).
open class LARight: NSObject, @unchecked Sendable {
    /// Where an authorization stands.
    @nonexhaustive(warn)
    public enum State: Int, Sendable {
        /// Nobody was asked yet.
        case unknown = 0
        /// Somebody is being asked.
        case authorizing = 1
        /// The person proved what is required.
        case authorized = 2
        /// The person did not prove it, or the authorization was taken back.
        case notAuthorized = 3
    }

    private struct Contents {
        var state = State.unknown
        var tag = 0
        /// Where the person proves it; the proof ends with it.
        var proof: Proof?
    }

    /// A context that one authorization owns, which asks nobody after that.
    private final class Proof: @unchecked Sendable {
        // `@unchecked`: it is set up before others see it, and silenced before anybody may use it.
        let context = LAContext()
    }

    // `@unchecked Sendable`: what changes is in here.
    private let contents = Mutex(Contents())
    let requirement: LAAuthenticationRequirement
    /// The fingers that were enrolled when the right was made.
    private let biometrySet: Data?

    /// Makes a right with the default requirement.
    public override convenience init() {
        self.init(requirement: .default)
    }

    /// Makes a right with a requirement.
    public init(requirement: LAAuthenticationRequirement) {
        self.requirement = requirement
        biometrySet = requirement.kind == .biometryCurrentSet ? LAContext().evaluatedPolicyDomainState : nil
    }

    /// Where the authorization stands.
    public var state: State { contents.withLock(\.state) }

    /// A number of the program's own.
    public var tag: Int {
        get { contents.withLock(\.tag) }
        set { contents.withLock { $0.tag = newValue } }
    }

    // MARK: Authorizing

    /// Whether the requirement can be met on this machine; asks nobody.
    ///
    /// - Throws: the `LAError` of `LAContext.canEvaluatePolicy(_:error:)`.
    nonisolated(nonsending) public func checkCanAuthorize() async throws {
        var error: NSError?
        let policy: LAPolicy =
            requirement.kind == .owner ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        guard unsafe LAContext().canEvaluatePolicy(policy, error: &error) else {
            throw error.map { LAError(_nsError: $0) } ?? LAError(.notInteractive, because: "nobody can be asked")
        }
    }

    /// Whether the requirement can be met on this machine; the handler gets what the other form throws.
    public func checkCanAuthorize(completion handler: @escaping @Sendable ((any Error)?) -> Void) {
        RightError.reply(to: handler) { try await self.checkCanAuthorize() }
    }

    /// Asks the person. An authorization that this right has, or that is under way, ends.
    ///
    /// - Parameter localizedReason: what the person reads; not empty.
    /// - Throws: the `LAError` of `LAContext.evaluateAccessControl(_:operation:localizedReason:)`; for a stored right
    ///   also the keychain's status in `NSOSStatusErrorDomain`: `errSecItemNotFound` if it was removed meanwhile.
    nonisolated(nonsending) public func authorize(localizedReason: String) async throws {
        let proof = Proof()
        let former = contents.withLock { contents in
            defer { (contents.state, contents.proof) = (.authorizing, proof) }
            return contents.proof
        }
        former?.context.invalidate()
        do {
            if requirement.kind == .biometryCurrentSet { try checkBiometrySet() }
            _ = try await proof.context.evaluateAccessControl(
                accessControl(),
                operation: .useItem,
                localizedReason: localizedReason
            )
            proof.context.interactionNotAllowed = true
            try confirm(in: proof.context)
        } catch {
            contents.withLock { contents in
                guard contents.proof === proof else { return }
                (contents.state, contents.proof) = (.notAuthorized, nil)
            }
            proof.context.invalidate()
            throw error
        }
        let isCurrent = contents.withLock { contents in
            guard contents.proof === proof else { return false }
            contents.state = .authorized
            return true
        }
        guard isCurrent else { throw LAError(.appCancel, because: "the right was deauthorized meanwhile") }
    }

    /// Asks the person; the handler gets what the other form throws.
    public func authorize(localizedReason: String, completion handler: @escaping @Sendable ((any Error)?) -> Void) {
        RightError.reply(to: handler) { try await self.authorize(localizedReason: localizedReason) }
    }

    /// Takes the authorization back, and cancels one that is under way. The enclave forgets the proof.
    nonisolated(nonsending) public func deauthorize() async {
        end()
    }

    /// Takes the authorization back, and cancels one that is under way.
    public func deauthorize(completion handler: @escaping @Sendable () -> Void) {
        Task {
            end()
            handler()
        }
    }

    private func end() {
        let proof = contents.withLock { contents in
            defer { (contents.state, contents.proof) = (.notAuthorized, nil) }
            return contents.proof
        }
        proof?.context.invalidate()
    }

    /// Where what the right guards may be used. Without an authorization it is a context in which nothing is proved,
    /// and in which nobody is asked: the enclave refuses.
    var authorizedContext: LAContext {
        if let proof = contents.withLock({ $0.state == .authorized ? $0.proof : nil }) { return proof.context }
        let context = LAContext()
        context.interactionNotAllowed = true
        return context
    }

    // MARK: For stored rights

    /// What the person is asked for.
    func accessControl() throws -> SecAccessControl { try requirement.accessControl() }

    /// Has the enclave confirm that the proof is good for what the right guards. Nothing is guarded here.
    func confirm(in context: LAContext) throws {}

    /// Whether other fingers are enrolled than when the right was made. Of a stored right the enclave judges this.
    func checkBiometrySet() throws {
        guard biometrySet == LAContext().evaluatedPolicyDomainState else {
            throw LAError(.authenticationFailed, because: "other fingers are enrolled than before")
        }
    }
}

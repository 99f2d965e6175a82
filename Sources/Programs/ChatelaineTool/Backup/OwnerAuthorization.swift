import EnclaveInterface
import Glibc
import KeychainClient
import KeychainModel
import Terminal

/// Has the owner allow what any program could run otherwise.
struct OwnerAuthorization {
    private let control: any EnclaveControl
    private let passcode: SecretBytes?
    /// Nil where the passcode is enough, or the caller is root.
    private let authorization: SystemAuthorization?

    /// Asks for the passcode, unless there is none, it is not enough, or the caller is root.
    ///
    /// - Throws: a failure where neither is enough and the system cannot ask for the person.
    init(of keychain: any OwnedKeychain, asking questions: SecretQuestions) throws {
        control = try keychain.control()
        let state = try control.state()
        let isEnough = !state.keepsProgramsApart || state.isPasscodeEnough
        authorization = try isEnough ? nil : .ifNeeded(in: state)
        passcode =
            try isEnough && geteuid() != 0 && state.hasPasscode ? questions.ask(for: "passcode of the keychain") : nil
    }

    /// An authorization counts for a minute: it is taken when all else is there.
    func token(for operation: GuardedOperation) throws -> AuthorizationToken {
        if let authorization { return try authorization.token(for: operation) }
        return try control.authorize(operation, passcode: passcode)
    }
}

import Glibc
import KeychainClient
import KeychainEnclave
import KeychainModel
import SecretInput

/// Has the owner allow what any program could run otherwise.
struct OwnersLeave {
    private let control: any EnclaveControl
    private let passcode: SecretBytes?

    /// Asks for the passcode, unless there is none or the caller is root.
    init(of keychain: any OwnedKeychain, asking questions: SecretQuestions) throws {
        control = try keychain.control()
        let isNeeded = try geteuid() != 0 && control.state().hasPasscode
        passcode = isNeeded ? try questions.ask(for: "passcode of the keychain") : nil
    }

    /// A leave is good for a minute: it is taken when all else is there.
    func token(for operation: GuardedOperation) throws(KeychainError) -> AuthorizationToken {
        try control.authorize(operation, passcode: passcode)
    }
}

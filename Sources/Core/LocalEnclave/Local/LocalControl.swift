package import EnclaveInterface
package import KeychainModel

/// What the owner of a keychain, or the administrator, does with an enclave in this process.
package struct LocalControl: EnclaveControl {
    private let enclave: LocalEnclave
    private let visitor: LocalEnclave.Visitor

    /// - Parameter keepsProgramsApart: whether a service keeps a user's programs apart, so that what destroys or reveals
    ///   needs more than to be one of them.
    package init(_ enclave: LocalEnclave, for visitor: LocalEnclave.Visitor, keepsProgramsApart: Bool) {
        self.enclave = enclave
        self.visitor = visitor == .owner && keepsProgramsApart ? .program : visitor
    }

    package func state() throws(KeychainError) -> EnclaveState { try enclave.state() }

    package func unlock(_ passcode: SecretBytes) throws(KeychainError) {
        try enclave.passcode.unlock(passcode, by: visitor)
    }

    package func lock() throws(KeychainError) { try enclave.lock() }

    package func logOut() throws(KeychainError) { try enclave.logOut() }

    package func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken?
    ) throws(KeychainError) {
        try enclave.passcode.changePasscode(from: old, to: new, with: token, by: visitor)
    }

    package func confirmPasscode(_ passcode: SecretBytes, with token: AuthorizationToken?) throws(KeychainError) {
        try enclave.passcode.confirmPasscode(passcode, with: token, by: visitor)
    }

    package func verify(_ passcode: SecretBytes) throws(KeychainError) {
        try enclave.passcode.verify(passcode, by: visitor)
    }

    package func authorize(
        _ operation: GuardedOperation,
        passcode: SecretBytes?
    ) throws(KeychainError) -> AuthorizationToken {
        try enclave.passcode.authorize(operation, passcode: passcode, by: visitor)
    }

    package func change(
        _ settings: LockSettings,
        passcode: SecretBytes?,
        with token: AuthorizationToken?
    ) throws(KeychainError) {
        try enclave.passcode.change(settings, passcode: passcode, with: token, by: visitor)
    }
}

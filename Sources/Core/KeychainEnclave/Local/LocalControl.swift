package import KeychainModel

/// What the owner of a keychain, or the administrator, does with an enclave in this process.
package struct LocalControl: EnclaveControl {
    private let enclave: LocalEnclave
    private let visitor: LocalEnclave.Visitor
    private let asksForPasscode: Bool

    /// - Parameter asksForPasscode: whether what needs the owner is refused to whoever is not the administrator where there
    ///   is no passcode: so it is where a service keeps a user's programs apart.
    package init(_ enclave: LocalEnclave, for visitor: LocalEnclave.Visitor, asksForPasscode: Bool) {
        self.enclave = enclave
        self.visitor = visitor
        self.asksForPasscode = asksForPasscode
    }

    package func state() throws(KeychainError) -> EnclaveState { try enclave.state() }

    package func unlock(_ passcode: SecretBytes) throws(KeychainError) {
        try enclave.unlock(passcode, by: visitor)
    }

    package func lock() throws(KeychainError) { try enclave.lock() }

    package func logOut() throws(KeychainError) { try enclave.logOut() }

    package func changePasscode(from old: SecretBytes?, to new: SecretBytes?) throws(KeychainError) {
        try enclave.changePasscode(from: old, to: new, by: visitor)
    }

    package func verify(_ passcode: SecretBytes) throws(KeychainError) {
        try enclave.verify(passcode, by: visitor)
    }

    package func authorize(
        _ operation: GuardedOperation,
        passcode: SecretBytes?
    ) throws(KeychainError) -> AuthorizationToken {
        try enclave.authorize(operation, passcode: passcode, by: visitor, asksForPasscode: asksForPasscode)
    }

    package func change(_ settings: LockSettings, passcode: SecretBytes?) throws(KeychainError) {
        try enclave.change(settings, passcode: passcode, by: visitor)
    }
}

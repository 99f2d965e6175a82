package import KeychainModel

extension ServiceConnection: KeychainMaintenance {
    package func verify() throws(KeychainError) -> VerificationReport {
        throw notHere
    }

    package func repair() throws(KeychainError) -> RepairReport {
        throw notHere
    }

    /// Whoever speaks to the service has not got its files, and the service looks after them for nobody in particular.
    private var notHere: KeychainError {
        KeychainError(
            .notAvailable,
            """
            this keychain is the keychain service's; stop the service and run the command as the service's user, with \
            \(KeychainLocation.variable)=embedded:DIR for the keychain's folder
            """
        )
    }
}

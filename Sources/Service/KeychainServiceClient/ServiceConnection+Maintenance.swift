package import KeychainModel

extension ServiceConnection: KeychainMaintenance {
    package func verify() throws(KeychainError) -> VerificationReport {
        throw notHere
    }

    package func repair() throws(KeychainError) -> RepairReport {
        throw notHere
    }

    /// A client of the service does not have its files, and the service maintains them by itself.
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

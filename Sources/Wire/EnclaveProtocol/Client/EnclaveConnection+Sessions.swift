package import KeychainModel

extension EnclaveConnection {
    // What the keychain service asks for because of what becomes of users' sessions, whether it has their keychains open
    // or not.

    package func lock(_ uid: UInt32) throws(KeychainError) {
        try done(.lock, about: uid)
    }

    package func logOut(_ uid: UInt32) throws(KeychainError) {
        try done(.logOut, about: uid)
    }

    /// Locks all keychains whose settings say so.
    package func lockForSleep() throws(KeychainError) {
        try done(.sleep, about: 0)
    }

    private func done(_ request: EnclaveRequest, about uid: UInt32) throws(KeychainError) {
        guard case .done = try ask(request, about: uid) else { throw Self.isNoAnswer }
    }
}

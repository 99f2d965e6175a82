import EnclaveInterface
package import KeychainModel

extension EnclaveConnection {
    // What the keychain service asks for because of what becomes of users' sessions, whether it has their keychains open
    // or not.

    package func lock(_ uid: UInt32) throws(KeychainError) {
        try ask(LockRequest(), about: uid)
    }

    package func logOut(_ uid: UInt32) throws(KeychainError) {
        try ask(LogOutRequest(), about: uid)
    }

    /// Locks all keychains whose settings say so.
    package func lockForSleep() throws(KeychainError) {
        try ask(SleepRequest(), about: 0)
    }
}

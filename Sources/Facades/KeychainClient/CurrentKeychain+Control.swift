import EnclaveClient
package import EnclaveInterface
import Glibc
import KeychainAccounts
package import KeychainModel
import LocalEnclave

extension CurrentKeychain {
    /// What the owner does with the enclave of the keychain that this process uses now: locking, unlocking, the
    /// passcode.
    ///
    /// - Parameter uid: whose keychain it is, where that is another user's; only root may name one, and only with a
    ///   service.
    /// - Throws: `notAvailable` where there is no enclave; `itemNotFound` where there is no keychain so far.
    package static func control(of uid: UInt32? = nil) throws(KeychainError) -> any EnclaveControl {
        switch try KeychainLocation.current() {
        case .service(let address):
            return try RemoteEnclaveControl(
                connectingTo: address.controlSocket,
                uid: uid ?? geteuid(),
                server: address.enclaveUser
            )
        case .embedded(let directory):
            try check(uid)
            return try embeddedControl(directory)
        case .memory:
            throw KeychainError(.notAvailable, "this keychain is in one program's memory, and has no passcode")
        }
    }

    /// Has the keychain opened, by this process or by the service, and made where there is none.
    package static func open() throws(KeychainError) {
        let keychain = try service()
        do throws(KeychainError) {
            // A search makes none.
            try (keychain as? any MadeKeychain)?.makeKeychain()
        } catch  where error.code == .interactionNotAllowed {
            // It is open, and locked.
        }
    }

    private static func check(_ uid: UInt32?) throws(KeychainError) {
        guard uid == nil || uid == geteuid() else {
            throw KeychainError(.notAvailable, "another user's keychain can be reached by way of the service alone")
        }
    }

    /// The same files, and the same place for what is unlocked, as every other process has that opens the keychain
    /// itself.
    private static func embeddedControl(_ directory: String) throws(KeychainError) -> any EnclaveControl {
        let folder = LocalEnclaveFolder(
            path: directory,
            credentials: Environment["CREDENTIALS_DIRECTORY"],
            sharing: .embedded
        )
        guard try folder.presence() != .none else {
            throw KeychainError(.itemNotFound, "there is no keychain yet")
        }
        // The owner of the files can change the count of wrong passcodes, so root counts like any user.
        return LocalControl(try folder.openLocal(), for: .owner)
    }
}

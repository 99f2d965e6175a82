import EnclaveInterface
import KeychainEngine
package import KeychainModel

extension EmbeddedKeychain: PresenceKeychain {
    package func makeContext() throws(KeychainError) -> any PresenceContext {
        PresenceSession(of: asker, enclave)
    }

    package func presenceStatus() throws(KeychainError) -> PresenceStatus {
        try enclave().presenceStatus()
    }

    package func ownGroup() throws(KeychainError) -> String {
        guard let group = caller.ownGroup else { throw Self.noOwnGroup }
        return group
    }

    package func seesAllGroups() throws(KeychainError) -> Bool { caller.groups.areAll }

    /// The programs of this keychain are not kept apart.
    var asker: QuestionAsker { QuestionAsker(caller, isVerified: false) }

    var enclave: @Sendable () throws(KeychainError) -> any Enclave {
        { [self] () throws(KeychainError) in
            try withEngine { (engine) throws(KeychainError) in engine.enclave }
        }
    }
}

import EnclaveInterface
import KeychainModel
import Presence

/// Whom a request is about and where it came from: what a function that answers one works with.
struct EnclaveVisit: Sendable {
    let table: EnclaveTable
    /// Whose keychain it is about.
    let uid: UInt32
    /// Whether root asks, whose wrong passcodes count for nothing.
    let isRoot: Bool
    /// The keychain service's connection, or else the sender's own.
    let connection: UInt64

    var enclave: any Enclave { get throws(KeychainError) { try table.enclave(of: uid) } }

    var control: any EnclaveControl { get throws(KeychainError) { try table.control(of: uid, isRoot: isRoot) } }

    var desk: PresenceDesk { get throws(KeychainError) { try table.desk(of: uid) } }

    /// The same credentials, of this connection: what was proved for another one opens nothing here.
    func own(_ credentials: ItemCredentials) -> ItemCredentials {
        guard !credentials.proofs.isEmpty else { return credentials }
        var own = credentials
        own.connection = connection
        return own
    }
}

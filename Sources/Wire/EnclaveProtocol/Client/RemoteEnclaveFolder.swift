package import KeychainEnclave
package import KeychainModel

/// One user's files with the enclave's process, which alone can see them.
package struct RemoteEnclaveFolder: EnclaveFolder {
    private let connection: EnclaveConnection
    private let uid: UInt32

    package init(_ connection: EnclaveConnection, uid: UInt32) {
        self.connection = connection
        self.uid = uid
    }

    package var files: [String] { [] }

    package func presence() throws(KeychainError) -> EnclavePresence {
        guard case .presence(let presence) = try connection.ask(.presence, about: uid) else {
            throw EnclaveConnection.isNoAnswer
        }
        return presence
    }

    package func create() throws(KeychainError) {
        guard case .done = try connection.ask(.create, about: uid) else { throw EnclaveConnection.isNoAnswer }
    }

    package func open() throws(KeychainError) -> any Enclave {
        let enclave = RemoteEnclave(connection, uid: uid)
        _ = try enclave.state()
        return enclave
    }

    package func presenceStatusWithoutKeychain() throws(KeychainError) -> PresenceStatus? {
        guard case .presenceStatus(let status) = try connection.ask(.presenceStatus, about: uid) else {
            throw EnclaveConnection.isNoAnswer
        }
        return status
    }
}

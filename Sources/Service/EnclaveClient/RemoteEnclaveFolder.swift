package import EnclaveInterface
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
        try connection.ask(KeychainPresenceRequest(), about: uid)
    }

    package func create() throws(KeychainError) {
        try connection.ask(CreateKeychainRequest(), about: uid)
    }

    package func open() throws(KeychainError) -> any Enclave {
        let enclave = RemoteEnclave(connection, uid: uid)
        _ = try enclave.state()
        return enclave
    }

    package func presenceStatusWithoutKeychain() throws(KeychainError) -> PresenceStatus? {
        try connection.ask(PresenceStatusRequest(), about: uid)
    }
}

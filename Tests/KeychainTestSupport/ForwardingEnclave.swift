package import Crypto
package import EnclaveInterface
package import KeychainModel

/// An enclave that hands everything on to another one, for those that look at something on its way or hold it up.
package protocol ForwardingEnclave: Enclave {
    associatedtype Wrapped: Enclave
    var enclave: Wrapped { get }
}

extension ForwardingEnclave {
    package var epoch: UInt64 { get throws(KeychainError) { try enclave.epoch } }
    package func state() throws(KeychainError) -> EnclaveState { try enclave.state() }
    package func serviceKeys() throws(KeychainError) -> ServiceKeys { try enclave.serviceKeys() }
    package func wrap(
        _ keys: [UnwrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [[UInt8]] {
        try enclave.wrap(keys, with: credentials)
    }
    package func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try enclave.unwrap(keys, with: credentials)
    }
    package func rewrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [[UInt8]?] { try enclave.rewrap(keys) }
    package func makeKey(
        _ template: EnclaveKeyTemplate,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> EnclaveKey {
        try enclave.makeKey(template, with: credentials)
    }
    package func use(
        _ key: EnclaveKey,
        for use: KeyUse,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> SecretBytes {
        try enclave.use(key, for: use, with: credentials)
    }
    package func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        try enclave.ask(question, isWanted: isWanted)
    }
    package func forget(_ proof: PresenceProof) { enclave.forget(proof) }
    package func openContext(_ groups: [String]) throws(KeychainError) -> PresenceContextID {
        try enclave.openContext(groups)
    }
    package func closeContext(_ id: PresenceContextID) { enclave.closeContext(id) }
    package func presenceStatus() throws(KeychainError) -> PresenceStatus { try enclave.presenceStatus() }
    package func beginRotation(_ token: AuthorizationToken) throws(KeychainError) -> EnclaveState {
        try enclave.beginRotation(token)
    }
    package func finishRotation(of generation: UInt64) throws(KeychainError) -> EnclaveState {
        try enclave.finishRotation(of: generation)
    }
    package func lock() throws(KeychainError) { try enclave.lock() }
    package func logOut() throws(KeychainError) { try enclave.logOut() }
    package func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void) { enclave.observe(observer) }
    package func redeem(_ token: AuthorizationToken, for operation: GuardedOperation) throws(KeychainError) {
        try enclave.redeem(token, for: operation)
    }
    package func deviceKey(ofBackup backup: ItemUUID) throws(KeychainError) -> SymmetricKey {
        try enclave.deviceKey(ofBackup: backup)
    }
    package func sign(backupDigest: [UInt8]) throws(KeychainError) -> [UInt8] {
        try enclave.sign(backupDigest: backupDigest)
    }
    package func backupSigner() throws(KeychainError) -> [UInt8] { try enclave.backupSigner() }
}

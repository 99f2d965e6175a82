import KeychainModel
import KeychainPolicy
import KeychainVault

extension KeychainEngine {
    /// Has the enclave make a private key. Nothing is stored. To be called within `read`.
    ///
    /// - Throws: what policy or the enclave refuses it with.
    func makeKey(_ request: MakeKeyRequest, for caller: Caller) throws(KeychainError) -> OperationResult {
        let key = try vault.makeKey(policy.authorize(request, for: caller))
        return OperationResult(.key(key), rows: [AffectedRow(key)])
    }

    /// Has the enclave use a private key, which need not be stored here. To be called within `read`.
    ///
    /// - Throws: what policy or the enclave refuses it with.
    func useKey(_ request: UseKeyRequest, for caller: Caller) throws(KeychainError) -> OperationResult {
        let secret = try vault.use(policy.authorize(request, for: caller))
        return OperationResult(.secret(secret), rows: [AffectedRow(request.key)])
    }
}

extension AffectedRow {
    /// The key itself. Its row, if it is in one, is not known.
    fileprivate init(_ key: EnclaveKey) {
        self.init(uuid: key.header.uuid, itemClass: .key, accessGroup: key.header.accessGroup)
    }
}

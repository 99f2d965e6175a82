package import KeychainModel
import KeychainPolicy
import KeychainVault

extension KeychainEngine {
    /// Has the enclave make a private key. Nothing is stored.
    ///
    /// - Throws: what policy or the enclave refuses it with.
    package func makeKey(_ request: MakeKeyRequest, for caller: Caller) throws(KeychainError) -> EnclaveKey {
        try read { () throws(KeychainError) in try vault.makeKey(policy.authorize(request, for: caller)) }
    }

    /// Has the enclave use a private key, which need not be stored here.
    ///
    /// - Throws: what policy or the enclave refuses it with.
    package func useKey(_ request: UseKeyRequest, for caller: Caller) throws(KeychainError) -> SecretBytes {
        try read { () throws(KeychainError) in try vault.use(policy.authorize(request, for: caller)) }
    }

    /// Does what is asked of a private key, and tells whose it is.
    func performOnKey(_ operation: ItemOperation, for caller: Caller) throws(KeychainError) -> OperationResult? {
        switch operation {
        case .add, .find, .update, .delete: return nil
        case .makeKey(let request):
            let key = try makeKey(request, for: caller)
            return OperationResult(answer: .key(key), rows: [AffectedRow(key)])
        case .useKey(let request):
            let answer = try useKey(request, for: caller)
            return OperationResult(answer: .secret(answer), rows: [AffectedRow(request.key)])
        }
    }
}

extension AffectedRow {
    /// The key itself: which row it is in, if it is in any, nobody says.
    fileprivate init(_ key: EnclaveKey) {
        self.init(uuid: key.header.uuid, itemClass: .key, accessGroup: key.header.accessGroup)
    }
}

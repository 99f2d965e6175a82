import KeychainEnclave

extension EnclaveRequest {
    /// The same, of a connection: what was proved for another one opens nothing here.
    func from(_ connection: UInt64) -> EnclaveRequest {
        func stamped(_ credentials: ItemCredentials) -> ItemCredentials {
            var stamped = credentials
            stamped.connection = connection
            return stamped
        }
        switch self {
        case .wrap(let keys, let credentials) where !credentials.proofs.isEmpty:
            return .wrap(keys, with: stamped(credentials))
        case .unwrap(let keys, let credentials) where !credentials.proofs.isEmpty:
            return .unwrap(keys, with: stamped(credentials))
        case .makeKey(let template, let credentials) where !credentials.proofs.isEmpty:
            return .makeKey(template, with: stamped(credentials))
        case .useKey(let key, let use, let credentials) where !credentials.proofs.isEmpty:
            return .useKey(key, for: use, with: stamped(credentials))
        default: return self
        }
    }
}

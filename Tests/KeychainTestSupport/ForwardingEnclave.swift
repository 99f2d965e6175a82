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
    package func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        try enclave.answer(request)
    }
    package func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        try enclave.ask(question, isWanted: isWanted)
    }
    package func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void) { enclave.observe(observer) }
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
}

package import EnclaveInterface
package import KeychainModel

/// What the owner of a keychain, or the administrator, does with an enclave in this process.
package struct LocalControl: EnclaveControl {
    private let enclave: LocalEnclave
    private let visitor: Visitor

    /// - Parameter keepsProgramsApart: whether a service keeps a user's programs apart, so that what destroys or reveals
    ///   needs more than to be one of them.
    package init(_ enclave: LocalEnclave, for visitor: Visitor, keepsProgramsApart: Bool) {
        self.enclave = enclave
        self.visitor = visitor.keptApart(keepsProgramsApart)
    }

    package func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        try enclave.answer(request, from: .owner(visitor))
    }
}

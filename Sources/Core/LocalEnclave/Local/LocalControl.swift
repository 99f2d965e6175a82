package import EnclaveInterface
package import KeychainModel

/// What the owner of a keychain, or the administrator, does with an enclave in this process.
package struct LocalControl: EnclaveControl {
    private let enclave: LocalEnclave
    private let visitor: Visitor

    package init(_ enclave: LocalEnclave, for visitor: Visitor) {
        self.enclave = enclave
        self.visitor = visitor
    }

    package func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        try enclave.answer(request, from: .owner(visitor))
    }
}

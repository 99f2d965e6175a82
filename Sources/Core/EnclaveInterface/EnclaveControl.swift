package import KeychainModel

/// What the owner of a keychain does with its enclave. A passcode goes to it straight, never by way of the keychain
/// service.
package protocol EnclaveControl: Sendable {
    /// Answers what an owner may ask for. Beside each request's type is the function that callers use, such as `unlock`.
    ///
    /// - Throws: `noPermission` for what is not the owner's to ask; else what the request's function says.
    func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer
}

package import EnclaveInterface
package import KeychainModel

/// A request that an enclave's own code answers: in the enclave's process on a worker's thread, or on the loop's where it
/// takes no time.
package protocol ServedRequest: EnclaveRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> Answer
}

extension LocalEnclave {
    func answer<Request: EnclaveRequest>(
        _ request: Request,
        from sender: EnclaveVisit.Sender
    ) throws(KeychainError) -> Request.Answer {
        guard !Request.senders.isDisjoint(with: sender.kinds), let request = request as? any ServedRequest else {
            throw KeychainError(.noPermission, "an enclave is not asked for that here")
        }
        guard let answer = try request.answer(EnclaveVisit(to: self, from: sender)) as? Request.Answer else {
            throw KeychainError(.internalError, "an answer to another request")
        }
        return answer
    }
}

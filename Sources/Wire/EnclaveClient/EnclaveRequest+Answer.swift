import EnclaveMessages
import KeychainModel

extension EnclaveRequest {
    /// The answer that a reply brings.
    func answer(in reply: EnclaveReply) throws(KeychainError) -> Answer {
        if case .failure(let error) = reply { throw error }
        guard let answer = Self.description.answer.value(reply) else { throw EnclaveConnection.isNoAnswer }
        return answer
    }
}

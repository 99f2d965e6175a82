import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Has the owner asked, for what comes later on the connection.
    func evaluate(
        _ request: PresenceRequest,
        in visit: Visit,
        _ session: PresenceSession,
        sendPart: Sender
    ) -> Answer {
        let stream = visit.peer.stream
        return recorded(as: request.opensView ? "open-view" : "evaluate", in: visit) { () throws(KeychainError) in
            // Neither a lock nor anybody else waits for a person.
            visit.pass.leave()
            defer { visit.pass.enter() }
            try sendPart(.prompting, limits.answerTime)
            // What is proved is kept by the user's own enclave, which there has to be.
            try visit.keychain.withEngine(makesKeychain: true) { _ in }
            try session.evaluate(request, isWanted: { stream.isWaiting })
            try stream.confirm()
            return (.done, 0)
        }
    }
}

import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Has the owner asked, for what comes later on the connection.
    func evaluate(
        _ request: PresenceRequest,
        in turn: Turn,
        _ session: PresenceSession,
        sendPart: Sender
    ) -> Answer {
        let stream = turn.peer.stream
        return recorded(as: "evaluate", in: turn) { () throws(KeychainError) in
            // Neither a lock nor anybody else waits for a person.
            turn.pass.leave()
            defer { turn.pass.enter() }
            try sendPart(.prompting, limits.answerTime)
            // What is proved is kept by the user's own enclave, which there has to be.
            try turn.keychain.withEngine(makesKeychain: true) { _ in }
            try session.evaluate(request, isWanted: { stream.isWaiting })
            try stream.confirm()
            return (.done, 0)
        }
    }
}

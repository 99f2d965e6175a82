import CoreMetrics
import KeychainEnclave
import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Has the owner asked, for what comes later on the connection.
    func evaluate(
        _ request: PresenceRequest,
        of peer: AdmittedPeer,
        to keychain: UserKeychain,
        in session: PresenceSession,
        pass: GatePass,
        sendPart: PartSender
    ) -> (body: Response.Body, record: AuditRecord) {
        let stream = peer.stream
        let result = Result { () throws(KeychainError) in
            // Neither a lock nor anybody else waits for a person.
            pass.leave()
            defer { pass.enter() }
            try sendPart(.prompting, limits.answerTime)
            // What is proved is kept by the user's own enclave, which there has to be.
            try keychain.withEngine(makesKeychain: true) { _ in }
            try session.evaluate(request, isWanted: { stream.isWaiting })
            try stream.confirm()
            return 0
        }
        let record = AuditRecord(log: keychain.audit, entries: [AuditEntry("evaluate", of: result, by: peer)])
        switch result {
        case .success: return (.outcome(.count(0)), record)
        case .failure(let error):
            metrics.failures.increment()
            return (.outcome(.failed(error)), record)
        }
    }

    func presenceStatus(of keychain: UserKeychain) -> Response.Body {
        do throws(KeychainError) {
            return .presence(try keychain.presenceStatus())
        } catch {
            metrics.failures.increment()
            return .outcome(.failed(error))
        }
    }
}

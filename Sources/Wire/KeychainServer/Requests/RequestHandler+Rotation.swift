import CoreMetrics
import KeychainEnclave
import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Puts the keychain's items under new keys. Other requests go on meanwhile.
    func answer(
        rotation token: AuthorizationToken,
        of peer: AdmittedPeer,
        to keychain: UserKeychain
    ) -> (body: Response.Body, record: AuditRecord) {
        let result = Result { () throws(KeychainError) in
            try keychain.withEngine { (engine) throws(KeychainError) in try engine.rotateKeys(token) }
        }
        let entry = AuditEntry("rotate-keys", of: result.map { 0 }, by: peer)
        let record = AuditRecord(log: keychain.audit, entries: [entry])
        switch result {
        case .success: return (.outcome(.count(0)), record)
        case .failure(let error):
            metrics.failures.increment()
            return (.outcome(.failed(error)), record)
        }
    }
}

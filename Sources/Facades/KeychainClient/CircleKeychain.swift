package import KeychainCircles
import KeychainEngine
package import KeychainModel
package import KeychainSync

/// A keychain that can share its synchronizable items with its owner's other devices.
package protocol CircleKeychain: OwnedKeychain, CircleService {}

extension EmbeddedKeychain: CircleKeychain {
    package func answer(_ request: CircleRequest) throws(KeychainError) -> CircleAnswer {
        var rounds = CircleRounds(request, of: asker, in: request.view?.context as? PresenceSession, enclave: enclave)
        while true {
            let request = rounds.request
            do throws(KeychainError) {
                return try withEngine { (engine) throws(KeychainError) in try engine.circle.answer(request) }
            } catch {
                try rounds.ask(rounds.need(after: error))
            }
        }
    }

    package func synchronize(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError)
        -> SyncReport
    {
        try withEngine { (engine) throws(KeychainError) in try engine.circle.synchronize(over: transport, ifAt: place) }
    }
}

extension ServiceConnection: CircleKeychain {}

import EnclaveDesk
import EnclaveInterface
import KeychainModel

/// What a function that answers a request works with: the enclave, and the sender.
package struct EnclaveVisit: Sendable {
    package enum Sender: Sendable {
        /// The keychain service.
        ///
        /// - Parameter connection: its number; 0 within the enclave's own process. What was proved for another one
        ///   opens nothing here.
        case service(connection: UInt64)
        case owner(Visitor)
        /// The prompter that reads fingers.
        case prompter

        /// What a request has to allow.
        var kinds: RequestSenders {
            switch self {
            case .service: .service
            case .owner: .owner
            case .prompter: .trustedPrompter
            }
        }
    }

    let enclave: LocalEnclave
    let sender: Sender

    package init(to enclave: LocalEnclave, from sender: Sender) {
        self.enclave = enclave
        self.sender = sender
    }

    var keyRing: KeyRing { enclave.keyRing }

    var sync: SyncKeys { enclave.sync }

    var ceremonies: SyncCeremonies { enclave.ceremonies }

    var passcode: PasscodeGuard { enclave.passcode }

    var desk: PresenceDesk { enclave.desk }

    /// The number of the service's connection; 0 for every other sender.
    var connection: UInt64 {
        switch sender {
        case .service(let connection): connection
        case .owner, .prompter: 0
        }
    }

    /// - Throws: `noPermission` for those who have no passcode to bring.
    var visitor: Visitor {
        get throws(KeychainError) {
            switch sender {
            case .owner(let visitor): return visitor
            case .service, .prompter: throw KeychainError(.noPermission, "this is the owner's to do")
            }
        }
    }

    /// The same credentials, of this connection.
    func own(_ credentials: ItemCredentials) -> ItemCredentials {
        guard !credentials.proofs.isEmpty else { return credentials }
        var own = credentials
        own.connection = connection
        return own
    }
}

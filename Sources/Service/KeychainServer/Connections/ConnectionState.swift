import EnclaveInterface
import KeychainEngine
import KeychainModel
import KeychainProtocol

/// What a connection has beside its requests.
struct ConnectionState {
    /// A restoration that it has begun.
    var restoration: HeldRestoration?
    /// What was proved on it. It ends with the connection.
    let session: PresenceSession
    let asker: QuestionAsker

    init(peer: AdmittedPeer, keychain: UserKeychain) {
        asker = QuestionAsker(peer)
        session = PresenceSession(of: asker) { () throws(KeychainError) in
            try keychain.withEngine { (engine) throws(KeychainError) in engine.enclave }
        }
    }
}

/// A restoration, which takes room on the disk: a keychain has one at a time.
struct HeldRestoration {
    let begun: BegunRestoration
    let place: RestorationPlace
}

extension QuestionAsker {
    /// In system mode the enclave hears of it from chatelaine-identify. Elsewhere it is what is said here: a program
    /// that was started by a user who may do anything to it is not what its signature says.
    init(_ peer: AdmittedPeer) {
        let isVerified =
            switch (peer.identity.kind, peer.identity.mode) {
            case (.installed, _), (.signed, .session): true
            case (.signed, .system), (.unsigned, _): false
            }
        guard let vouch = peer.vouch else {
            self.init(peer.caller, isVerified: isVerified)
            return
        }
        let name = peer.caller.name
        self.init(groups: peer.caller.groups, ownGroup: peer.caller.ownGroup) { () throws(KeychainError) in
            .vouched(by: try vouch(), limitedName: name)
        }
    }
}

/// A request's stay behind the gate that locks close. It steps out while a person thinks: no lock waits for that.
final class GatePass {
    private let gate: LockGate
    private let socket: Int32
    private var pass: LockGate.Pass?

    init(_ gate: LockGate, _ socket: Int32) {
        self.gate = gate
        self.socket = socket
        enter()
    }

    func enter() {
        if pass == nil { pass = gate.enter(socket) }
    }

    func leave() {
        if let pass { gate.leave(pass) }
        pass = nil
    }
}

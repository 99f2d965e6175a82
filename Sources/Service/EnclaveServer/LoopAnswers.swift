import EnclaveDesk
import EnclaveInterface
import KeychainModel

extension OpenChannelRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        if let descriptor = message.descriptor { loop.openChannel(descriptor, of: message.peer) }
    }
}

extension AcknowledgeRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        loop.service.relay.acknowledged(message.header.id, by: message.peer.number)
    }
}

extension VouchRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        loop.vouchers.add(voucher, for: program, of: message.header.uid)
        confirm(message, in: &loop)
    }
}

extension AskOwnerRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        try loop.open(question, message)
    }
}

extension RegisterPrompterRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        let peer = message.peer
        guard peer.registration == nil else {
            throw KeychainError(.invalidParameter, "a prompter is registered on this connection already")
        }
        // What is read, such as a finger, comes from a trusted prompter alone.
        guard abilities == .typing || (peer.role == .prompter && !abilities.subtracting(.typing).isEmpty) else {
            throw KeychainError(.noPermission, "only a trusted prompter reads fingers")
        }
        let (number, deliveries) = (peer.number, loop.service.deliveries)
        peer.registration = try loop.service.table.register(
            for: abilities,
            of: peer.role == .prompter ? nil : message.header.uid
        ) { PeerPrompter(number: number, uid: $0, deliveries: deliveries) }
        confirm(message, in: &loop)
    }
}

extension ReaderHintRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        let (table, uid) = (loop.service.table, message.header.uid)
        if table.opened(uid) != nil { try table.desk(of: uid).hint(question, hint, by: factor) }
        confirm(message, in: &loop)
    }
}

extension ReaderStateRequest: LoopRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError) {
        try loop.service.table.take(state, of: factor, from: message.header.uid)
        confirm(message, in: &loop)
    }
}

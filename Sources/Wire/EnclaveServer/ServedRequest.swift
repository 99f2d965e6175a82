import EnclaveMessages
import KeychainModel

/// A request that an enclave answers: on a worker's thread, or on the loop's where it takes no time.
protocol ServedRequest: EnclaveRequest {
    /// How many items' keys leave the enclave with the answer.
    var releasedKeys: Int { get }

    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> Answer
}

extension ServedRequest {
    var releasedKeys: Int { 0 }

    /// The message with what comes of it.
    func reply(_ visit: EnclaveVisit, to header: EnclaveMessage.Header) -> [UInt8] {
        Self.reply(Result { () throws(KeychainError) in try answer(visit) }, to: header)
    }
}

/// A request about the loop's own tables. Its function sends the reply, if there is one.
protocol LoopRequest: EnclaveRequest {
    func answer(_ message: IncomingMessage, in loop: inout EnclaveLoop) throws(KeychainError)
}

extension LoopRequest where Answer == Void {
    /// Says that it is done.
    func confirm(_ message: IncomingMessage, in loop: inout EnclaveLoop) {
        loop.send(Self.reply(.success(()), to: message.header), to: message.peer.number)
    }
}

/// Where a request came from, beside what it says.
struct IncomingMessage {
    let header: EnclaveMessage.Header
    let peer: EnclavePeer
    let descriptor: PacketSocket?
}

import EnclaveInterface
import KeychainModel
import KeychainSystem
import LocalEnclave

/// A request that is answered from the table of enclaves, on a worker's thread.
protocol TableRequest: EnclaveRequest {
    func answer(_ visit: TableVisit) throws(KeychainError) -> Answer
}

/// Whom a request is about and where it came from.
struct TableVisit: Sendable {
    let table: EnclaveTable
    /// Whose keychain it is about.
    let uid: UInt32
    let sender: EnclaveVisit.Sender
}

extension TableRequest {
    /// The message with what comes of it.
    func reply(_ visit: TableVisit, to header: EnclaveMessage.Header) -> [UInt8] {
        Self.reply(Result { () throws(KeychainError) in try answer(visit) }, to: header)
    }
}

extension ServedRequest {
    /// The same, answered by the enclave that the request is about.
    func reply(_ visit: TableVisit, to header: EnclaveMessage.Header) -> [UInt8] {
        let result = Result { () throws(KeychainError) in
            try answer(EnclaveVisit(to: visit.table.enclave(of: visit.uid), from: visit.sender))
        }
        return Self.reply(result, to: header)
    }
}

extension KeychainPresenceRequest: TableRequest {
    func answer(_ visit: TableVisit) throws(KeychainError) -> EnclavePresence {
        try visit.table.presence(of: visit.uid)
    }
}

extension CreateKeychainRequest: TableRequest {
    func answer(_ visit: TableVisit) throws(KeychainError) { try visit.table.create(for: visit.uid) }
}

extension SleepRequest: TableRequest {
    func answer(_ visit: TableVisit) throws(KeychainError) { visit.table.lockForSleep() }
}

// Also of users who have no keychain so far.
extension PresenceStatusRequest: TableRequest {
    func answer(_ visit: TableVisit) throws(KeychainError) -> PresenceStatus {
        try visit.table.presenceStatus(of: visit.uid)
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

import EnclaveInterface
import Foundation
import KeychainModel
import LocalEnclave

@testable import EnclaveClient
@testable import EnclaveServer
@testable import KeychainSystem

/// Enclaves that this process serves, in a folder of their own, with passcodes that cost nothing to try.
final class ServedEnclave: Sendable {
    let folder: String
    let controlPath: String
    let service: EnclaveService
    /// The keychain service's end of its first connection.
    let first: PacketSocket
    private let listener: Int32
    private let table: EnclaveTable

    init(onlyUser: UInt32? = nil, prompter: UInt32? = nil, witness: UInt32? = nil) throws {
        folder = FileManager.default.temporaryDirectory.path + "/chatelaine-enclave-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/enclave.sock"
        controlPath = path
        listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | O_NONBLOCK, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = listener
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 200) == 0 else { throw KeychainError(errno: errno, "no listener") }
        let (ours, theirs) = try PacketSocket.pair()
        first = ours
        var sockets = EnclaveService.Sockets()
        sockets.service = theirs
        sockets.ownerListener = listener
        sockets.onlyUser = onlyUser
        sockets.prompter = prompter
        sockets.witness = witness
        table = EnclaveTable(
            UserEnclaves(directory: folder) { (path, _) throws(KeychainError) in
                LocalEnclaveFolder(path: path, cost: .uncheckedLeast, arena: SecretArena())
            }
        )
        service = try EnclaveService(sockets, table: table) { _ in }
        try service.start()
    }

    deinit {
        service.stop()
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func connection() -> EnclaveConnection { EnclaveConnection(.connected(first)) }

    func owner(of uid: UInt32 = geteuid()) throws -> RemoteEnclaveControl {
        try RemoteEnclaveControl(connectingTo: controlPath, uid: uid)
    }

    /// Sets the first passcode as an owner does whom the system has authenticated.
    func setPasscode(_ passcode: SecretBytes, of uid: UInt32, by owner: RemoteEnclaveControl? = nil) throws {
        let token = try table.rootControl(of: uid).authorize(.setPasscode, passcode: nil)
        try (owner ?? self.owner(of: uid)).changePasscode(from: nil, to: passcode, with: token)
    }

    /// One more of those that the first connection has opened.
    func anotherChannel() throws -> PacketSocket {
        let (own, others) = try PacketSocket.pair()
        _ = first.send(try OpenChannelRequest().encoded(id: 0, uid: 0), passing: others.number)
        own.limit(receiving: .seconds(20), sending: .seconds(20))
        return own
    }

    /// A connection like those that the keychain service opens for its questions.
    ///
    /// - Parameter acknowledging: whether somebody reads the events of the first connection, and says so.
    func rawChannel(acknowledging: Bool = true) throws -> PacketSocket {
        if acknowledging {
            Thread.detachNewThread { [first] in
                var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)
                while true {
                    let (outcome, count, _) = first.receive(into: &buffer)
                    guard outcome == .done, let event = try? EnclaveEvent(buffer[..<count]),
                        let message = try? AcknowledgeRequest().encoded(id: event.id, uid: event.uid),
                        first.send(message) == .done
                    else { return }
                }
            }
        }
        let (own, others) = try PacketSocket.pair()
        _ = first.send(try OpenChannelRequest().encoded(id: 0, uid: 0), passing: others.number)
        own.limit(receiving: .seconds(20), sending: .seconds(20))
        return own
    }
}

extension PacketSocket {
    /// Asks, and waits for what comes of it.
    ///
    /// - Throws: what the enclave fails with; `POSIXError` where it has closed the connection.
    @discardableResult
    func ask<Request: EnclaveRequest>(_ request: Request, uid: UInt32) throws -> Request.Answer {
        guard send(try request.encoded(id: 1, uid: uid)) == .done else { throw POSIXError(.EPIPE) }
        var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)
        let (outcome, count, _) = receive(into: &buffer)
        guard outcome == .done else { throw POSIXError(.EPIPE) }
        return try EnclaveReply(buffer[..<count], to: Request.self).result.get()
    }

    /// What the enclave fails with; nil where there is an answer.
    func refusal(of request: some EnclaveRequest, uid: UInt32) throws -> KeychainError? {
        do {
            _ = try ask(request, uid: uid)
            return nil
        } catch let error as KeychainError {
            return error
        }
    }
}

extension EnclaveTable {
    /// What root may do with a user's enclave.
    func rootControl(of uid: UInt32) throws -> any EnclaveControl { try enclave(of: uid).control(isRoot: true) }
}

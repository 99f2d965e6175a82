import CKeychainLinux
import Glibc
import KeychainModel
import KeychainProtocol

/// One admitted connection to the service.
///
/// Sendable because one thread uses it at a time: the one that took it out of the pool.
final class Channel: @unchecked Sendable {
    /// Why a request came to nothing.
    enum Failure: Error {
        /// The service has not got the whole request, and so did nothing.
        case notSent(KeychainError)
        /// It may have got it, and may have done it.
        case unknown(KeychainError)
        /// There is no connection to send it by, or it cannot be sent.
        case refused(KeychainError)
    }

    private let socket: ClientSocket
    private var decoder: FrameDecoder
    private var lastRequest: UInt64 = 0
    /// The process that the connection is of: a child of a fork does not use its parent's.
    let generation: UInt64
    let identity: ServiceIdentity

    /// Connects and goes through the handshake (docs/protocol.md).
    ///
    /// - Throws: `notAvailable` where there is no service that answers as one; the service's own refusal.
    init(to address: ServiceAddress, as name: String?, within duration: Duration) throws(KeychainError) {
        ServingProgram.endIfReplaced()
        try InstalledProgram.harden(for: address)
        generation = clinux_fork_generation()
        let deadline = Deadline(duration)
        socket = try ClientSocket.connect(to: address, as: name, by: deadline)
        decoder = FrameDecoder(limit: Frame.largestHandshake)
        guard case .hello(let hello) = try Self.message(socket, &decoder, by: deadline) else {
            throw Self.outOfTurn
        }
        guard hello.versions.overlaps(AuthenticationProof.versions) else {
            throw KeychainError(.notAvailable, "the keychain service speaks another version of the protocol")
        }
        let version = min(hello.versions.upperBound, AuthenticationProof.versions.upperBound)
        let answer = Authentication(proof: AuthenticationProof.proof(for: hello), version: version)
        try socket.sendWithDescriptor(try FrameCodec.encode(.authenticate(answer)))
        decoder.limit = Frame.largestResponse
        guard case .welcome(let identity) = try Self.message(socket, &decoder, by: deadline) else {
            throw Self.outOfTurn
        }
        self.identity = identity
    }

    /// Whether the connection can be used for another request.
    var isUsable: Bool { generation == clinux_fork_generation() && !decoder.isMidway && socket.isIdle }

    /// How often the time for one part, for all parts of a response.
    private static let mostTime = 20

    /// Sends a request and waits for its whole response.
    func exchange(_ request: Request, by deadline: Deadline) throws(Failure) -> [Response.Body] {
        var parts: [Response.Body] = []
        var deadline = deadline
        let last = deadline.times(Self.mostTime)
        try exchange(request, by: { deadline }) { (part) throws(KeychainError) in
            parts.append(part)
            deadline = deadline.renewed(notBeyond: last)
        }
        return parts
    }

    /// Sends a request and gives the parts of its response to a closure, one after the other.
    ///
    /// - Parameters:
    ///   - deadline: asked for the request, and for each part.
    ///   - receive: what it throws ends the connection.
    func exchange(
        _ request: Request,
        by deadline: () -> Deadline,
        receive: (Response.Body) throws(KeychainError) -> Void
    ) throws(Failure) {
        lastRequest &+= 1
        do throws(KeychainError) {
            try socket.send(try FrameCodec.encode(.request(id: lastRequest, request)), by: deadline())
        } catch {
            throw error.code == .dataTooLarge ? .refused(error) : .notSent(error)
        }
        var isPrompting = false
        while true {
            let message: ServerMessage
            do throws(KeychainError) {
                // A person may think for a while; the service ends it sooner.
                let deadline = isPrompting ? Deadline(.seconds(240)) : deadline()
                message = try Self.decode(try socket.receive(with: &decoder, by: deadline))
            } catch {
                throw .unknown(Self.asUnavailable(error))
            }
            switch message {
            // The connection is over. Where the service just ends, it may have done what was asked before.
            case .refusal(let error): throw error.code == .notAvailable ? .unknown(error) : .refused(error)
            case .response(let response) where response.id == lastRequest && response.isPrompting:
                isPrompting = true
            case .response(let response) where response.id == lastRequest:
                isPrompting = false
                do throws(KeychainError) {
                    try receive(response.body)
                } catch {
                    throw .refused(error)
                }
                if !response.hasMore { return }
            case .hello, .welcome, .response, .event: throw .unknown(Self.outOfTurn)
            }
        }
    }

    /// Answers what the service asks in the middle of an exchange.
    func send(_ reply: TransportReply, by deadline: Deadline) throws(KeychainError) {
        try socket.send(try FrameCodec.encode(.request(id: lastRequest, .carried(reply))), by: deadline)
    }

    /// Ends the connection, also while another thread waits for an answer on it.
    func shutDown() {
        socket.shutDown()
    }

    /// Asks for events, and hands them on until the body returns false.
    ///
    /// - Throws: `notAvailable` where the service ends; its refusal.
    func watch(
        ofCircle isForCircle: Bool = false,
        _ body: (KeychainEvent) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        lastRequest &+= 1
        let request: Request = isForCircle ? .watchCircle : .watch
        try socket.send(try FrameCodec.encode(.request(id: lastRequest, request)), by: Deadline(.seconds(5)))
        while true {
            try socket.waitForMore(than: decoder)
            let message = try Self.decode(try socket.receive(with: &decoder, by: Deadline(.seconds(30))))
            switch message {
            case .event(let event): if try !body(event) { return }
            case .refusal(let error): throw error
            case .response(let response):
                guard case .outcome(.failure(let error)) = response.body else { throw Self.outOfTurn }
                throw error
            case .hello, .welcome: throw Self.outOfTurn
            }
        }
    }

    private static func message(
        _ socket: ClientSocket,
        _ decoder: inout FrameDecoder,
        by deadline: Deadline
    ) throws(KeychainError) -> ServerMessage {
        let message: ServerMessage
        do throws(KeychainError) {
            message = try decode(try socket.receive(with: &decoder, by: deadline))
        } catch {
            throw asUnavailable(error)
        }
        if case .refusal(let error) = message { throw error }
        return message
    }

    private static func decode(_ bytes: [UInt8]) throws(KeychainError) -> ServerMessage {
        try FrameCodec.decodeServer(bytes)
    }

    /// What is wrong with a service's bytes is not wrong with the caller's request.
    private static func asUnavailable(_ error: KeychainError) -> KeychainError {
        error.code == .notAvailable
            ? error : KeychainError(.notAvailable, "what answers is no keychain service: \(error.message)")
    }

    private static let outOfTurn = KeychainError(.notAvailable, "the keychain service answers out of turn")
}

extension Response {
    fileprivate var isPrompting: Bool {
        if case .prompting = body { hasMore } else { false }
    }
}

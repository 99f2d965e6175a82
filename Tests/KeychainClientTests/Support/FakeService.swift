import CKeychainLinux
import CProbe
import Foundation
import KeychainModel
import KeychainProtocol
import Synchronization

/// Something that listens where a keychain service would, and does to each connection what a test says.
final class FakeService: Sendable {
    let path: String
    private let listener: Int32
    private let open = Mutex<[Int32]>([])
    private let accepted = Mutex(0)

    /// Connections so far.
    var connections: Int { accepted.withLock { $0 } }

    /// - Parameters:
    ///   - uid: who listens; nil for whoever runs the tests.
    ///   - behave: runs on a thread of its own for each connection, which is closed after it; nil accepts nobody.
    init(
        at path: String = FakeService.temporaryPath(),
        backlog: Int32 = 64,
        uid: UInt32? = nil,
        _ behave: (@Sendable (FakeConnection) throws -> Void)?
    ) throws {
        self.path = path
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        let result = uid.map { cprobe_listen_as(listener, backlog, $0) } ?? listen(listener, backlog)
        guard isBound, result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        // A test may let go of the service while its client still speaks with it.
        Self.keep(self)
        guard let behave else { return }
        Thread.detachNewThread { [self] in
            // Only here: its number would be another service's as soon as it is closed, whose clients this would answer.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                self.accepted.withLock { $0 += 1 }
                self.open.withLock { $0.append(connection) }
                Thread.detachNewThread { [self] in
                    try? behave(FakeConnection(descriptor: connection))
                    shutdown(connection, Int32(SHUT_RDWR))
                    forget(connection)
                }
            }
        }
    }

    private static let kept = Mutex<[FakeService]>([])
    private static let isRegistered: Void = {
        atexit { for service in FakeService.kept.withLock({ $0 }) { unlink(service.path) } }
    }()

    /// Until the end of the process.
    private static func keep(_ service: FakeService) {
        _ = isRegistered
        kept.withLock { $0.append(service) }
    }

    /// As if the service were killed: its socket stays, and nobody answers.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    private func forget(_ connection: Int32) {
        open.withLock {
            $0.removeAll { $0 == connection }
            close(connection)
        }
    }

    static func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.path + "/service-\(UUID().uuidString)"
    }
}

/// The service's end of one connection.
final class FakeConnection: @unchecked Sendable {
    let descriptor: Int32
    private var decoder = FrameDecoder(limit: Frame.largestRequest)
    /// The descriptors that came with the client's answer to hello.
    private(set) var descriptors: Int32 = 0

    static let me = ServiceIdentity(name: "test", groups: ["test.default"], kind: .unsigned, mode: .session)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func sayHello(versions: ClosedRange<UInt32> = AuthenticationProof.versions) throws {
        send(try FrameCodec.encode(.hello(Hello(nonce: [UInt8](repeating: 8, count: 32), versions: versions))))
    }

    /// Reads the client's answer to hello, which has to be right and in one message with one descriptor.
    func readAuthentication() throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var chunk = clinux_chunk()
        let count = clinux_receive(descriptor, &bytes, bytes.count, 0, &chunk)
        descriptors = chunk.descriptor_count
        clinux_chunk_close(&chunk)
        decoder.append(bytes.prefix(max(count, 0)))
        guard let message = try decoder.next(),
            case .authenticate(let answer) = try FrameCodec.decodeClient(message),
            answer.proof
                == AuthenticationProof.proof(
                    for: Hello(nonce: [UInt8](repeating: 8, count: 32), versions: AuthenticationProof.versions)
                )
        else { throw POSIXError(.EPROTO) }
    }

    func admit() throws {
        try sayHello()
        try readAuthentication()
        send(try FrameCodec.encode(.welcome(Self.me)))
    }

    /// The next request, or nil at the end.
    func next() throws -> (id: UInt64, request: Request)? {
        while true {
            if let message = try decoder.next() {
                guard case .request(let id, let request) = try FrameCodec.decodeClient(message) else {
                    throw POSIXError(.EPROTO)
                }
                return (id, try request.get())
            }
            let count = try decoder.fill { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count <= 0 { return nil }
        }
    }

    func answer(_ id: UInt64, _ body: Response.Body) throws {
        try FrameCodec.encodeInParts(body, id: id) { (frame) throws(KeychainError) in send(frame) }
    }

    /// Answers everything with what the closure makes of it.
    func serve(_ body: (Request) -> Response.Body) throws {
        try admit()
        while let (id, request) = try next() { try answer(id, body(request)) }
    }
}

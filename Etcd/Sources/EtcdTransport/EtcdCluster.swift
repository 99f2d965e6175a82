package import EtcdMessages
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
package import SwiftProtobuf

/// A connection to a cluster: to all its nodes, one call after the other to each.
package final class EtcdCluster: Sendable {
    /// What is called, and what comes back.
    package struct Method<Request: Message & Sendable, Response: Message & Sendable>: Sendable {
        fileprivate let descriptor: MethodDescriptor
        fileprivate let largestAnswer: Int

        /// - Parameter largestAnswer: in bytes; nil for what the largest blob needs.
        package init(_ service: String, _ name: String, largestAnswer: Int? = nil) {
            descriptor = MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: name)
            self.largestAnswer = largestAnswer ?? EtcdCluster.largestAnswer
        }
    }

    private let client: GRPCClient<HTTP2ClientTransport.Posix>
    private let connections: Task<Void, Never>
    private let nodes: [EtcdAddress.Node]

    /// How long an attempt may take: a node that has stopped answers nothing, and another one may.
    package static let attempt: Duration = .seconds(2)
    /// How long all attempts may take together.
    package static let patience: Duration = .seconds(10)
    /// etcd refuses requests above 1.5 MiB, and an answer has at most one of these, or a page of names.
    fileprivate static let largestAnswer = 2 << 20

    /// Whether etcd can name this revision. Another server could name one after which no other comes.
    static func isRevision(_ revision: Int64) -> Bool { (0..<Int64.max).contains(revision) }

    /// - Throws: `EtcdFailure` for credentials that are none.
    package init(nodes: [EtcdAddress.Node], serverName: String?, credentials: EtcdCredentials) throws(EtcdFailure) {
        self.nodes = nodes
        func pem(_ text: String) -> TLSConfig.CertificateSource { .bytes(Array(text.utf8), format: .pem) }
        let security = HTTP2ClientTransport.Posix.TransportSecurity.mTLS(
            certificateChain: [pem(credentials.certificate)],
            privateKey: .bytes(Array(credentials.privateKey.utf8), format: .pem)
        ) { configuration in
            // Nobody but the operator's authority vouches for a node.
            configuration.trustRoots = .certificates(credentials.authorities.map(pem))
        }
        var registry = NameResolverRegistry()
        registry.registerFactory(EtcdNodes.Resolver())
        let configuration = HTTP2ClientTransport.Posix.Config.defaults { configuration in
            configuration.http2.authority = serverName
            configuration.backoff = .init(initial: .milliseconds(100), max: .seconds(10), multiplier: 1.6, jitter: 0.2)
            configuration.connection = .init(
                maxIdleTime: .seconds(24 * 3_600),
                // A node answers none that come more often than each five seconds.
                keepalive: .init(time: .seconds(20), timeout: .seconds(5), allowWithoutCalls: false)
            )
        }
        do {
            client = GRPCClient(
                transport: try HTTP2ClientTransport.Posix(
                    target: EtcdNodes(nodes: nodes),
                    transportSecurity: security,
                    config: configuration,
                    resolverRegistry: registry,
                    serviceConfig: ServiceConfig(loadBalancingConfig: [.roundRobin])
                )
            )
        } catch {
            throw EtcdFailure(.other, "the credentials cannot be used: \(error)")
        }
        connections = Task { [client] in try? await client.runConnections() }
    }

    package convenience init(_ address: EtcdAddress) throws(EtcdFailure) {
        let credentials = try EtcdCredentials(path: address.credentials)
        try self.init(nodes: address.nodes, serverName: address.serverName, credentials: credentials)
    }

    /// Ends all calls.
    package func close() { connections.cancel() }

    deinit { connections.cancel() }

    // MARK: - Calls

    /// Calls until it succeeds, is refused, or takes too long.
    ///
    /// It may be done more than once, and once more after this has returned: what is called has to allow for that.
    package func call<Request, Response>(
        _ method: Method<Request, Response>,
        _ request: Request,
        within patience: Duration = patience,
        attempt: Duration = attempt
    ) async throws(EtcdFailure) -> Response {
        let end = ContinuousClock.now + patience
        var pause = Duration.milliseconds(20)
        while true {
            let left = end - .now
            do {
                return try await once(method, request, within: min(attempt, max(left, .milliseconds(1))))
            } catch {
                guard EtcdFailure.isPassing(error), ContinuousClock.now + pause < end else {
                    throw EtcdFailure(error, of: nodes)
                }
            }
            do { try await Task.sleep(for: pause) } catch { throw EtcdFailure(.unreachable, "the call was ended") }
            pause = min(pause * 2, .milliseconds(500))
        }
    }

    private func once<Request, Response>(
        _ method: Method<Request, Response>,
        _ request: Request,
        within limit: Duration
    ) async throws -> Response {
        var options = CallOptions.defaults
        options.timeout = limit
        options.waitForReady = true
        Self.bound(&options, method.largestAnswer)
        return try await client.unary(
            request: ClientRequest(message: request),
            descriptor: method.descriptor,
            serializer: ProtobufSerializer<Request>(),
            deserializer: BoundedDeserializer<Response>(),
            options: options
        ) { try $0.message }
    }

    private static func bound(_ options: inout CallOptions, _ largest: Int) {
        options.maxResponseMessageBytes = largest
        // The transport (grpc-swift-nio-transport 2) bounds answers by this one, and no requests.
        options.maxRequestMessageBytes = largest
    }

    // MARK: - Watching

    /// Hears of changes from a revision on until the body throws, the node goes, or the task is cancelled.
    ///
    /// - Parameter body: is called for each answer, in their order; the first says that the watch is there.
    package func watch(
        _ request: Etcd_WatchCreateRequest,
        _ body: @escaping @Sendable (Etcd_WatchResponse) async throws -> Void
    ) async throws {
        var options = CallOptions.defaults
        // No limit of time, which would end the watch.
        options.waitForReady = true
        Self.bound(&options, Self.largestAnswer)
        var message = Etcd_WatchRequest()
        message.createRequest = request
        let first = message
        try await client.bidirectionalStreaming(
            // A node that has lost its leader says so, and another one can be asked.
            request: StreamingClientRequest(metadata: ["hasleader": "true"]) { writer in
                try await writer.write(first)
                // Until the answers end: the end of the requests is the end of the watch.
                while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
            },
            descriptor: Self.watching.descriptor,
            serializer: ProtobufSerializer<Etcd_WatchRequest>(),
            deserializer: BoundedDeserializer<Etcd_WatchResponse>(),
            options: options
        ) { response in
            for try await answer in response.messages { try await body(answer) }
        }
    }

    private static let watching = Method<Etcd_WatchRequest, Etcd_WatchResponse>("Watch", "Watch")
}

/// Takes a message whose parts are not so many that they need much more memory than its bytes.
private struct BoundedDeserializer<Message: SwiftProtobuf.Message>: MessageDeserializer {
    /// A page has 1,000 names, and etcd tells of as many changes at once.
    private static var mostParts: Int { 20_000 }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Message {
        // Each part is a field, and has two bytes at least.
        let parts = unsafe bytes.withUnsafeBytes { buffer in unsafe Self.parts(buffer) }
        guard let parts, parts <= Self.mostParts else {
            throw RPCError(code: .resourceExhausted, message: "an answer is no message, or has very many parts")
        }
        return try ProtobufDeserializer<Message>().deserialize(bytes)
    }

    /// How many fields a message has at its uppermost level.
    ///
    /// - Returns: nil for what is no message, or has groups, which nothing of etcd has.
    private static func parts(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        var count = 0
        func number() -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 70, by: 7) {
                guard place < bytes.count else { return nil }
                let byte = unsafe bytes[place]
                place += 1
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
        while place < bytes.count {
            guard let tag = number() else { return nil }
            count += 1
            let length: UInt64? =
                switch tag & 7 {
                case 0: number().map { _ in 0 }
                case 1: 8
                case 2: number()
                case 5: 4
                default: nil
                }
            guard let length, length <= UInt64(bytes.count - place) else { return nil }
            place += Int(length)
        }
        return count
    }
}

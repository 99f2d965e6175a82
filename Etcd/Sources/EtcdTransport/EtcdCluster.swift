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

        package init(_ service: String, _ name: String) {
            descriptor = MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: name)
        }
    }

    private let client: GRPCClient<HTTP2ClientTransport.Posix>
    private let connections: Task<Void, Never>

    /// How long an attempt may take: a node that has stopped answers nothing, and another one may.
    package static let attempt: Duration = .seconds(2)
    /// How long all attempts may take together.
    package static let patience: Duration = .seconds(10)
    /// etcd refuses requests above 1.5 MiB; an answer has at most a page of names, or one blob.
    private static let largestAnswer = 4 << 20

    /// - Throws: `EtcdFailure` for credentials that are none.
    package init(nodes: [EtcdAddress.Node], serverName: String?, credentials: EtcdCredentials) throws(EtcdFailure) {
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

    /// Calls until it succeeds, is refused, or takes too long. What is called more than once does no harm.
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
                guard EtcdFailure.isPassing(error), ContinuousClock.now + pause < end else { throw EtcdFailure(error) }
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
        options.maxResponseMessageBytes = Self.largestAnswer
        return try await client.unary(
            request: ClientRequest(message: request),
            descriptor: method.descriptor,
            serializer: ProtobufSerializer<Request>(),
            deserializer: ProtobufDeserializer<Response>(),
            options: options
        ) { try $0.message }
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
        options.maxResponseMessageBytes = Self.largestAnswer
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
            deserializer: ProtobufDeserializer<Etcd_WatchResponse>(),
            options: options
        ) { response in
            for try await answer in response.messages { try await body(answer) }
        }
    }

    private static let watching = Method<Etcd_WatchRequest, Etcd_WatchResponse>("Watch", "Watch")
}

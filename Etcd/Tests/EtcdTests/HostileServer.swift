import EtcdMessages
import EtcdOperator
import EtcdTransport
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import SwiftProtobuf
import Synchronization
import Testing

/// A server that speaks as etcd does and answers as a test wants, also as etcd never would.
final class HostileServer: Sendable {
    typealias Range = @Sendable (Etcd_RangeRequest) throws -> Etcd_RangeResponse
    typealias Watch = @Sendable (RPCWriter<Etcd_WatchResponse>) async throws -> Void
    typealias Change = @Sendable (Etcd_TxnRequest) throws -> Etcd_TxnResponse

    private let authority: Authority
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let serving: Task<Void, any Error>
    private let port: UInt16

    init(
        range: @escaping Range = { _ in Etcd_RangeResponse() },
        watch: @escaping Watch = { _ in try await Task.sleep(for: .seconds(600)) },
        change: @escaping Change = { _ in throw RPCError(code: .internalError, message: "none") }
    ) async throws {
        authority = try Authority.make()
        let own = try authority.node("evil", hosts: ["127.0.0.1"], isPeer: false)
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0),
            transportSecurity: .tls(
                certificateChain: [.bytes(Array(own.certificate.utf8), format: .pem)],
                privateKey: .bytes(Array(own.key.utf8), format: .pem)
            )
        )
        let server = GRPCServer(transport: transport, services: [Service(range: range, watch: watch, change: change)])
        self.server = server
        serving = Task { try await server.serve() }
        port = UInt16(try #require(try await transport.listeningAddress.ipv4?.port))
    }

    deinit { serving.cancel() }

    /// The connection of a device that takes this server for its cluster.
    func connect() throws -> EtcdCluster {
        try EtcdCluster(
            nodes: [.init(host: "127.0.0.1", port: port)],
            serverName: Authority.serverName,
            credentials: try #require(EtcdCredentials(pem: try authority.credentials(of: "ada.laptop.0")))
        )
    }

    private struct Service: RegistrableRPCService {
        let range: Range
        let watch: Watch
        let change: Change

        func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
            unary("Range", range, &router)
            unary("Txn", change, &router)
            router.registerHandler(
                forMethod: MethodDescriptor(fullyQualifiedService: "etcdserverpb.Watch", method: "Watch"),
                deserializer: ProtobufDeserializer<Etcd_WatchRequest>(),
                serializer: ProtobufSerializer<Etcd_WatchResponse>()
            ) { [watch] _, _ in
                StreamingServerResponse { writer in
                    try await watch(writer)
                    return [:]
                }
            }
        }

        private func unary<Request: Message & Sendable, Response: Message & Sendable, Transport: ServerTransport>(
            _ name: String,
            _ answer: @escaping @Sendable (Request) throws -> Response,
            _ router: inout RPCRouter<Transport>
        ) {
            router.registerHandler(
                forMethod: MethodDescriptor(fullyQualifiedService: "etcdserverpb.KV", method: name),
                deserializer: ProtobufDeserializer<Request>(),
                serializer: ProtobufSerializer<Response>()
            ) { request, _ in
                for try await message in request.messages {
                    do {
                        return StreamingServerResponse(single: ServerResponse(message: try answer(message)))
                    } catch {
                        return StreamingServerResponse(
                            error: error as? RPCError ?? RPCError(code: .unknown, message: "\(error)")
                        )
                    }
                }
                throw RPCError(code: .invalidArgument, message: "no request")
            }
        }
    }
}

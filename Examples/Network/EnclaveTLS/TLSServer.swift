import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import X509

/// A server that speaks with the one client whose certificate it was given: it is told a line, and answers with what it
/// knows. Its own key lives as long as it does.
struct TLSServer: Sendable {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let listener: NIOAsyncChannel<Connection, Never>
    /// For clients to know it by.
    let certificate: NIOSSLCertificate

    init(host: String, port: Int, client: PinnedPeer) async throws {
        let key = P256.Signing.PrivateKey()
        let certificate = try NIOSSLCertificate(bytes: selfSigned("enclave-tls server", by: .init(key)), format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der))
        )
        configuration.minimumTLSVersion = .tlsv13
        // So that clients are asked for a certificate; what is looked at says the callback.
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        self.certificate = certificate
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = NIOSSLServerHandler(context: context, customVerificationCallback: client.verify)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    var port: Int { listener.channel.localAddress?.port ?? 0 }

    /// Serves until the task is cancelled.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await connection in connections { group.addTask { await serve(connection) } }
            }
        }
    }

    private func serve(_ connection: Connection) async {
        do {
            try await connection.executeThenClose { inbound, outbound in
                guard let line = try await firstLine(of: inbound) else { return }
                let peer = connection.channel
                let client = summary(of: try await peer.nioSSL_peerCertificate().get())
                let version = try await peer.nioSSL_tlsVersion().get().map { "\($0)" } ?? "no TLS"
                print("server: \(client) said “\(line)” (\(version))")
                try await outbound.write(ByteBuffer(string: "You are \(client). You said “\(line)”.\n"))
                // The client closes first: what it asks of its connection goes with that. It has five seconds.
                let limit = peer.eventLoop.scheduleTask(in: .seconds(5)) { peer.close(promise: nil) }
                try await peer.closeFuture.get()
                limit.cancel()
            }
        } catch {
            print("server: refused a client: \(error)")
        }
        flush()
    }
}

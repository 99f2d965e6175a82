import NIOCore
import NIOPosix
import NIOSSL

/// A client that shows a certificate, and has whatever key signs for it.
struct TLSClient: Sendable {
    struct Exchange: Sendable {
        let server: String
        let version: String
        let reply: String
    }

    private let context: NIOSSLContext
    private let server: PinnedPeer

    init(certificate: [UInt8], key: NIOSSLPrivateKey, server: PinnedPeer) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv13
        // The one certificate that is expected names no host; the callback looks whether it is that one.
        configuration.certificateVerification = .noHostnameVerification
        configuration.certificateChain = [.certificate(try NIOSSLCertificate(bytes: certificate, format: .der))]
        configuration.privateKey = .privateKey(key)
        context = try NIOSSLContext(configuration: configuration)
        self.server = server
    }

    init(_ identity: ClientIdentity, server: PinnedPeer) throws {
        // Here the key of the Secure Enclave becomes TLS's.
        let key = NIOSSLPrivateKey(customPrivateKey: identity.key)
        try self.init(certificate: identity.certificate, key: key, server: server)
    }

    /// Says a line and hears one.
    func say(_ line: String, to host: String, port: Int) async throws -> Exchange {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: nil,
                        customVerificationCallback: server.verify
                    )
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await connection.executeThenClose { inbound, outbound in
            do {
                try await outbound.write(ByteBuffer(string: line + "\n"))
            } catch is ChannelError {
                // The connection has ended, perhaps before a word could be said: what is read says why.
            }
            guard let reply = try await firstLine(of: inbound) else { throw Failure("the server said nothing") }
            return Exchange(
                server: summary(of: try await connection.channel.nioSSL_peerCertificate().get()),
                version: try await connection.channel.nioSSL_tlsVersion().get().map { "\($0)" } ?? "no TLS",
                reply: reply
            )
        }
    }
}

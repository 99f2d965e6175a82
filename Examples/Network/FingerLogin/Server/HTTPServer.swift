import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The service behind a port. There is no TLS here: a proxy in front has it, or `enclave-tls` shows how.
struct HTTPServer: Sendable {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private let listener: NIOAsyncChannel<Connection, Never>

    /// No message is longer than this.
    private static let mostBytes = 8192
    /// What is longer is read so far, so that the answer arrives.
    private static let mostBytesRead = 1 << 20
    private static let mostConnections = 256
    private static let patience = TimeAmount.seconds(15)

    init(host: String, port: Int) async throws {
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(readTimeout: Self.patience))
                    try pipeline.addHandler(IdleConnectionCloser())
                    try pipeline.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    var port: Int { listener.channel.localAddress?.port ?? 0 }

    /// Serves until the task is cancelled.
    func run(_ harness: LoginHarness) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await listener.executeThenClose { connections in
                var count = 0
                for try await connection in connections {
                    if count >= Self.mostConnections { try await group.next() } else { count += 1 }
                    group.addTask { await serve(connection, harness) }
                }
            }
        }
    }

    private func serve(_ connection: Connection, _ harness: LoginHarness) async {
        // What a connection breaks by concerns it alone.
        try? await connection.executeThenClose { inbound, outbound in
            var head: HTTPRequestHead?
            var body = Data()
            var bytesRead = 0
            for try await part in inbound {
                switch part {
                case .head(let begun):
                    head = begun
                    body = Data()
                    bytesRead = 0
                    continue
                case .body(let bytes):
                    bytesRead += bytes.readableBytes
                    if bytesRead <= Self.mostBytes { body.append(contentsOf: bytes.readableBytesView) }
                    if bytesRead <= Self.mostBytesRead { continue }
                case .end: break
                }
                guard let request = head else { return }
                let isTooLong = bytesRead > Self.mostBytes
                let reply =
                    isTooLong
                    ? .bad("The body is longer than \(Self.mostBytes) bytes.") : harness.reply(to: request, body)
                let staysOpen = request.isKeepAlive && !isTooLong
                try await write(reply, to: outbound, staysOpen: staysOpen)
                if !staysOpen { return }
            }
        }
    }

    private func write(
        _ reply: LoginHarness.Reply,
        to outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>,
        staysOpen: Bool
    ) async throws {
        let headers: HTTPHeaders = [
            "content-type": "application/json", "content-length": "\(reply.body.count)", "cache-control": "no-store",
            "connection": staysOpen ? "keep-alive" : "close",
        ]
        try await outbound.write(contentsOf: [
            .head(HTTPResponseHead(version: .http1_1, status: reply.status, headers: headers)),
            .body(.byteBuffer(ByteBuffer(bytes: reply.body))), .end(nil),
        ])
    }
}

/// Closes a connection on which nothing comes.
private final class IdleConnectionCloser: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}

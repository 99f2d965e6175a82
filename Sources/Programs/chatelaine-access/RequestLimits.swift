import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request has not come to its end in time, or is larger than any form: a client that sends byte by
/// byte, or without end, would hold one of the few places for as long as it likes.
final class RequestLimits: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    /// A form with all of its fields.
    static let mostBytes = 256 * 1024
    /// The answer that a form is too large has to reach its sender before the connection closes.
    private static let excess = 256 * 1024
    private static let time = TimeAmount.seconds(10)

    private var timer: Scheduled<Void>?
    private var count = 0

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: begin(context)
        case .body(let part):
            count += part.readableBytes
            guard count <= Self.mostBytes + Self.excess else { return context.close(promise: nil) }
        // The answer may take as long as the owner needs for theirs; the next request has its time again.
        case .end: timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        timer?.cancel()
        count = 0
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: Self.time) { channel.close(promise: nil) }
    }
}

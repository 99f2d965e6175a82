import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request has not come to its end in time, or is larger than any form: a client that sends byte by
/// byte, or without end, would hold one of the few places for as long as it likes.
final class RequestLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    /// A form with all of its fields.
    static let mostBytes = 256 * 1024
    /// The answer that a form is too large has to reach its sender before the connection closes.
    private static let excess = 256 * 1024
    private static let time = TimeAmount.seconds(10)
    private static let farewell = TimeAmount.milliseconds(200)
    /// How long a browser may keep a connection for its next request.
    private static let pause = TimeAmount.seconds(60)

    private var timer: Scheduled<Void>?
    private var count = 0
    private var isLast = false

    func channelActive(context: ChannelHandlerContext) {
        begin(context, Self.time)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: if !isLast { begin(context, Self.time) }
        case .body(let part):
            count += part.readableBytes
            guard count <= Self.mostBytes + Self.excess else { return context.close(promise: nil) }
        // The answer may take as long as the owner needs for theirs.
        case .end: if !isLast { timer?.cancel() }
        }
        context.fireChannelRead(data)
    }

    /// What is no request gets its answer, and is not read to its end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Once: each part that comes after an error is an error again, and parts may come for ever.
        if !isLast { begin(context, Self.farewell) }
        isLast = true
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // What comes of the next request before its head is whole does not count: it could come for ever.
        if !isLast, case .end = unwrapOutboundIn(data) { begin(context, Self.pause) }
        context.write(data, promise: promise)
    }

    private func begin(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        timer?.cancel()
        count = 0
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

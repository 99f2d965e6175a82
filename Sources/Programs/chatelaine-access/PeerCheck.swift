import CKeychainLinux
import Glibc
import NIOCore
import NIOHTTPTypes

/// Closes connections of other users. Any of them reaches a port of the loopback interface; the kernel says whose the other
/// end of a connection is. One whose other end is closed already belongs to nobody.
final class PeerCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let isOnPort: Bool
    private var isOwn = false

    init(isOnPort: Bool) { self.isOnPort = isOnPort }

    func channelActive(context: ChannelHandlerContext) {
        isOwn = (isOnPort ? Self.ownerOnPort(context.channel) : Self.ownerOnSocket(context.channel)) == geteuid()
        guard isOwn else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOwn { context.fireChannelRead(data) }
    }

    private static func ownerOnPort(_ channel: any Channel) -> uid_t? {
        guard let own = channel.localAddress?.port.flatMap(UInt16.init(exactly:)),
            let other = channel.remoteAddress?.port.flatMap(UInt16.init(exactly:))
        else { return nil }
        var uid: UInt32 = 0
        return unsafe clinux_loopback_owner(other, own, &uid) == 0 ? uid : nil
    }

    /// `struct ucred` of unix(7), which Swift does not see.
    private struct Credentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = .max
        var group: UInt32 = .max
    }

    private static func ownerOnSocket(_ channel: any Channel) -> uid_t? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let level = NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET)
        let option = NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        let credentials: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
            level: level,
            name: option
        )
        // On the channel's own thread the answer is there at once.
        var uid: uid_t?
        credentials.assumeIsolated().whenSuccess { uid = $0.user }
        return uid
    }
}

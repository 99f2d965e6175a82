import Glibc
import NIOCore
import NIOHTTPTypes

/// Closes connections of other users. Any of them reaches a port of the loopback interface; the kernel says whose the other
/// end of a connection is.
final class PeerCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    func channelActive(context: ChannelHandlerContext) {
        guard let own = context.channel.localAddress?.port, let other = context.channel.remoteAddress?.port,
            let uid = LoopbackSockets.owner(of: other, connectedTo: own), uid == geteuid() || uid == 0
        else {
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
    }
}

/// The connections of the loopback interface, as the kernel lists them (proc_net(5)).
enum LoopbackSockets {
    private static let path = "/proc/self/net/tcp"

    /// Who has opened the end at one port of 127.0.0.1 of a connection to another one; nil where there is none.
    static func owner(of port: Int, connectedTo other: Int) -> uid_t? {
        guard let table = text(of: path) else { return nil }
        return owner(of: port, connectedTo: other, in: table)
    }

    static func owner(of port: Int, connectedTo other: Int, in table: String) -> uid_t? {
        let wanted = (address(port), address(other))
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 7, fields[1] == wanted.0, fields[2] == wanted.1 else { continue }
            return uid_t(fields[7])
        }
        return nil
    }

    /// 127.0.0.1 as the kernel writes it: its four bytes as one number of this machine.
    private static func address(_ port: Int) -> String {
        let bytes: [UInt8] = [127, 0, 0, 1]
        let number = unsafe bytes.withUnsafeBytes { unsafe $0.load(as: UInt32.self) }
        return "\(hexadecimal(number, 8)):\(hexadecimal(UInt32(port), 4))"
    }

    private static func hexadecimal(_ number: UInt32, _ digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func text(of path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe part.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += part[..<count]
        }
    }
}

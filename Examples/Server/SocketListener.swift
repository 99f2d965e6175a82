import Foundation
import Glibc

/// A UNIX socket. Its clients are served one after the other; each says one line and gets one.
final class SocketListener: Sendable {
    private let descriptor: Int32
    private let path: String

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SocketFailure(path: path, reason: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // One that an earlier start has left.
        unlink(path)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else { throw SocketFailure(path: path, reason: errno) }
    }

    func remove() {
        unlink(path)
    }

    /// Never returns. A client has five seconds.
    func serve(_ answer: (String) -> String) -> Never {
        while true {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { continue }
            var patience = timeval(tv_sec: 5, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(client, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
            }
            if let line = line(from: client) {
                let reply = Array((answer(line) + "\n").utf8)
                _ = send(client, reply, reply.count, Int32(MSG_NOSIGNAL))
            }
            close(client)
        }
    }

    /// Nil for one that is too long, no text, or has no end.
    private func line(from client: Int32) -> String? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 256)
        while bytes.count < 1_024 {
            let count = recv(client, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part.prefix(count)
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                return String(validating: bytes[..<end], as: UTF8.self)
            }
        }
        return nil
    }
}

struct SocketFailure: Error, CustomStringConvertible {
    let path: String
    let reason: Int32

    var description: String { "cannot listen on \(path): \(String(cString: strerror(reason)))" }
}

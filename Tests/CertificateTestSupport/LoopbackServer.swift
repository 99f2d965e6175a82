import Foundation
import Glibc
import Synchronization

/// A server of HTTP on this machine, which answers whatever a test wants, right or wrong.
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        /// The method, the path and the version.
        package let line: String
        /// The lines of the header, in lower case.
        package let header: [String]
        package let body: [UInt8]

        package var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    package enum Reply: Sendable {
        case answer(status: Int = 200, header: [String] = [], [UInt8])
        /// What is sent as it is, after which the connection is closed.
        case bytes([UInt8])
        /// A right answer, so slowly that it never ends: one byte, a pause in microseconds, the next byte.
        case trickle([UInt8], pause: UInt32)
        /// An answer that has no end.
        case endless
        /// The connection is closed without a word.
        case nothing

        package static func redirection(to address: String) -> Reply {
            .answer(status: 302, header: ["Location: " + address], [])
        }
    }

    package let port: UInt16
    private let listener: Int32
    private let handler: Mutex<@Sendable (Request) -> Reply>
    private let received = Mutex<[Request]>([])
    private let sent = Mutex(0)
    private let noted = Mutex<[String]>([])

    package init(_ handler: @escaping @Sendable (Request) -> Reply = { _ in .nothing }) throws {
        self.handler = Mutex(handler)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                let reason = errno
                guard let server = self else {
                    if connection >= 0 { close(connection) }
                    return
                }
                if connection >= 0 {
                    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                    Thread.detachNewThread { server.serve(connection) }
                    continue
                }
                // Other tests of this process may take all descriptors for a moment.
                guard [EINTR, ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(reason) else { return }
                server.note("accept: \(reason)")
                usleep(10_000)
            }
        }
    }

    deinit {
        // Wakes the thread that accepts.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    package var requests: [Request] { received.withLock { $0 } }

    /// What went wrong here, for the message of a test that fails.
    package var troubles: [String] { noted.withLock { $0 } }

    package func note(_ trouble: String) { noted.withLock { $0.append(trouble) } }

    /// How many bytes of endless answers were sent.
    package var sentBytes: Int { sent.withLock { $0 } }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    /// Answers in another way from now on.
    package func answer(_ handler: @escaping @Sendable (Request) -> Reply) {
        self.handler.withLock { $0 = handler }
    }

    private func serve(_ connection: Int32) {
        // A program that is started in this moment may have inherited the connection: closing it alone would not end it.
        defer {
            shutdown(connection, Int32(SHUT_RDWR))
            close(connection)
        }
        // Nobody waits for a thread of a test that has ended.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard let request = Self.request(from: connection) else { return }
        received.withLock { $0.append(request) }
        let reply = handler.withLock { $0 }(request)
        switch reply {
        case .answer(let status, let header, let body):
            Self.send(Self.head(status, header, length: body.count) + body, to: connection)
        case .bytes(let bytes): Self.send(bytes, to: connection)
        case .trickle(let bytes, let pause):
            guard Self.send(Self.head(200, [], length: bytes.count), to: connection) else { return }
            for byte in bytes {
                usleep(pause)
                guard Self.send([byte], to: connection) else { return }
            }
        case .endless:
            Self.send(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8), to: connection)
            let piece = [UInt8](repeating: 0x30, count: 1 << 16)
            while Self.send(piece, to: connection) { sent.withLock { $0 += piece.count } }
        case .nothing: break
        }
    }

    private static func head(_ status: Int, _ header: [String], length: Int) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(length)", "Connection: close"] + header
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads one request; nil if the other side goes before that.
    private static func request(from connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let header = lines.dropFirst().map { $0.lowercased() }
                let length = header.compactMap { line -> Int? in
                    line.hasPrefix("content-length:") ? Int(line.split(separator: " ").last ?? "") : nil
                }
                let body = Array(bytes[end.upperBound...])
                if body.count >= length.first ?? 0 {
                    return Request(line: lines.first ?? "", header: header, body: body)
                }
            }
            let count = recv(connection, &piece, piece.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece.prefix(count)
        }
    }
}

import Foundation
import Glibc
import Testing

/// A client that speaks HTTP byte by byte, as a test says.
final class RawClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "\(String(cString: strerror(errno)))")
        var time = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: whether all of it was taken.
    @discardableResult
    func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// All that comes until the other end closes.
    ///
    /// - Returns: nil where it has not closed within half a minute.
    func receiveAll() -> String? {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            if count < 0 { return errno == EAGAIN ? nil : String(decoding: all, as: UTF8.self) }
            if count == 0 { return String(decoding: all, as: UTF8.self) }
            all += part[..<count]
        }
    }

    /// One request on a connection of its own.
    ///
    /// - Returns: the status; nil where no answer came.
    static func status(_ program: AccessProgram, _ path: String, _ headers: [String] = [], method: String = "GET")
        throws -> Int?
    {
        let client = try RawClient(port: program.port)
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(program.host)", "Connection: close"] + headers
        client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        let answer = try #require(client.receiveAll())
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}

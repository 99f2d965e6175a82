import CKeychainLinux
import Glibc
import Testing

/// Whose the other end of a connection of the loopback interface is.
struct LoopbackOwnerTests {
    private static func socket() -> Int32 {
        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    @Test func `an open end has its user, and one that was closed has none`() throws {
        let listener = Self.socket()
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        func with(_ call: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, call) }
        }
        try #require(with { bind(listener, $0, size) } == 0 && listen(listener, 4) == 0)
        let port = Self.port(of: listener)
        address.sin_port = port.bigEndian
        let client = Self.socket()
        try #require(with { connect(client, $0, size) } == 0)
        let accepted = accept(listener, nil, nil)
        defer { close(accepted) }
        let from = Self.port(of: client)

        var uid: UInt32 = .max
        #expect(clinux_loopback_owner(from, port, &uid) == 0)
        #expect(uid == geteuid())
        // To the kernel, what nobody has open is root's.
        close(client)
        uid = .max
        #expect(clinux_loopback_owner(from, port, &uid) == ENOENT)
        #expect(uid == .max)
        #expect(clinux_loopback_owner(port, port, &uid) == ENOENT)
    }
}

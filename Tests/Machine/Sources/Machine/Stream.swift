import Foundation
import Synchronization

/// A connection to a UNIX socket that the emulator listens on. A thread of its own hears it.
final class Stream: Sendable {
    private let descriptor: Int32

    /// - Parameter heard: gets bytes as they come, on the stream's thread; at the end none.
    init(_ path: String, heard: @escaping @Sendable ([UInt8]) -> Void) throws {
        descriptor = try waited(for: "a socket at \(path)", seconds: 20) { Self.connected(to: path) }
        let descriptor = descriptor
        Thread.detachNewThread {
            while let bytes = Self.some(from: descriptor) { heard(bytes) }
            heard([])
            close(descriptor)
        }
    }

    func write(_ bytes: some Sequence<UInt8>) throws {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + sent },
                    buffer.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 || errno == EINTR else { throw Failure("the emulator is gone") }
            sent += max(0, count)
        }
    }

    /// Ends the connection, and with it the thread.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func connected(to path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return socket }
        close(socket)
        return nil
    }

    private static func some(from descriptor: Int32) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }
}

import CKeychainLinux
import Foundation
import Glibc

/// Notices that a client has gone away while its request is worked on.
enum ClientWatch {
    /// Runs the body; meanwhile, calls `whenGone` if the other end of the socket is closed.
    static func watching<Value>(
        _ client: Int32,
        whenGone: @escaping @Sendable () -> Void,
        _ body: () throws -> Value
    ) throws -> Value {
        let event = clinux_event()
        guard event >= 0 else { return try body() }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var descriptors = [
                pollfd(fd: event, events: Int16(POLLIN), revents: 0),
                // Only that both directions are closed counts: a client may have no more to say.
                pollfd(fd: client, events: 0, revents: 0),
            ]
            while unsafe poll(&descriptors, 2, -1) < 0, errno == EINTR {}
            if descriptors[0].revents == 0, descriptors[1].revents != 0 { whenGone() }
            done.signal()
        }
        defer {
            var one: UInt64 = 1
            _ = unsafe write(event, &one, MemoryLayout.size(ofValue: one))
            done.wait()
            close(event)
        }
        return try body()
    }
}

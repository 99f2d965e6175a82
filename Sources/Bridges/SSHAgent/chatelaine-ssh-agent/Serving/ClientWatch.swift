import Foundation
import Glibc
import KeychainSystem

/// Notices that a client has gone away while its request is worked on.
enum ClientWatch {
    /// Runs the body; meanwhile, calls `whenGone` if the other end of the socket is closed.
    static func watching<Value>(
        _ client: Int32,
        whenGone: @escaping @Sendable () -> Void,
        _ body: () throws -> Value
    ) throws -> Value {
        guard let isDone = try? WakeUp() else { return try body() }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // Only that both directions are closed counts: a client may have no more to say.
            let ready = try? Waiting.wait(for: (isDone.number, POLLIN), (client, 0))
            if ready == [false, true] { whenGone() }
            ended.signal()
        }
        defer {
            isDone.signal()
            ended.wait()
        }
        return try body()
    }
}

import Dispatch
import Glibc
import PeerIdentity
import ServiceLifecycle

/// Waits for the other end of a socket to go, or for the service to be stopped.
enum HangUp {
    /// - Returns: whether the other end is gone.
    static func ofOther(_ socket: Descriptor) async -> Bool {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        // This thread waits for as long as the process lives, or the other one.
        DispatchQueue.global().async {
            var state = pollfd(fd: socket.number, events: 0, revents: 0)
            while unsafe poll(&state, 1, -1) < 0 {}
            continuation.finish()
        }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in end {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await gracefulShutdown()
                return false
            }
            let isGone = await group.next() ?? false
            group.cancelAll()
            return isGone
        }
    }
}

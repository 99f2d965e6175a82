import Glibc
import PeerIdentity
import ServiceLifecycle

/// Waits for the other end of a socket to go, or for the service to be stopped.
enum HangUp {
    /// - Returns: whether the other end is gone.
    static func ofOther(_ socket: Descriptor) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    if isHungUp(socket) { return true }
                    try? await Task.sleep(for: .milliseconds(500))
                }
                return false
            }
            group.addTask {
                try? await gracefulShutdown()
                return false
            }
            let result = await group.next() ?? false
            group.cancelAll()
            return result
        }
    }

    private static func isHungUp(_ socket: Descriptor) -> Bool {
        var state = pollfd(fd: socket.number, events: 0, revents: 0)
        return unsafe poll(&state, 1, 0) > 0 && Int32(state.revents) & (POLLHUP | POLLERR) != 0
    }
}

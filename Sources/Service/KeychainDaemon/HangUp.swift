import Dispatch
import KeychainSystem
import ServiceLifecycle

/// Waits for the other end of a socket to go, or for the service to be stopped.
enum HangUp {
    /// - Parameter sockets: by the name of who is at the other end.
    /// - Returns: who is gone; nil where the service is to stop.
    static func ofAny(_ sockets: [String: Int32]) async -> String? {
        let (ends, continuation) = AsyncStream.makeStream(of: String.self)
        for (name, socket) in sockets {
            // This thread waits for as long as the process lives, or the other one.
            DispatchQueue.global().async {
                while (try? LentDescriptor(socket).wait(for: 0)) != true {}
                continuation.yield(name)
            }
        }
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await name in ends { return name }
                return nil
            }
            group.addTask {
                try? await gracefulShutdown()
                return nil
            }
            let gone = await group.next() ?? nil
            group.cancelAll()
            return gone
        }
    }
}

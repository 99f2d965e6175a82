import CKeychainLinux
import Glibc
import KeychainSystem
import PasskeyProtocol
import Synchronization
import Terminal

/// Takes connections, each of them a device.
struct DeviceServer {
    let listener: ListeningSocket
    let kind: Passkey.Kind?

    private static let mostDevices = 16
    /// How long a program may leave what it is sent unread.
    private static let patience = Duration.seconds(2)

    /// Serves until the process is ended.
    ///
    /// - Throws: where no connection can be taken any more.
    func run() throws -> Never {
        let served = Served()
        while true {
            let client = clinux_accept(listener.descriptor)
            guard client >= 0 else {
                switch errno {
                case EAGAIN, EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    // Others have to go first.
                    usleep(50_000)
                    continue
                default: throw SystemError("no connection can be taken")
                }
            }
            let socket = PacketSocket(owning: client)
            guard let uid = socket.peer?.uid, uid == getuid() || uid == 0, served.enter() else { continue }
            socket.limit(receiving: .zero, sending: Self.patience)
            let device = ServedDevice(socket: socket, kind: kind)
            do throws(SystemError) {
                try DetachedThread.start {
                    defer { served.leave() }
                    device.serve()
                }
            } catch {
                // The next one may find a thread.
                PasskeysTool.complain(error.description)
                served.leave()
            }
        }
    }

    /// How many devices there are.
    private final class Served: Sendable {
        private let count = Mutex(0)

        func enter() -> Bool {
            count.withLock { count in
                guard count < mostDevices else { return false }
                count += 1
                return true
            }
        }

        func leave() { count.withLock { $0 -= 1 } }
    }
}

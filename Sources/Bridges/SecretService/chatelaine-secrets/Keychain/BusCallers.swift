import Glibc
import KeychainSystem
import Synchronization

/// The programs of clients, as the bus says. It cannot know: whoever connected may have started another program since, and
/// given it the connection. The names are for people to read, and decide nothing.
final class BusCallers: Sendable {
    private let names = Mutex<[String: String]>([:])

    /// - Parameter process: asks the bus.
    func resolve(_ client: String, _ process: (String) -> UInt32?) {
        guard names.withLock({ $0[client] }) == nil else { return }
        let name = process(client).flatMap(Self.path) ?? "a program"
        names.withLock { $0[client] = name }
    }

    func name(of client: String) -> String { names.withLock { $0[client] } ?? "a program" }

    func forget(_ client: String) { names.withLock { $0[client] = nil } }

    private static func path(of process: UInt32) -> String? {
        SymbolicLink.target(of: "/proc/\(process)/exe")
    }
}

import Glibc
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
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = unsafe readlink("/proc/\(process)/exe", start, buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}

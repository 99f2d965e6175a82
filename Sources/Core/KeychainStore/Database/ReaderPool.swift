import Dispatch
import GRDB
import KeychainModel
import Synchronization

/// The connections that read: each thread takes one, and the last one used is the next to be used.
final class ReaderPool: Sendable {
    private let path: String
    private let idle = Mutex<[DatabaseQueue]>([])
    private let places: DispatchSemaphore

    /// More threads than this wait for their turn: each connection costs three file descriptors.
    private static let most = 12

    init(path: String) {
        self.path = path
        places = DispatchSemaphore(value: Self.most)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(KeychainError) -> Value {
        guard places.wait(timeout: .now() + .seconds(30)) == .success else {
            throw KeychainError(.notAvailable, "too many threads are reading the keychain")
        }
        defer { places.signal() }
        let connection =
            if let connection = idle.withLock({ $0.popLast() }) { connection } else {
                try DatabaseConnection.open(path: path, for: .reading)
            }
        defer { idle.withLock { $0.append(connection) } }
        return try KeychainError.translatingSQLite {
            try connection.unsafeRead(body)
        }
    }

    func close() {
        for connection in idle.withLock({ connections in
            defer { connections = [] }
            return connections
        }) {
            try? connection.close()
        }
    }
}

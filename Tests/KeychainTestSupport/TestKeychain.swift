package import Foundation
package import GRDB
package import KeychainClient
import KeychainModel
package import Logging
import Synchronization

/// A keychain in a folder of a test's own, which goes with the test.
package final class TestKeychain: Sendable {
    package let path: String
    package let log = LogRecorder()
    private let parent: String
    private let isTemporary: Bool

    /// - Parameter folder: where it is made.
    package convenience init(in folder: String = FileManager.default.temporaryDirectory.path) throws {
        try self.init(parent: folder + "/chatelaine-test-\(UUID().uuidString)", isTemporary: true)
    }

    /// A keychain that stays where it is made.
    package convenience init(keptIn folder: String) throws {
        try self.init(parent: folder, isTemporary: false)
    }

    private init(parent: String, isTemporary: Bool) throws {
        self.isTemporary = isTemporary
        self.parent = parent
        path = parent + "/keychain"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    }

    deinit {
        guard isTemporary else { return }
        for folder in [parent, path] { chmod(folder, 0o700) }
        try? FileManager.default.removeItem(atPath: parent)
    }

    /// A folder beside the keychain's, for outputs and copies.
    package var surroundings: String { parent }
    package var database: String { path + "/keychain.db" }
    package var keybag: String { path + "/keybag" }
    package var deviceKey: String { path + "/device.key" }
    package var lock: String { path + "/lock" }
    package var journal: String { database + "-wal" }

    /// The value of `CHATELAINE_KEYCHAIN` that names this keychain.
    package var variable: String { "embedded:" + path }

    /// A new connection, as another process would have one.
    package func connection(
        groups: [String] = TestKeychain.groups,
        patience: Duration = .seconds(30)
    ) -> EmbeddedKeychain {
        let log = log
        return EmbeddedKeychain(
            .embedded(directory: path),
            caller: Caller(name: "test", groups: AccessGroups(groups)),
            log: Logger(label: "test") { _ in RecordingHandler(recorder: log) },
            queryLog: queryLog,
            patience: patience
        )
    }

    /// What the log of single calls says, at the level `debug`.
    package let explanations = LogRecorder()

    private var queryLog: Logger {
        let explanations = explanations
        return Logger(label: "test.query") { _ in RecordingHandler(recorder: explanations, logLevel: .debug) }
    }

    /// A folder in memory, for tests that damage files thousands of times; nil where there is none.
    package static let folderInMemory =
        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporaryFolder
    private static let temporaryFolder = FileManager.default.temporaryDirectory.path

    package static let groups = ["test.default", "test.other"]

    /// The file as plain SQL sees it, for planting what an attacker would. The connection is closed afterwards.
    @discardableResult
    package func sql<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: database, configuration: configuration)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { database in
            // Whoever edits a file has no scruples about how.
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = OFF")
            return try body(database)
        }
    }

    package func sql(_ text: String) throws {
        try sql { try $0.execute(sql: text) }
    }

    // MARK: - The folder's bytes

    /// The contents of each file, by name. The shared memory of SQLite's readers is left out: it holds no data, and is
    /// made anew at every opening.
    package func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasSuffix("-shm") {
            contents[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data("no file".utf8)
        }
        return contents
    }

    /// The names of the files that contain some bytes.
    package func files(containing bytes: [UInt8]) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
            FileManager.default.contents(atPath: path + "/" + name)?.contains(bytes: bytes) == true
        }
    }

    package func read(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// Replaces a file's bytes, and keeps the file and its mode.
    package func write(_ bytes: [UInt8], to file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw POSIXError(.EIO) }
    }

    package func copy(to other: String) throws {
        try FileManager.default.copyItem(atPath: path, toPath: other)
    }
}

/// Keeps what a keychain logs.
package final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    package var messages: [String] { recorded.withLock { $0 } }

    package init() {}

    /// A log that is kept, from a level on.
    package func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "test") { _ in RecordingHandler(recorder: self, logLevel: level) }
    }

    fileprivate func record(_ message: String) {
        recorded.withLock { $0.append(message) }
    }
}

private struct RecordingHandler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(recorder: LogRecorder, logLevel: Logger.Level = .warning) {
        self.recorder = recorder
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        recorder.record(event.message.description)
    }
}

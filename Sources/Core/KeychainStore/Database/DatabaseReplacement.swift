import Foundation
import GRDB
import Glibc
package import KeychainModel
import KeychainSystem

/// A new database that takes the place of a damaged one, in one instant for everybody who has either open.
///
/// It is made as `keychain.db.new`. Its renaming to `keychain.db.repaired` decides: from then on no process writes to
/// the old one, and the next process finishes the work. The last step is again one renaming. The damaged file and its
/// journal stay beside it under names of their own. The caller holds the writer's lock throughout.
package struct DatabaseReplacement {
    private let path: String
    private let schema: Schema

    /// - Parameter path: the database that is to be replaced.
    package init(of path: String) {
        self.init(of: path, schema: .current)
    }

    init(of path: String, schema: Schema) {
        self.path = path
        self.schema = schema
    }

    private var new: String { path + ".new" }
    private var decided: String { path + ".repaired" }
    /// What the damaged database is read from: SQLite may change what it opens.
    private var copy: String { path + ".copy" }

    /// Whether a replacement was decided and not finished.
    package var isPending: Bool {
        var status = stat()
        return unsafe lstat(decided, &status) == 0
    }

    // MARK: - Reading the damaged one

    /// Makes an empty database with a header, and opens a copy of the damaged one. Where its schema cannot be read, the
    /// copy gets the new one's, which is the same for every keychain.
    ///
    /// - Throws: `notAvailable` for a file that is missing or of a newer version; `diskFull`.
    package func prepare(header: Header) throws(KeychainError) -> DatabaseInspection {
        discard()
        try KeychainError.translating("\(new) cannot be created") {
            _ = try Descriptor(opening: new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        }
        try KeychainStore.create(path: new, header: header, schema: schema)
        try Self.copyFile(path, to: copy)
        if FileManager.default.fileExists(atPath: path + "-wal") { try Self.copyFile(path + "-wal", to: copy + "-wal") }
        if let inspection = try? DatabaseInspection(path: copy, schema: schema), inspection.hasReadableSchema {
            return inspection
        }
        try mendSchema(header: header)
        return try DatabaseInspection(path: copy, schema: schema)
    }

    /// Puts the schema that the damaged database must have had into its copy: that of its own version.
    private func mendSchema(header: Header) throws(KeychainError) {
        let version = (try? DatabaseFile.check(path: copy, schema: schema)?.version) ?? schema.version
        let model = copy + "-model"
        defer { removeAll([model, model + "-wal", model + "-shm"]) }
        try KeychainStore.create(path: model, header: header, schema: schema.mending(max(1, version)))
        try mendSchema(of: copy, from: model)
    }

    private static func copyFile(_ path: String, to other: String) throws(KeychainError) {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: other)
        } catch {
            let reason =
                switch (error as? CocoaError)?.code {
                case .fileWriteOutOfSpace: ENOSPC
                case .fileWriteNoPermission, .fileReadNoPermission: EACCES
                case .fileWriteVolumeReadOnly: EROFS
                default: EIO
                }
            throw KeychainError(errno: reason, "\(path) cannot be copied for the repair")
        }
    }

    // MARK: - Filling the new one

    /// Writes rows into the new database, all in one transaction.
    ///
    /// - Parameter seals: how many rows each class key had sealed before.
    package func fill(
        seals: [Accessibility: Int64],
        _ body: (WriteTransaction) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let queue = try DatabaseConnection.open(path: new, for: .writing)
        defer { try? queue.close() }
        try KeychainError.translatingSQLite {
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    try body(WriteTransaction(database: database))
                    for (accessibility, count) in seals {
                        try database.execute(
                            sql: "UPDATE usage SET seals = min(seals + ?, 4294967295) WHERE pdmn = ?",
                            arguments: [count, accessibility.code]
                        )
                    }
                    return .commit
                }
                try database.checkpoint()
            }
        }
    }

    // MARK: - Taking its place

    /// Puts the new database in the place of the old one.
    ///
    /// - Returns: the name that the old one has now.
    package func commit() throws(KeychainError) -> String {
        removeAll([copy, copy + "-wal", copy + "-shm", new + "-wal", new + "-shm"])
        let name = try nameDamaged()
        do throws(KeychainError) {
            guard unsafe rename(new, decided) == 0 else {
                throw KeychainError(errno: errno, "\(decided) cannot be made")
            }
            try KeychainError.translating { try Folder.synchronize(of: path) }
        } catch {
            if isPending { throw error }
            removeAll([name, name + "-wal"])
            throw error
        }
        try finish()
        return name
    }

    /// Gives the damaged files second names, under which they stay.
    private func nameDamaged() throws(KeychainError) -> String {
        for number in 1...Self.mostDamaged {
            let name = path + ".damaged-\(number)"
            if DatabaseFile.Identity(path: name) == DatabaseFile.Identity(path: path) {
                // From a repair that was stopped before it was decided.
                removeAll([name, name + "-wal"])
            } else if DatabaseFile.exists(name) || DatabaseFile.exists(name + "-wal") {
                continue
            }
            guard unsafe link(path, name) == 0 else {
                throw KeychainError(errno: errno, "the damaged database cannot be named \(name)")
            }
            guard unsafe link(path + "-wal", name + "-wal") == 0 || errno == ENOENT else {
                let reason = errno
                removeAll([name])
                throw KeychainError(errno: reason, "the damaged journal cannot be named \(name)-wal")
            }
            return name
        }
        throw KeychainError(.notAvailable, "there are too many damaged databases beside \(path); move them away")
    }

    private static let mostDamaged = 10_000

    /// Does what remains of a replacement that was decided. Each step can be the last before a crash.
    package func finish() throws(KeychainError) {
        // The journal is the old database's, and would be taken for the new one's.
        for file in [path + "-wal", path + "-shm"] {
            guard unsafe unlink(file) == 0 || errno == ENOENT else {
                throw KeychainError(errno: errno, "\(file) cannot be removed")
            }
        }
        // Both are to be gone before the name changes hands, also after a power cut.
        try KeychainError.translating { try Folder.synchronize(of: path) }
        guard unsafe rename(decided, path) == 0 else {
            throw KeychainError(errno: errno, "\(decided) cannot take its place")
        }
        try KeychainError.translating { try Folder.synchronize(of: path) }
    }

    /// Gives up before anything was decided.
    package func discard() {
        removeAll([new, copy].flatMap { [$0, $0 + "-wal", $0 + "-shm"] })
    }

    private func removeAll(_ files: [String]) {
        for file in files { _ = unsafe unlink(file) }
    }
}

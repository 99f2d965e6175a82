import Glibc
import KeychainModel
import KeychainSystem
import Logging
import Synchronization

/// The record of who asked for what, one line an operation (docs/formats/audit-log.md).
///
/// Lines are in the file when `append` returns, and on the disk when the system writes them there: a read costs no
/// waiting for a disk. A full file is renamed to `NAME.1`, and so on; the two oldest become one, out of which those
/// lose lines who have most.
final class AuditLog: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var size = 0
        var hasFailed = false
    }

    private let path: String
    private let log: Logger
    private let condenser: AuditCondenser
    private let hasShares: Bool
    private let state = Mutex(State())

    /// In bytes.
    static let largestFile = 4 << 20
    /// Beside the current one.
    static let oldFiles = 4

    /// - Parameters:
    ///   - tellsSignedApart: whether signed programs that are not installed are told apart, as in session mode.
    ///   - uncheckedHasNoShares: whether the oldest lines are dropped, whosesoever they are.
    init(path: String, tellsSignedApart: Bool, uncheckedHasNoShares: Bool = false, log: Logger) {
        self.path = path
        self.log = log
        hasShares = !uncheckedHasNoShares
        condenser = AuditCondenser(tellsSignedApart: tellsSignedApart)
    }

    deinit {
        close()
    }

    func append(_ entries: [AuditEntry]) {
        guard !entries.isEmpty else { return }
        append(entries.map(\.line).joined())
    }

    /// Writes lines. A failure keeps no program from its keychain; it is logged once.
    func append(_ lines: String) {
        state.withLock { state in
            do throws(KeychainError) {
                try write(lines, &state)
                state.hasFailed = false
            } catch {
                if !state.hasFailed { log.error("the audit log cannot be written: \(error.message)") }
                state.hasFailed = true
            }
        }
    }

    func close() {
        state.withLock { state in
            if state.descriptor >= 0 { Glibc.close(state.descriptor) }
            state.descriptor = -1
        }
    }

    private func write(_ lines: String, _ state: inout State) throws(KeychainError) {
        if state.descriptor >= 0, state.size >= Self.largestFile { rotate(&state) }
        if state.descriptor < 0 {
            // Users who have never stored anything have no folder, and none is made for a record.
            guard hasFolder else { return }
            try open(&state)
        }
        var lines = lines
        let count = lines.utf8.count
        let written = lines.withUTF8 { unsafe Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
        guard written == count else { throw KeychainError(errno: written < 0 ? errno : ENOSPC, path) }
        state.size += count
    }

    private func open(_ state: inout State) throws(KeychainError) {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, path) }
        guard let stamp = try? LentDescriptor(descriptor).stamp(), stamp.isFile else {
            Glibc.close(descriptor)
            throw KeychainError(.notAvailable, "\(path) is not a file")
        }
        state.descriptor = descriptor
        state.size = Int(stamp.size)
    }

    private var hasFolder: Bool {
        FileStamp.ofFile(Folder.path(of: path)) != nil
    }

    private func rotate(_ state: inout State) {
        Glibc.close(state.descriptor)
        state.descriptor = -1
        let oldest = "\(path).\(Self.oldFiles)"
        let newer = "\(path).\(Self.oldFiles - 1)"
        do throws(KeychainError) {
            if hasShares { try condense(newer, into: oldest) } else { _ = unsafe rename(newer, oldest) }
        } catch {
            log.error("the oldest lines of the audit log are lost: \(error.message)")
            _ = unsafe rename(newer, oldest)
        }
        for number in stride(from: Self.oldFiles - 2, through: 1, by: -1) {
            _ = unsafe rename("\(path).\(number)", "\(path).\(number + 1)")
        }
        _ = unsafe rename(path, "\(path).1")
    }

    /// Makes one file of two. After a crash in between, lines may be there twice, and none is lost.
    private func condense(_ newer: String, into oldest: String) throws(KeychainError) {
        guard let more = try Self.contents(newer) else { return }
        let text = condenser.condense((try Self.contents(oldest) ?? []) + more, to: Self.largestFile)
        try KeychainError.translating {
            let file = try NewFile(beside: oldest, mode: 0o600, isNamed: true)
            try file.write(text)
            try file.commit(replacing: true, lasting: false)
        }
    }

    /// Nil where there is no such file.
    private static func contents(_ path: String) throws(KeychainError) -> [UInt8]? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW) else { return nil }
        // A file may be longer than it should be by what was written in one go.
        return try KeychainError.translating("\(path) cannot be read") { try file.prefix(4 * largestFile) }
    }
}

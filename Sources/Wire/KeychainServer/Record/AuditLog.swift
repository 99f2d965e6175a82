import Glibc
import KeychainModel
import Logging
import Synchronization

/// The record of who asked for what, one line an operation (docs/formats/audit-log.md).
///
/// Lines are in the file when `append` returns, and on the disk when the system writes them there: a read costs no waiting
/// for a disk. A full file is renamed to `NAME.1`, and so on; the oldest goes.
final class AuditLog: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var size = 0
        var hasFailed = false
    }

    private let path: String
    private let log: Logger
    private let state = Mutex(State())

    /// In bytes.
    static let largestFile = 4 << 20
    /// Beside the current one.
    static let oldFiles = 4

    init(path: String, log: Logger) {
        self.path = path
        self.log = log
    }

    deinit {
        close()
    }

    /// Writes lines. A failure keeps nobody from a keychain; it is logged once.
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
        if state.descriptor < 0 { try open(&state) }
        var lines = lines
        let count = lines.utf8.count
        let written = lines.withUTF8 { unsafe Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
        guard written == count else { throw KeychainError(errno: written < 0 ? errno : ENOSPC, path) }
        state.size += count
    }

    private func open(_ state: inout State) throws(KeychainError) {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            throw KeychainError(.notAvailable, "\(path) is not a file")
        }
        state.descriptor = descriptor
        state.size = Int(status.st_size)
    }

    private func rotate(_ state: inout State) {
        Glibc.close(state.descriptor)
        state.descriptor = -1
        for number in stride(from: Self.oldFiles - 1, through: 1, by: -1) {
            _ = unsafe rename("\(path).\(number)", "\(path).\(number + 1)")
        }
        _ = unsafe rename(path, "\(path).1")
    }
}

/// Lines that are to be written.
struct AuditRecord: Sendable {
    let log: AuditLog
    let entries: [AuditEntry]

    func write() {
        log.append(entries.map(\.line).joined())
    }
}

import Dispatch
import Glibc
package import KeychainModel
import KeychainSystem
import Synchronization

/// The one lock under which all processes write to a keychain and checkpoint it.
///
/// A `flock` on a file beside the database, with a semaphore in front for the threads of this process. The kernel
/// frees it when its holder dies.
package final class WriterLock: Sendable {
    private let file: Descriptor
    private let path: String
    private let semaphore = DispatchSemaphore(value: 1)

    /// How long a call waits before it gives up.
    private let patience: Duration

    package static let defaultPatience: Duration = .seconds(30)

    /// Opens the lock file, and creates it if it is not there.
    ///
    /// - Throws: `noPermission`, `readOnly` (a file system that cannot be written and has no lock file), `inputOutput`.
    package init(path: String, patience: Duration = defaultPatience) throws(KeychainError) {
        file = try KeychainError.translating("the keychain's lock file \(path) cannot be opened") {
            do throws(SystemError) {
                return try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            } catch {
                guard error.code == EROFS || error.code == EACCES else { throw error }
                // A lock needs no right to write.
                let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW)
                guard let file else { throw error }
                return file
            }
        }
        self.path = path
        self.patience = patience
    }

    /// When a call that begins now gives up.
    var deadline: ContinuousClock.Instant { ContinuousClock.now + patience }

    /// Runs the body while no other process writes.
    ///
    /// - Parameter deadline: when to give up; nil for as long as this lock's patience lasts.
    /// - Throws: `notAvailable`, with the name of the process that holds the lock, if it is not free in time.
    package func withLock<Value>(
        before deadline: ContinuousClock.Instant? = nil,
        _ body: () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let deadline = deadline ?? self.deadline
        let patience = max(.zero, deadline - .now)
        guard semaphore.wait(timeout: .now() + patience.dispatchInterval) == .success else {
            throw timeOut()
        }
        defer { semaphore.signal() }
        try acquire(before: deadline)
        defer { file.unlock() }
        return try body()
    }

    /// Runs the body if the lock is free now.
    package func ifFree(_ body: () -> Void) {
        guard semaphore.wait(timeout: .now()) == .success else { return }
        defer { semaphore.signal() }
        guard let isOurs = try? file.lockIfFree(), isOurs else { return }
        defer { file.unlock() }
        body()
    }

    /// Asks again and again, since a blocking `flock` cannot be given up. The pauses are short against one commit and
    /// differ from process to process, so that all get their turn.
    private func acquire(before deadline: ContinuousClock.Instant) throws(KeychainError) {
        var pause = 50_000
        while true {
            let isOurs = try KeychainError.translating("the keychain's lock file cannot be locked") {
                try file.lockIfFree()
            }
            if isOurs { return }
            guard ContinuousClock.now < deadline else { throw timeOut() }
            var request = timespec(tv_sec: 0, tv_nsec: .random(in: (pause / 2)...pause))
            unsafe nanosleep(&request, nil)
            pause = min(pause * 3 / 2, 1_500_000)
        }
    }

    private func timeOut() -> KeychainError {
        let holder = LockHolder.find(file) ?? "a process that cannot be named from here"
        return KeychainError(
            .notAvailable,
            "the keychain at \(path) is being written by \(holder), which has not let go for too long"
        )
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        .milliseconds(Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000))
    }
}

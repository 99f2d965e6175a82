import CKeychainLinux
import Foundation
import GRDB
import Glibc
import KeychainModel
import Logging
import Synchronization

/// SQLite's journal: when it is written back into the database and truncated. Always under the writer's lock.
extension KeychainStore {
    /// The number of pages in the journal after which it is written back.
    private static let largestJournal = 1000

    /// The caller holds the writer's lock.
    func afterCommit(leaving traces: Traces) {
        let overwrites = traces == .goAtOnce
        // What was deleted or replaced is to be in no file, so its traces in the journal go at once.
        if overwrites { hasTraces.store(true, ordering: .relaxed) }
        let isCleaning = isCleaning.load(ordering: .relaxed)
        if hasTraces.load(ordering: .relaxed) && (overwrites || !isCleaning) || isJournalLong && !isCleaning {
            checkpoint()
        } else if traces == .goSoon {
            cleanLater()
        }
    }

    private var isJournalLong: Bool {
        let size = journalSize
        lastJournal.store(size, ordering: .relaxed)
        return size > Self.largestJournal * 4096
    }

    /// Where there is a quota, a reader that stands in the way of the journal's end must not let it grow without one.
    private static let largestPinnedJournal = 32 << 20

    /// - Throws: `diskFull` while the journal is long and a reader keeps it from being written back.
    func requireShortJournal() throws(KeychainError) {
        guard quota != nil, isCleaning.load(ordering: .relaxed),
            lastJournal.load(ordering: .relaxed) > Self.largestPinnedJournal
        else { return }
        throw KeychainError(
            .diskFull,
            "the keychain's journal is full, since somebody is reading an answer slowly; try again when that has ended"
        )
    }

    private var journalSize: Int {
        var status = stat()
        guard case .file(let path, _, _) = place, unsafe stat(path + "-wal", &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    /// Finishes what a process that was killed has left in the journal, if no process is writing.
    package func checkpointIfFree() {
        guard case .file(_, let lock, _) = place, journalSize > 0 else { return }
        lock.ifFree { if isCurrent { checkpoint() } }
    }

    /// Writes the journal back and truncates it. The caller holds the writer's lock.
    ///
    /// A reader that is under way makes that impossible; then it is tried again until it works.
    private func checkpoint() {
        switch truncate() {
        case .done:
            hasTraces.store(false, ordering: .relaxed)
            lastJournal.store(0, ordering: .relaxed)
        case .blocked:
            _ = isJournalLong
            cleanLater()
        case .failed: break
        }
    }

    private func cleanLater() {
        hasTraces.store(true, ordering: .relaxed)
        guard !isCleaning.exchange(true, ordering: .relaxed) else { return }
        // A thread of its own: after a fork, the child of a program with threads has no dispatch queues to wait in.
        Thread.detachNewThread { [weak self] in
            for attempt in 0..<Self.mostAttempts {
                usleep(20_000 << UInt32(attempt))
                // The store is held only between forks, so that one which a fork closes is let go of before it.
                _ = clinux_fork_gate_enter()
                let isOver = self?.cleanAgain() ?? true
                clinux_fork_gate_leave()
                if isOver { return }
            }
            self?.stopCleaning()
        }
    }

    /// - Returns: whether there is nothing left to wait for.
    private func cleanAgain() -> Bool {
        guard case .file(_, let lock, _) = place else { return true }
        var isOver = false
        // All of it under the lock: a commit comes before, and its traces go, or after, and begins anew.
        lock.ifFree {
            switch isCurrent ? truncate() : .failed {
            case .blocked: return
            case .failed: break
            case .done:
                hasTraces.store(false, ordering: .relaxed)
                lastJournal.store(0, ordering: .relaxed)
            }
            isCleaning.store(false, ordering: .relaxed)
            isOver = true
        }
        return isOver
    }

    /// The next write tries again.
    private func stopCleaning() {
        isCleaning.store(false, ordering: .relaxed)
        log.warning("deleted rows stay in the keychain's journal for now: a reader does not finish")
    }

    /// With doubling pauses, about 20 seconds.
    private static let mostAttempts = 10

    private enum Truncation {
        case done
        /// A reader stands in the way.
        case blocked
        case failed
    }

    private func truncate() -> Truncation {
        do {
            return try writer.writeWithoutTransaction { database in
                // Under the lock only readers can be in the way. Waiting long for them would make writers wait.
                try database.execute(sql: "PRAGMA busy_timeout = 50")
                defer { try? database.execute(sql: "PRAGMA busy_timeout = 10000") }
                try database.checkpoint()
                return .done
            }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            return .blocked
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // Nothing can be deleted here either.
            return .failed
        } catch {
            // Not a failure of the write, which is durable in the journal: a full disk, say.
            log.warning("the keychain's journal could not be written back, deleted rows stay in it: \(error)")
            return .failed
        }
    }
}

import CKeychainLinux
import Foundation
import GRDB
import Glibc
import KeychainModel
import KeychainSystem
import Logging
import Synchronization

/// SQLite's journal: when it is written back into the database and truncated. Always under the writer's lock.
extension KeychainStore {
    /// The number of pages in the journal after which it is written back.
    private static let largestJournal = 1000

    /// The caller holds the writer's lock.
    func afterCommit(leaving traces: Traces) {
        let isCleaning = isCleaning.load(ordering: .relaxed)
        // What an attempt before has not removed.
        let isDue = hasTraces.load(ordering: .relaxed) && !isCleaning
        if traces > .none { noteTraces() }
        // What was deleted or replaced is to be in no file, so its traces in the journal go at once.
        if traces == .goAtOnce || isDue || isJournalLong && !isCleaning {
            checkpoint()
        } else if traces == .goSoon, !cleanLater() {
            checkpoint()
        }
    }

    /// The caller holds the writer's lock.
    private func noteTraces() {
        hasTraces.store(true, ordering: .relaxed)
        traceCount.add(1, ordering: .relaxed)
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

    /// Removes what transactions have left in the journal to go moments later, if no process is writing.
    package func removeTraces() {
        if hasTraces.load(ordering: .relaxed) { checkpointIfFree() }
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
            noteTraces()
            _ = cleanLater()
        case .failed: break
        }
    }

    /// Has a thread remove the traces. The caller holds the writer's lock.
    ///
    /// - Returns: false where no thread can be started. The next write tries again.
    private func cleanLater() -> Bool {
        guard !isCleaning.load(ordering: .relaxed) else { return true }
        // A thread of its own: after a fork, the child of a program with threads has no dispatch queues to wait in.
        let isStarted: Void? = try? DetachedThread.start { [weak self] in
            var attempts = CleaningAttempts()
            while true {
                usleep(UInt32(attempts.pause / .microseconds(1)))
                // The store is held only between forks, so that one which a fork closes is let go of before it.
                _ = clinux_fork_gate_enter()
                let isOver = self?.clean(&attempts) ?? true
                clinux_fork_gate_leave()
                if isOver { return }
            }
        }
        guard isStarted != nil else { return false }
        isCleaning.store(true, ordering: .relaxed)
        return true
    }

    /// - Returns: whether there is nothing left to wait for.
    private func clean(_ attempts: inout CleaningAttempts) -> Bool {
        guard case .file(_, let lock, _) = place else { return true }
        var isOver: Bool?
        // All of it under the lock: a commit comes before, and its traces go, or after, and begins anew.
        lock.ifFree {
            switch isCurrent && hasTraces.load(ordering: .relaxed) ? truncate() : .failed {
            case .blocked:
                isOver = attempts.areOver(afterBlockedOne: traceCount.load(ordering: .relaxed))
                if isOver == true {
                    log.warning("deleted rows stay in the keychain's journal for now: a reader does not finish")
                }
            case .failed: isOver = true
            case .done:
                hasTraces.store(false, ordering: .relaxed)
                lastJournal.store(0, ordering: .relaxed)
                isOver = true
            }
            if isOver == true { isCleaning.store(false, ordering: .relaxed) }
        }
        if isOver == nil { attempts.noteBusyLock() }
        return isOver ?? false
    }

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

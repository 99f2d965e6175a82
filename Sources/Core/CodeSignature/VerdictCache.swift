import Glibc
package import KeychainModel
package import KeychainSystem
import KeychainTrailer
import Synchronization

/// Remembers what programs are, so that a large one is read once and not at each of its connections.
///
/// It remembers the file and not the verdict: whether the team is still trusted is asked each time.
package final class VerdictCache: Sendable {
    /// What names the contents of a file, as long as only root can change it.
    package struct Key: Sendable, Hashable {
        /// 0 where mounts have no numbers of their own.
        private let mount: UInt64
        private let device: UInt64
        private let inode: UInt64
        private let changed: FileTime
        private let size: UInt64

        /// - Parameters:
        ///   - mount: the unique identifier of the mount (statx(2), `STATX_MNT_ID_UNIQUE`), which is never given a second
        ///     time: two images mounted one after the other may agree in everything else. 0 before Linux 6.8: then the
        ///     file is remembered for as long as it is watched without a change
        ///     (docs/decisions/0051-remembered-programs-are-watched-on-older-kernels.md).
        ///   - changed: when its status changed last.
        ///   - owner: the user that the file belongs to.
        ///   - mode: its permissions.
        ///   - isOnInitialMount: whether the mount is one that the first process sees.
        /// - Returns: nil for a file that others than root can exchange unnoticed; it is read each time.
        package init?(
            mount: UInt64,
            device: UInt64,
            inode: UInt64,
            changed: FileTime,
            size: UInt64,
            owner: UInt32,
            mode: UInt32,
            isOnInitialMount: Bool
        ) {
            guard owner == 0, mode & 0o022 == 0, isOnInitialMount else { return nil }
            self.mount = mount
            self.device = device
            self.inode = inode
            self.changed = changed
            self.size = size
        }

        fileprivate func describes(_ stamp: FileStamp) -> Bool {
            stamp.device == device && stamp.inode == inode && stamp.changed == changed && stamp.size == size
                && stamp.owner == 0 && !stamp.isWritableToOthers
        }

        fileprivate func isSettled(at now: FileTime) -> Bool { changed.isSettled(at: now) }

        fileprivate var isForGood: Bool { mount != 0 }
    }

    private struct Entry {
        let program: ProgramMeasurement
        /// What the team has signed, where all was well.
        let signature: VerifiedSignature?
        /// Nil where the key alone names the file.
        let watch: FileWatcher.Watch?

        var isCurrent: Bool { watch?.isWhole ?? true }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The oldest first.
        var order: [Key] = []
    }

    private let verifier: SignatureVerifier
    private let capacity: Int
    private let now: @Sendable () -> FileTime
    private let state = Mutex(State())
    /// Made for the first program that has to be watched; nil again where it cannot be made.
    private let watcher = Mutex<FileWatcher?>(nil)

    /// - Parameters:
    ///   - capacity: how many programs it remembers; the oldest goes first.
    ///   - now: the time of the clock that stamps files.
    package init(
        _ verifier: SignatureVerifier,
        capacity: Int = 256,
        now: @escaping @Sendable () -> FileTime = { .now }
    ) {
        self.verifier = verifier
        self.now = now
        self.capacity = max(1, capacity)
    }

    /// How many programs it remembers.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Whether a verdict needs no reading of the program.
    package func remembers(_ key: Key) -> Bool { entry(for: key) != nil }

    /// - Parameters:
    ///   - descriptor: of the program.
    ///   - key: what names its contents; nil where nothing does.
    /// - Throws: as `SignatureVerifier.verdict(of:)` does, and `authenticationFailed` where the key is another file's.
    package func verdict(of descriptor: Int32, key: Key?) throws(KeychainError) -> SignatureVerdict {
        guard let key else { return try verifier.verdict(of: descriptor) }
        guard try key.describes(FileStamp.of(descriptor)) else {
            throw KeychainError(.authenticationFailed, "the program is another file than the one that was looked at")
        }
        if let known = entry(for: key) { return try verdict(on: known) }
        // Before it is read: what changes from now on is stamped later, or told of.
        let watch = key.isForGood ? nil : watch(descriptor)
        let isSettled = key.isSettled(at: now()) && (key.isForGood || watch != nil)
        let program = try ProgramMeasurement(of: descriptor)
        let verdict = try verifier.verdict(on: program)
        guard isSettled, try key.describes(FileStamp.of(descriptor)), watch?.isWhole ?? true else { return verdict }
        let signature: VerifiedSignature? = if case .signed(let signature) = verdict { signature } else { nil }
        remember(Entry(program: program, signature: signature, watch: watch), as: key)
        return verdict
    }

    private func entry(for key: Key) -> Entry? {
        guard let entry = state.withLock({ $0.entries[key] }) else { return nil }
        if entry.isCurrent { return entry }
        state.withLock { state in
            // Another connection may have read it anew.
            guard let now = state.entries[key], now.watch === entry.watch else { return }
            state.entries[key] = nil
            state.order.removeAll { $0 == key }
        }
        return nil
    }

    private func watch(_ descriptor: Int32) -> FileWatcher.Watch? {
        let watcher = watcher.withLock { watcher in
            watcher = watcher ?? FileWatcher()
            return watcher
        }
        return watcher?.watch(descriptor)
    }

    private func verdict(on entry: Entry) throws(KeychainError) -> SignatureVerdict {
        if let signature = entry.signature, case .trailer(let trailer) = entry.program.ending {
            return try verifier.verdict(on: signature, signedBy: trailer)
        }
        return try verifier.verdict(on: entry.program)
    }

    private func remember(_ entry: Entry, as key: Key) {
        state.withLock { state in
            if state.entries.updateValue(entry, forKey: key) == nil { state.order.append(key) }
            if state.order.count > capacity { state.entries[state.order.removeFirst()] = nil }
        }
    }
}

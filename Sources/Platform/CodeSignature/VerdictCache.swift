import Glibc
package import KeychainModel
import ProgramTrailer
import Synchronization

/// Remembers what programs are, so that a large one is read once and not at each of its connections.
///
/// It remembers the file and not the verdict: whether the team is still trusted is asked each time.
package final class VerdictCache: Sendable {
    /// What names the contents of a file, as long as only root can change it.
    package struct Key: Sendable, Hashable {
        private let mount: UInt64
        private let device: UInt64
        private let inode: UInt64
        private let changed: FileTime
        private let size: UInt64

        /// - Parameters:
        ///   - mount: the unique identifier of the mount (statx(2), `STATX_MNT_ID_UNIQUE`), which is never given a second
        ///     time: two images mounted one after the other may agree in everything else.
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
    }

    private struct Entry {
        let program: ProgramMeasurement
        /// What the team has signed, where all was well.
        let signature: VerifiedSignature?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The oldest first.
        var order: [Key] = []
    }

    private let verifier: SignatureVerifier
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: how many programs it remembers; the oldest goes first.
    package init(_ verifier: SignatureVerifier, capacity: Int = 256) {
        self.verifier = verifier
        self.capacity = max(1, capacity)
    }

    /// How many programs it remembers.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Whether a verdict needs no reading of the program.
    package func remembers(_ key: Key) -> Bool { state.withLock { $0.entries[key] != nil } }

    /// - Parameters:
    ///   - descriptor: of the program.
    ///   - key: what names its contents; nil where nothing does.
    /// - Throws: as `SignatureVerifier.verdict(of:)` does, and `authenticationFailed` where the key is another file's.
    package func verdict(of descriptor: Int32, key: Key?) throws(KeychainError) -> SignatureVerdict {
        guard let key else { return try verifier.verdict(of: descriptor) }
        guard try key.describes(FileStamp(of: descriptor)) else {
            throw KeychainError(.authenticationFailed, "the program is another file than the one that was looked at")
        }
        if let known = state.withLock({ $0.entries[key] }) { return try verdict(on: known) }
        // Before it is read: what changes from now on is stamped later.
        let isSettled = key.isSettled(at: .now)
        let program = try ProgramMeasurement(of: descriptor)
        let verdict = try verifier.verdict(on: program)
        guard isSettled, try key.describes(FileStamp(of: descriptor)) else { return verdict }
        if case .signed(let signature) = verdict {
            remember(Entry(program: program, signature: signature), as: key)
        } else {
            remember(Entry(program: program, signature: nil), as: key)
        }
        return verdict
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

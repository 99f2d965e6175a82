package import EnclaveDesk
package import EnclaveInterface
package import KeychainModel
package import LocalEnclave
import Synchronization

/// The enclaves of a process, each opened once: an enclave that is opened again is locked.
package final class EnclaveTable: Sendable {
    private struct State {
        var enclaves: [UInt32: Opened] = [:]
        /// Where owners could be asked who have no keychain so far.
        var guests: [UInt32: PresenceDesk] = [:]
        /// The desks for prompts, also of users who have no enclave so far.
        var prompters: [UInt64: RegisteredPrompter] = [:]
        var nextPrompter: UInt64 = 1
    }

    /// An enclave, and when it was used last.
    private struct Opened {
        let enclave: LocalEnclave
        var lastUse: ContinuousClock.Instant
    }

    private struct RegisteredPrompter {
        /// Nil for all users.
        let uid: UInt32?
        let prompter: @Sendable (UInt32) -> any Prompter
        let abilities: PrompterAbilities
        /// What it is at the desks of the enclaves that are open.
        var numbers: [UInt32: Int] = [:]

        mutating func register(at desk: PresenceDesk, of user: UInt32) {
            guard uid == nil || uid == user, numbers[user] == nil else { return }
            numbers[user] = desk.register(prompter(user), for: abilities)
        }
    }

    /// Prompters of one user.
    static let mostPrompters = 16

    private let host: UserEnclaves
    private let state = Mutex(State())
    private let onChange = Mutex<(@Sendable (UInt32, EnclaveState) -> Void)?>(nil)

    /// Beyond these, idle enclaves are closed that lose nothing by it.
    private let mostUsers: Int
    private let idleTime: Duration
    private static let mostGuests = 64

    /// - Parameters:
    ///   - mostUsers: whose enclaves are open at a time.
    ///   - idleTime: how long an enclave is unused before it may be closed. Longer than any authorization and any proof
    ///     lives.
    package init(_ host: UserEnclaves, mostUsers: Int = 4_096, idleTime: Duration = .seconds(180)) {
        self.host = host
        self.mostUsers = mostUsers
        self.idleTime = idleTime
    }

    /// Sets who is told of changes, in the middle of them.
    func tellOfChanges(_ body: @escaping @Sendable (UInt32, EnclaveState) -> Void) {
        onChange.withLock { $0 = body }
    }

    /// Nil where it has not been needed so far.
    func opened(_ uid: UInt32) -> LocalEnclave? {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.enclaves[uid]?.lastUse = now
            return state.enclaves[uid]?.enclave
        }
    }

    var all: [LocalEnclave] { state.withLock { $0.enclaves.values.map(\.enclave) } }

    /// How many are open.
    package var count: Int { state.withLock { $0.enclaves.count } }

    /// Whether the user has a keychain, to be told in no time.
    func knows(_ uid: UInt32) -> Bool {
        state.withLock { $0.enclaves[uid] != nil } || host.hasFolder(of: uid)
    }

    /// Whether any keychain locks itself after a time.
    var hasTimeouts: Bool { all.contains { (try? $0.state())?.settings.timeout != nil } }

    /// - Throws: what opening its files fails with; `itemNotFound` where there are none.
    package func enclave(of uid: UInt32) throws(KeychainError) -> LocalEnclave {
        if let enclave = opened(uid) { return enclave }
        let folder = try host.folder(of: uid)
        return try state.withLock { state -> Result<LocalEnclave, KeychainError> in
            Result { () throws(KeychainError) in
                if let enclave = state.enclaves[uid]?.enclave { return enclave }
                guard try folder.presence() != .none else {
                    throw KeychainError(.itemNotFound, "there is no keychain yet; add an item first")
                }
                try makeRoom(&state)
                let enclave = try folder.openLocal()
                let tell = onChange.withLock { $0 }
                if let tell { enclave.observe { tell(uid, $0) } }
                state.enclaves[uid] = Opened(enclave: enclave, lastUse: .now)
                state.guests[uid] = nil
                for key in state.prompters.keys { state.prompters[key]?.numbers[uid] = nil }
                for key in state.prompters.keys.sorted() { state.prompters[key]?.register(at: enclave.desk, of: uid) }
                return enclave
            }
        }.get()
    }

    /// Lets go of those that have not been used for longest, and lose nothing by it.
    private func makeRoom(_ state: inout State) throws(KeychainError) {
        guard state.enclaves.count >= mostUsers else { return }
        let latest = ContinuousClock.now - idleTime
        let idle = state.enclaves.filter { $0.value.lastUse <= latest }.sorted { $0.value.lastUse < $1.value.lastUse }
        // Several at once: looking at all of them takes a moment.
        for (uid, _) in idle.lazy.filter(\.value.enclave.isAtRest).prefix(max(1, mostUsers / 64)) {
            state.enclaves[uid] = nil
            for key in state.prompters.keys { state.prompters[key]?.numbers[uid] = nil }
        }
        guard state.enclaves.count < mostUsers else {
            throw KeychainError(.notAvailable, "the enclave serves too many users")
        }
    }

    package func presence(of uid: UInt32) throws(KeychainError) -> EnclavePresence {
        try host.folder(of: uid).presence()
    }

    package func create(for uid: UInt32) throws(KeychainError) {
        try host.prepare(for: uid)
        let folder = try host.folder(of: uid)
        // The files were removed: keys opened from them belong to no database that is made now.
        if try folder.presence() != .complete {
            state.withLock { state in
                state.enclaves[uid] = nil
                for key in state.prompters.keys { state.prompters[key]?.numbers[uid] = nil }
            }
        }
        try folder.create()
    }

    /// The machine is about to sleep.
    package func lockForSleep() {
        // One that cannot say whether it wants to is locked.
        for enclave in all where (try? enclave.state().settings.locksOnSleep) ?? true { try? enclave.lock() }
    }

    // MARK: - Prompters

    /// Registers who shows a user's prompts.
    ///
    /// - Parameter uid: nil for all users'.
    /// - Returns: a key for `unregister`.
    package func register(
        for abilities: PrompterAbilities,
        of uid: UInt32?,
        by prompter: @escaping @Sendable (UInt32) -> any Prompter
    ) throws(KeychainError) -> UInt64 {
        try state.withLock { state -> Result<UInt64, KeychainError> in
            Result { () throws(KeychainError) in
                guard state.prompters.values.count(where: { $0.uid == uid }) < Self.mostPrompters else {
                    throw KeychainError(.notAvailable, "too many prompters are there already")
                }
                let key = state.nextPrompter
                state.nextPrompter += 1
                var registered = RegisteredPrompter(uid: uid, prompter: prompter, abilities: abilities)
                for (user, opened) in state.enclaves { registered.register(at: opened.enclave.desk, of: user) }
                for (user, desk) in state.guests { registered.register(at: desk, of: user) }
                state.prompters[key] = registered
                return key
            }
        }.get()
    }

    func unregister(_ key: UInt64) {
        let left = state.withLock { state in
            (state.prompters.removeValue(forKey: key)?.numbers ?? [:]).compactMap { uid, number in
                (state.enclaves[uid]?.enclave.desk ?? state.guests[uid]).map { ($0, number) }
            }
        }
        for (desk, number) in left { desk.unregister(number) }
    }

    /// By what an owner can be told now, also one who has no keychain so far; nothing is made for that on the disk.
    package func presenceStatus(of uid: UInt32) throws(KeychainError) -> PresenceStatus {
        do throws(KeychainError) {
            return try enclave(of: uid).presenceStatus()
        } catch  where error.code == .itemNotFound {
            let desk = guestDesk(of: uid)
            desk.refreshReaders()
            return desk.status
        }
    }

    private func guestDesk(of uid: UInt32) -> PresenceDesk {
        state.withLock { state in
            if let desk = state.guests[uid] { return desk }
            // It has nothing to lose.
            if state.guests.count >= Self.mostGuests {
                for guest in state.guests.keys {
                    for key in state.prompters.keys { state.prompters[key]?.numbers[guest] = nil }
                }
                state.guests = [:]
            }
            let desk = PresenceDesk()
            state.guests[uid] = desk
            for key in state.prompters.keys.sorted() { state.prompters[key]?.register(at: desk, of: uid) }
            return desk
        }
    }

    /// Takes in what a trusted prompter reports that a reader sees of a user's.
    func take(_ seen: ReaderState, of factor: PresenceFactors, from uid: UInt32) throws(KeychainError) {
        if let guest = state.withLock({ $0.guests[uid] }) { return guest.take(seen, of: factor) }
        if opened(uid) != nil { try desk(of: uid).take(seen, of: factor) }
    }

    /// - Throws: as `enclave(of:)`.
    package func desk(of uid: UInt32) throws(KeychainError) -> PresenceDesk {
        try enclave(of: uid).desk
    }

    /// One of the service's connections is gone, and with it all that was proved for it.
    func end(_ connection: UInt64) {
        for enclave in all { enclave.desk.end(connection) }
    }

    /// The visitor as whom an owner's request counts.
    func visitor(isRoot: Bool) -> Visitor {
        isRoot ? .administrator : host.keepsProgramsApart ? .program : .owner
    }
}

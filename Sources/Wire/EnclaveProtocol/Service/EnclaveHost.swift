package import KeychainEnclave
package import KeychainModel
import Synchronization

/// Where the enclaves are that a process serves.
package protocol EnclaveHost: Sendable {
    func folder(of uid: UInt32) throws(KeychainError) -> any EnclaveFolder

    /// Makes what the folder lies in.
    func prepare(for uid: UInt32) throws(KeychainError)

    /// What the owner may do with an enclave that the folder has opened.
    ///
    /// - Parameter isRoot: whether it is root who asks, whose wrong passcodes count for nothing.
    func control(of enclave: any Enclave, isRoot: Bool) throws(KeychainError) -> any EnclaveControl

    /// Where the owner of an enclave is asked that the folder has opened.
    func desk(of enclave: any Enclave) throws(KeychainError) -> PresenceDesk
}

/// The enclaves of a process, each opened once: an enclave that is opened again is locked.
package final class EnclaveTable: Sendable {
    private struct State {
        var enclaves: [UInt32: any Enclave] = [:]
        /// Who shows prompts, also where there is no enclave so far.
        var attendants: [UInt64: Attendant] = [:]
        var nextAttendant: UInt64 = 1
    }

    private struct Attendant {
        /// Nil for all users.
        let uid: UInt32?
        let prompter: @Sendable (UInt32) -> any Prompter
        let abilities: PrompterAbilities
        /// What it is at the desks of the enclaves that are open.
        var numbers: [UInt32: Int] = [:]

        mutating func sit(at desk: PresenceDesk, of user: UInt32) {
            guard uid == nil || uid == user, numbers[user] == nil else { return }
            numbers[user] = desk.attend(prompter(user), for: abilities)
        }
    }

    /// Prompters of one user.
    static let mostAttendants = 16

    private let host: any EnclaveHost
    private let state = Mutex(State())
    private let onChange = Mutex<(@Sendable (UInt32, EnclaveState) -> Void)?>(nil)

    /// Whoever takes over the keychain service could have any number made.
    static let mostUsers = 4096

    package init(_ host: any EnclaveHost) {
        self.host = host
    }

    /// Sets who is told of changes, in the middle of them.
    func tellOfChanges(_ body: @escaping @Sendable (UInt32, EnclaveState) -> Void) {
        onChange.withLock { $0 = body }
    }

    /// Nil where it has not been needed so far.
    func opened(_ uid: UInt32) -> (any Enclave)? {
        state.withLock { $0.enclaves[uid] }
    }

    var all: [any Enclave] { state.withLock { Array($0.enclaves.values) } }

    /// Whether any keychain locks itself after a time.
    var hasTimeouts: Bool { all.contains { (try? $0.state())?.settings.timeout != nil } }

    /// - Throws: what opening its files fails with; `itemNotFound` where there are none.
    package func enclave(of uid: UInt32) throws(KeychainError) -> any Enclave {
        if let enclave = opened(uid) { return enclave }
        let folder = try host.folder(of: uid)
        return try state.withLock { state -> Result<any Enclave, KeychainError> in
            Result { () throws(KeychainError) in
                if let enclave = state.enclaves[uid] { return enclave }
                guard state.enclaves.count < Self.mostUsers else {
                    throw KeychainError(.notAvailable, "the enclave serves too many users")
                }
                guard try folder.presence() != .none else {
                    throw KeychainError(.itemNotFound, "there is no keychain yet; add an item first")
                }
                let enclave = try folder.open()
                let tell = onChange.withLock { $0 }
                if let tell { enclave.observe { tell(uid, $0) } }
                state.enclaves[uid] = enclave
                let desk = try host.desk(of: enclave)
                for key in state.attendants.keys.sorted() { state.attendants[key]?.sit(at: desk, of: uid) }
                return enclave
            }
        }.get()
    }

    package func presence(of uid: UInt32) throws(KeychainError) -> EnclavePresence {
        try host.folder(of: uid).presence()
    }

    package func create(for uid: UInt32) throws(KeychainError) {
        guard state.withLock({ $0.enclaves.count }) < Self.mostUsers else {
            throw KeychainError(.notAvailable, "the enclave serves too many users")
        }
        try host.prepare(for: uid)
        let folder = try host.folder(of: uid)
        // Somebody has taken the files away: what was opened of them belongs to no database that is made now.
        if try folder.presence() != .complete {
            state.withLock { state in
                state.enclaves[uid] = nil
                for key in state.attendants.keys { state.attendants[key]?.numbers[uid] = nil }
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

    /// Has a user's prompts shown by somebody.
    ///
    /// - Parameter uid: nil for all users'.
    /// - Returns: a key for `leave`.
    package func attend(
        for abilities: PrompterAbilities,
        of uid: UInt32?,
        by prompter: @escaping @Sendable (UInt32) -> any Prompter
    ) throws(KeychainError) -> UInt64 {
        try state.withLock { state -> Result<UInt64, KeychainError> in
            Result { () throws(KeychainError) in
                guard state.attendants.values.count(where: { $0.uid == uid }) < Self.mostAttendants else {
                    throw KeychainError(.notAvailable, "too many prompters are there already")
                }
                let key = state.nextAttendant
                state.nextAttendant += 1
                var attendant = Attendant(uid: uid, prompter: prompter, abilities: abilities)
                for (user, enclave) in state.enclaves { attendant.sit(at: try host.desk(of: enclave), of: user) }
                state.attendants[key] = attendant
                return key
            }
        }.get()
    }

    func leave(_ key: UInt64) {
        let left = state.withLock { state in
            (state.attendants.removeValue(forKey: key)?.numbers ?? [:]).compactMap { uid, number in
                state.enclaves[uid].map { ($0, number) }
            }
        }
        for (enclave, number) in left { try? host.desk(of: enclave).leave(number) }
    }

    /// - Throws: as `enclave(of:)`.
    package func desk(of uid: UInt32) throws(KeychainError) -> PresenceDesk {
        try host.desk(of: enclave(of: uid))
    }

    /// One of the service's connections is gone, and with it all that was proved for it.
    func end(_ connection: UInt64) {
        for enclave in all { try? host.desk(of: enclave).end(connection) }
    }

    func control(of uid: UInt32, isRoot: Bool) throws(KeychainError) -> any EnclaveControl {
        try host.control(of: enclave(of: uid), isRoot: isRoot)
    }
}

import CKeychainLinux
import Dispatch
import KeychainModel
import Synchronization

/// The memory that requests of one kind may take together. A request for more than is left waits.
///
/// A request asks once, for all that it can need, and holds nothing of the same budget meanwhile: so no request waits
/// for ever. What is given back goes to the user who has least of it, and of two such users to the one who was not
/// served for longer.
final class MemoryBudget: Sendable {
    private struct State {
        var free: Int
        var users: [ObjectIdentifier: User] = [:]
        /// In the order of coming.
        var waiting: [Waiter] = []
        var turns: UInt64 = 0
    }

    private struct User {
        var taken = 0
        var lastTurn: UInt64 = 0
    }

    /// Unchecked, since what can change does so under the budget's lock.
    private final class Waiter: @unchecked Sendable {
        let bytes: Int
        let user: ObjectIdentifier
        let hasRoom = DispatchSemaphore(value: 0)
        var isServed = false

        init(_ bytes: Int, of user: ObjectIdentifier) {
            self.bytes = bytes
            self.user = user
        }
    }

    private let state: Mutex<State>
    private let share: Int
    private let all: Int

    /// - Parameters:
    ///   - bytes: for all.
    ///   - share: for one user.
    init(_ bytes: Int, share: Int) {
        state = Mutex(State(free: bytes))
        self.share = min(share, bytes)
        all = bytes
    }

    /// How many requests wait.
    var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// What a request has got, until it goes.
    struct Grant: ~Copyable {
        private let budget: MemoryBudget
        private let user: UserShare
        private let bytes: Int

        fileprivate init(_ bytes: Int, of user: UserShare, from budget: MemoryBudget) {
            self.bytes = bytes
            self.user = user
            self.budget = budget
        }

        deinit {
            budget.give(bytes, of: user.memoryUser)
        }
    }

    /// Waits for memory. A request for more than one user may have gets that much.
    ///
    /// - Throws: `notAvailable` if there is none in time.
    func take(
        _ bytes: Int,
        for user: UserShare,
        before deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> Grant {
        let bytes = min(max(bytes, 0), share)
        let waiter = Waiter(bytes, of: user.memoryUser)
        let isServed = state.withLock { state in
            state.waiting.append(waiter)
            serve(&state)
            return waiter.isServed
        }
        if !isServed {
            let milliseconds = max(0, (deadline - .now) / .milliseconds(1))
            _ = waiter.hasRoom.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
            let isServed = state.withLock { state in
                if !waiter.isServed {
                    state.waiting.removeAll { $0 === waiter }
                    // Others may have waited behind it.
                    serve(&state)
                }
                return waiter.isServed
            }
            guard isServed else {
                throw KeychainError(.notAvailable, "the keychain service has too much to do for this user; try again")
            }
        }
        return Grant(bytes, of: user, from: self)
    }

    private func give(_ bytes: Int, of user: ObjectIdentifier) {
        let isIdle = state.withLock { state in
            state.free += bytes
            if var entry = state.users[user] {
                entry.taken -= bytes
                state.users[user] = entry
            }
            serve(&state)
            // A user who has nothing and asks for nothing needs no place here.
            if state.users[user]?.taken == 0, !state.waiting.contains(where: { $0.user == user }) {
                state.users[user] = nil
            }
            return state.free == all
        }
        // What small blocks took of it, which the C library keeps otherwise.
        if isIdle, bytes > Self.worthTrimming { clinux_trim_memory() }
    }

    private static let worthTrimming = 4 << 20

    private func serve(_ state: inout State) {
        while let index = next(state) {
            let waiter = state.waiting[index]
            guard waiter.bytes <= state.free else { return }
            state.waiting.remove(at: index)
            state.turns += 1
            var user = state.users[waiter.user] ?? User()
            user.taken += waiter.bytes
            user.lastTurn = state.turns
            state.users[waiter.user] = user
            state.free -= waiter.bytes
            waiter.isServed = true
            waiter.hasRoom.signal()
        }
    }

    /// Whose turn it is among those whose share has room.
    private func next(_ state: State) -> Int? {
        var best: (index: Int, user: User)?
        var seen: Set<ObjectIdentifier> = []
        for (index, waiter) in state.waiting.enumerated() where seen.insert(waiter.user).inserted {
            let user = state.users[waiter.user] ?? User()
            guard user.taken + waiter.bytes <= share else { continue }
            if let found = best?.user, (found.taken, found.lastTurn) <= (user.taken, user.lastTurn) { continue }
            best = (index, user)
        }
        return best?.index
    }
}

/// The service's budgets. Who has of one may wait for one that comes after it in this list, and never for one before
/// it.
struct MemoryBudgets: Sendable {
    /// For messages: as bytes, and as what they say.
    let frames: MemoryBudget
    /// For messages of many fields.
    let fields: MemoryBudget
    /// For rows that are read, and answers made of them.
    let answers: MemoryBudget
    /// For what rounds of synchronization read.
    let rounds: MemoryBudget

    init(_ limits: ServiceLimits) {
        frames = MemoryBudget(limits.frameMemory, share: limits.frameMemoryOfUser)
        fields = MemoryBudget(limits.fieldMemory, share: limits.fieldMemory)
        answers = MemoryBudget(limits.answerMemory, share: limits.answerMemoryOfUser)
        rounds = MemoryBudget(limits.roundMemory, share: limits.roundMemoryOfUser)
    }

    // MARK: - What things take

    /// While it comes, there are its bytes and half as many; then its bytes, what they say, and that sealed, as it is
    /// handed to SQLite.
    static func need(ofFrame length: Int) -> Int { length * 4 }

    /// What a field takes once it is decoded, whatever its bytes.
    static func need(ofFields count: Int) -> Int { count * 320 }

    /// So little that any connection may take it at any time.
    static let small = 64 << 10

    /// Stored bytes are opened, and become objects, messages and frames. A list is sent in parts, and one large row as
    /// a whole.
    static func need(of size: MemoryAllowance.Size) -> Int { size.answer * 3 + size.row * 2 }

    /// So small that a row may be read before anybody knows how large it is.
    static let smallRow = 256 << 10

    /// What a page of an answer may take, of a search that goes through so much.
    static func page(_ size: Int, of extent: MemoryAllowance.Extent) -> MemoryAllowance.Size {
        MemoryAllowance.Size(answer: max(size, extent.largestRow), row: max(smallRow, extent.largestRow))
    }

    /// What is stored of a circle, beside what it takes in memory.
    static let timesOfCircle = 4

    /// What most rounds read is less. One that reads more gets the share of a user, and begins anew.
    static let smallRound = 4 << 20

    /// What goes through all rows, some at a time: backups, restorations, new keys.
    static let wholeKeychain = MemoryAllowance.Size(answer: 4 << 20, row: 20 << 20)

    /// What to ask for after too little.
    ///
    /// - Returns: nil where there is no more.
    static func size(
        after size: MemoryAllowance.Size,
        lacking: MemoryAllowance.Size?,
        most: Int
    ) -> MemoryAllowance.Size? {
        guard let lacking else { return nil }
        let answer = lacking.answer > size.answer ? max(lacking.answer, size.answer * 8) : size.answer
        let row = max(lacking.row, size.row)
        let next = answer < most && row <= largestRow ? MemoryAllowance.Size(answer: answer, row: row) : last(most)
        return next == size ? nil : next
    }

    /// The most that anything gets.
    static func last(_ most: Int) -> MemoryAllowance.Size { MemoryAllowance.Size(answer: most, row: largestRow) }

    /// A value of 16 MiB, and as many attributes as fit into a request with it.
    private static let largestRow = 25 << 20
}

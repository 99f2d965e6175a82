package import Crypto
package import EnclaveInterface
package import KeychainModel
import Synchronization

/// One user's enclave in another process, as the keychain service sees it.
///
/// The service's process has the keys that `ServiceKeys` has, and item keys while it needs them.
package final class RemoteEnclave: Enclave {
    private let connection: EnclaveConnection
    private let uid: UInt32
    private let known = Mutex(Known())

    private struct Known {
        /// Of the connection that the epoch was heard on; 0 for none.
        var generation: UInt64 = 0
        var epoch: UInt64 = 0
        var observers: [@Sendable (EnclaveState) -> Void] = []
    }

    package init(_ connection: EnclaveConnection, uid: UInt32) {
        self.connection = connection
        self.uid = uid
        connection.observe(uid) { [weak self] change in
            self?.take(change)
            return self != nil
        }
    }

    deinit {
        connection.forgetObservers(of: uid)
    }

    // MARK: - State

    /// Known from the enclave's events: nothing is asked while the connection lasts.
    package var epoch: UInt64 {
        get throws(KeychainError) {
            let generation = connection.generation
            let latest = known.withLock { $0.generation == generation ? $0.epoch : nil }
            if let latest { return latest }
            return try state().epoch
        }
    }

    package func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        var answer = try connection.ask(request, about: uid)
        Request.description.answer.replaceState(&answer, remember)
        return answer
    }

    /// An enclave that was started again counts from the beginning; the service's epochs go on growing.
    private func remember(_ state: EnclaveState) -> EnclaveState {
        let generation = connection.generation
        var state = state
        state.epoch = Self.epoch(state.epoch, generation)
        let epoch = state.epoch
        known.withLock { known in
            // An answer may arrive after the event that overtook it.
            guard known.generation != generation || known.epoch < epoch else { return }
            known.generation = generation
            known.epoch = epoch
        }
        return state
    }

    private static func epoch(_ epoch: UInt64, _ generation: UInt64) -> UInt64 {
        generation << 40 | epoch & (1 << 40 - 1)
    }

    private func take(_ change: EnclaveConnection.Change) {
        switch change {
        case .state(let event):
            let state = remember(event.state)
            for observer in known.withLock({ $0.observers }) { observer(state) }
        case .nothing: return
        case .lost:
            // The next one to ask for the epoch finds out about the new enclave.
            known.withLock { $0.generation = 0 }
        case .reconnected:
            // An enclave that was started again is locked, and has sent no event.
            guard let state = try? state() else { return }
            for observer in known.withLock({ $0.observers }) { observer(state) }
        }
    }

    package func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void) {
        known.withLock { $0.observers.append(observer) }
    }

    // MARK: - Item keys

    package func wrap(
        _ keys: [UnwrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [[UInt8]] {
        var boxes: [[UInt8]] = []
        boxes.reserveCapacity(keys.count)
        for batch in Batches(keys, size: \.binding.wireSize) {
            boxes += try answer(WrapRequest(Array(batch), with: credentials))
        }
        return boxes
    }

    package func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try asking(keys, otherwise: .failure(.damagedItemKey)) { (batch) throws(KeychainError) in
            try answer(UnwrapRequest(batch, with: credentials))
        }
    }

    package func rewrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [[UInt8]?] {
        try asking(keys, otherwise: nil) { (batch) throws(KeychainError) in try answer(RewrapRequest(batch)) }
    }

    /// Asks about wrapped keys, as many at a time as a message holds. What cannot be said in one was never wrapped by
    /// the enclave, and has the other answer.
    private func asking<Answer>(
        _ keys: [WrappedItemKey],
        otherwise: Answer,
        _ ask: ([WrappedItemKey]) throws(KeychainError) -> [Answer]
    ) throws(KeychainError) -> [Answer] {
        let isSound = keys.map { $0.binding.canBeSent && $0.box.count <= Self.largestBox }
        let sound = zip(keys, isSound).filter(\.1).map(\.0)
        var answers: [Answer] = []
        answers.reserveCapacity(sound.count)
        for batch in Batches(sound, size: { $0.binding.wireSize + $0.box.count }) {
            answers += try ask(Array(batch))
        }
        guard sound.count < keys.count else { return answers }
        var next = answers.makeIterator()
        return isSound.map { $0 ? next.next() ?? otherwise : otherwise }
    }

    /// Larger than a box of any version.
    private static let largestBox = 256

    package func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        try connection.ask(question, about: uid, isWanted: isWanted)
    }
}

/// Parts of a list that fit into one message each.
private struct Batches<Element>: Sequence, IteratorProtocol {
    private var rest: ArraySlice<Element>
    private let size: (Element) -> Int

    /// An application password may be in the message too.
    private static var room: Int { EnclaveMessage.largest - 4 * 1024 }

    init(_ elements: [Element], size: @escaping (Element) -> Int) {
        rest = elements[...]
        self.size = size
    }

    mutating func next() -> ArraySlice<Element>? {
        guard let first = rest.first else { return nil }
        var total = size(first)
        var count = 1
        // At least one, which may be more than a message holds: the message's writer says so.
        for element in rest.dropFirst().prefix(EnclaveMessage.mostKeys - 1) {
            total += size(element)
            guard total <= Self.room else { break }
            count += 1
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension ItemBinding {
    /// No less than what it takes in a message, beside a key or a box.
    fileprivate var wireSize: Int { 128 + accessGroup.utf8.count + accessControl.count }

    fileprivate var canBeSent: Bool {
        version.count == 16 && ItemClass.stored.contains(itemClass) && wireSize <= EnclaveMessage.largest - 3 * 1024
    }
}

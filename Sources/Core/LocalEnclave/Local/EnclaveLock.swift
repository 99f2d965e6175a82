import Crypto
import EnclaveDesk
import EnclaveInterface
import KeychainModel
import KeychainSystem
import Synchronization

/// Which keys of a keychain are there now, who has locked or unlocked them, and who is told of it.
///
/// The state is this process's. What other processes of the user have done is taken in before each use.
final class EnclaveLock: Sendable {
    let storage: any KeybagStorage
    let device: any DeviceBinding
    let keychain: ItemUUID
    let keybag: ItemUUID
    /// What a new passcode costs to try.
    let cost: PasscodeCost
    /// Whether a service keeps the owner's programs apart.
    let keepsProgramsApart: Bool
    /// What other processes of the user share; nil where this one has the keychain to itself.
    let shared: (any UnlockedStorage)?
    private let heldDeviceKey: any HeldKey
    private let current: Protected<State>
    private let observers = Mutex<[@Sendable (EnclaveState) -> Void]>([])
    /// One change is told of after the other.
    private let telling = Mutex(())
    /// Forgets what was proved when the keychain is locked.
    let desk: PresenceDesk

    struct State {
        var keybag: Keybag
        var keys: EnclaveKeys
        var lock: EnclaveState.Lock
        var epoch = EnclaveLock.firstEpoch
        var lastUse: UInt64
        /// What the keybag and the shared file were when they were last read.
        var stamps: (keybag: FileStamp?, shared: FileStamp?)
        var tokens = IssuedTokens()
    }

    /// Opens a keychain's keys, as far as they open without a passcode.
    ///
    /// - Parameters:
    ///   - shared: makes the place that other processes share, once the keybag is known.
    /// - Throws: `notAvailable` where the keybag is missing, damaged, of a newer version, not of this device, or older
    ///   than the device remembers.
    init(
        _ storage: any KeybagStorage,
        device: any DeviceBinding,
        arena: any KeyArena,
        cost: PasscodeCost,
        keepsProgramsApart: Bool,
        desk: PresenceDesk,
        sharedBy shared: (ItemUUID) -> (any UnlockedStorage)?
    ) throws(KeychainError) {
        guard let deviceKey = try device.deviceKey() else {
            throw KeychainError(.notAvailable, "the device key is missing; put it back from a copy")
        }
        let stamp = storage.stamp
        let keybag = try Keybag(file: storage.keybag(), under: deviceKey, uncheckedCost: cost)
        try Self.checkCounter(of: keybag, on: device)
        var keys = EnclaveKeys(arena: arena, keychain: keybag.keychain)
        for named in try keybag.unwrapAll(with: Keybag.WrappingKeys(deviceKey.key, keybag: keybag.uuid)) {
            try keys.insert(named)
        }
        self.storage = storage
        self.device = device
        self.desk = desk
        self.shared = shared(keybag.uuid)
        self.cost = cost
        self.keepsProgramsApart = keepsProgramsApart
        self.keychain = keybag.keychain
        self.keybag = keybag.uuid
        heldDeviceKey = try arena.hold(deviceKey.key)
        current = Protected(
            State(
                keybag: keybag,
                keys: keys,
                lock: keybag.hasPasscode ? .beforeFirstUnlock : .unlocked,
                lastUse: StartClock.current.now,
                stamps: (stamp, nil)
            )
        )
        try withState { (state) throws(KeychainError) in try adoptShared(&state) }
    }

    /// An older keybag than the newest is refused where hardware counts them. The count goes up after the writing, so
    /// that a crash in between leaves a keybag one ahead, and never one that is refused.
    private static func checkCounter(of keybag: Keybag, on device: any DeviceBinding) throws(KeychainError) {
        guard let counter = device.rollbackCounter else { return }
        let value = try counter.value()
        switch keybag.counter {
        case value: return
        case value &+ 1: _ = try counter.increment()
        default:
            throw KeychainError(
                .notAvailable,
                "the keybag is older than this device remembers; put the newest one back"
            )
        }
    }

    /// Greater than any epoch of an enclave that was opened before, also of the same keychain: epochs count changes,
    /// and there are fewer than milliseconds.
    private static var firstEpoch: UInt64 { 1 + StartClock.current.now / 1_000_000 }

    // MARK: - The state

    func withState<Value>(
        _ body: (inout State) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try current.withState(body)
    }

    var deviceKey: DeviceKey {
        get throws(KeychainError) {
            guard let key = heldDeviceKey.key else {
                throw KeychainError(.internalError, "the device key is gone")
            }
            return DeviceKey(key)
        }
    }

    func description(of state: State) -> EnclaveState {
        EnclaveState(
            keychain: keychain,
            keybag: keybag,
            generation: state.keybag.generation,
            lock: state.lock,
            hasPasscode: state.keybag.hasPasscode,
            isRotating: state.keybag.isRotating,
            epoch: state.epoch,
            settings: state.keybag.settings,
            binding: device.kind,
            isPasscodeConfirmed: state.keybag.passcode?.isConfirmed ?? false,
            keepsProgramsApart: keepsProgramsApart
        )
    }

    func state() throws(KeychainError) -> EnclaveState {
        try look { (state) throws(KeychainError) in description(of: state) }
    }

    /// Does something with the state as it is now, whatever other processes have done and however long ago it was used.
    private func look<Value>(_ body: (inout State) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        var isChanged = false
        defer { if isChanged { tellObservers() } }
        return try withState { (state) throws(KeychainError) in
            let before = state.epoch
            defer { isChanged = state.epoch != before }
            try refresh(&state)
            return try body(&state)
        }
    }

    /// The same for what counts as a use, which puts the locking off.
    func use<Value>(_ body: (inout State) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try look { (state) throws(KeychainError) in
            if state.keybag.settings.timeout != nil { noteUse(&state) }
            return try body(&state)
        }
    }

    var epoch: UInt64 {
        get throws(KeychainError) { try use { (state) throws(KeychainError) in state.epoch } }
    }

    func serviceKeys() throws(KeychainError) -> ServiceKeys {
        try use { (state) throws(KeychainError) in
            guard let indexKey = state.keys.indexKey else {
                throw KeychainError(.internalError, "the index key is gone")
            }
            return ServiceKeys(
                state: description(of: state),
                indexKey: indexKey,
                metadata: state.keys.classes.compactMapValues { held in
                    let keys = held.compactMap(\.metadata.key)
                    return keys.isEmpty ? nil : keys
                }
            )
        }
    }

    /// Whether it has no key that a passcode has opened.
    var isClosed: Bool {
        let isClosed = try? withState { (state) throws(KeychainError) in
            !state.keybag.hasPasscode || state.lock == .beforeFirstUnlock
        }
        return isClosed ?? false
    }

    // MARK: - What others have changed

    private func refresh(_ state: inout State) throws(KeychainError) {
        if let stamp = storage.stamp, stamp != state.stamps.keybag { try reread(&state, stamp: stamp) }
        try adoptShared(&state)
        if isOverdue(state) { lock(&state) }
    }

    /// Takes in a keybag that was written since.
    func reread(_ state: inout State, stamp: FileStamp?) throws(KeychainError) {
        let keybag = try Keybag(file: storage.keybag(), under: deviceKey, uncheckedCost: cost)
        guard keybag.uuid == self.keybag, keybag.keychain == keychain else {
            throw KeychainError(.notAvailable, "another keybag has taken the place of this one; put the right one back")
        }
        guard keybag.generation >= state.keybag.generation else {
            throw KeychainError(.notAvailable, "the keybag is older than it was; put the newest one back")
        }
        state.stamps.keybag = stamp
        if keybag.generation > state.keybag.generation { try install(keybag, in: &state) }
    }

    /// Makes a keybag the present one, with all keys of it that can be opened now.
    func install(_ keybag: Keybag, in state: inout State) throws(KeychainError) {
        let hadPasscode = state.keybag.hasPasscode
        state.keybag = keybag
        state.epoch += 1
        state.keys.keep { keybag.entry(of: $0, madeIn: $1) != nil }
        state.keys.keepPrivateKeys { keybag.has(.privateKeys($0)) }
        if let key = state.keys.passcodeKey, !keybag.isPasscodeKey(key) { try state.keys.setPasscodeKey(nil) }
        if keybag.hasPasscode && !hadPasscode && state.keys.passcodeKey == nil {
            // Another process has set the first passcode.
            state.keys.lock(keeping: Self.alwaysThere)
            state.lock = .beforeFirstUnlock
        }
        if !keybag.hasPasscode { state.lock = .unlocked }
        let keys = Keybag.WrappingKeys(
            try deviceKey.key,
            keybag: keybag.uuid,
            passcode: state.lock == .unlocked ? state.keys.passcodeKey : nil
        )
        for named in try keybag.unwrapAll(with: keys) { try state.keys.insert(named) }
    }

    static let alwaysThere: Set<Accessibility> = [.always, .alwaysThisDeviceOnly]
    private static let thereWhileLocked: Set<Accessibility> =
        alwaysThere.union([.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly])

    // MARK: - Locking

    /// Every program that may use the keychain may lock it. Without a passcode nothing is locked.
    func lock() throws(KeychainError) { try lock(to: .locked) }

    func logOut() throws(KeychainError) { try lock(to: .beforeFirstUnlock) }

    private func lock(to target: EnclaveState.Lock) throws(KeychainError) {
        // A keybag that cannot be read any more is no reason to keep the keys.
        try withState { (state) throws(KeychainError) in
            try? adoptShared(&state)
            lock(&state, to: target)
        }
        tellObservers()
    }

    private func lock(_ state: inout State, to target: EnclaveState.Lock = .locked) {
        state.tokens = IssuedTokens()
        desk.forgetAll()
        guard state.keybag.hasPasscode, state.lock.rawValue > target.rawValue else { return }
        state.keys.lock(keeping: target == .locked ? Self.thereWhileLocked : Self.alwaysThere)
        state.lock = target
        state.epoch += 1
        share(&state)
    }

    /// Whether the keychain was not used for as long as its settings say.
    private func isOverdue(_ state: State) -> Bool {
        guard state.lock == .unlocked, state.keybag.hasPasscode, let timeout = state.keybag.settings.timeout else {
            return false
        }
        let now = StartClock.current.now
        return (now - min(now, state.lastUse)) / 1_000_000_000 >= UInt64(timeout)
    }

    private func noteUse(_ state: inout State) {
        let now = StartClock.current.now
        let isWorthTelling = now - min(now, state.lastUse) > 1_000_000_000
        state.lastUse = max(now, state.lastUse)
        if isWorthTelling, state.lock == .unlocked { share(&state, unlessChanged: true) }
    }

    // MARK: - Observers

    func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    /// No observer may change anything here, or it waits for itself.
    func tellObservers() {
        telling.withLock { _ in
            guard let state = try? withState({ (state) throws(KeychainError) in description(of: state) }) else {
                return
            }
            desk.follow(state)
            for observer in observers.withLock({ $0 }) { observer(state) }
        }
    }
}

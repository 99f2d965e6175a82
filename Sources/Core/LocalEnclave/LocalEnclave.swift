package import Crypto
package import EnclaveDesk
package import EnclaveInterface
package import KeychainModel

/// The enclave's own code, in whichever process it runs: the lock, the passcode, the owner's presence, the key ring, and
/// the keys of a device among others, each a type of its own.
///
/// It can be used from any number of threads. What needs a passcode or rewrites the keybag waits for its turn; nothing
/// else waits for that.
package final class LocalEnclave: InProcessEnclave {
    let locking: EnclaveLock
    let passcode: PasscodeGuard
    let presence: OwnerPresence
    let keyRing: KeyRing
    let sync: SyncKeys
    let ceremonies: SyncCeremonies

    /// Where the owner is asked for what items demand.
    package var desk: PresenceDesk { presence.desk }

    /// Opens a keychain's keys, as far as they open without a passcode.
    ///
    /// - Parameters:
    ///   - shared: makes the place that other processes share, once the keybag is known.
    ///   - cost: what a new passcode costs to try; one that is out of bounds is taken in the keybag too.
    ///   - keepsProgramsApart: whether a service keeps the owner's programs apart.
    /// - Throws: `notAvailable` where the keybag is missing, damaged, of a newer version, not of this device, or older
    ///   than the device remembers.
    package init(
        _ storage: any KeybagStorage,
        device: any DeviceBinding,
        arena: any KeyArena = HeapArena(),
        cost: PasscodeCost = .usual,
        keepsProgramsApart: Bool = false,
        sharedBy shared: (ItemUUID) -> (any UnlockedStorage)? = { _ in nil }
    ) throws(KeychainError) {
        let desk = PresenceDesk()
        locking = try EnclaveLock(
            storage,
            device: device,
            arena: arena,
            cost: cost,
            keepsProgramsApart: keepsProgramsApart,
            desk: desk,
            sharedBy: shared
        )
        let editor = KeybagEditor(locking: locking)
        let passcode = PasscodeGuard(editor)
        self.passcode = passcode
        presence = OwnerPresence(editor, at: desk)
        keyRing = KeyRing(editor, presence)
        sync = SyncKeys(keyRing)
        ceremonies = SyncCeremonies(sync)
        try passcode.beginWaiting()
        desk.serve { [weak passcode] (typed) throws(KeychainError) in
            guard let passcode else { throw PresenceFailure.interrupted.error }
            try passcode.proveAtPrompt(typed)
        }
        desk.follow(try state())
    }

    /// An enclave that goes with its process.
    package convenience init(
        _ keybag: Keybag,
        under deviceKey: DeviceKey,
        cost: PasscodeCost = .usual
    ) throws(KeychainError) {
        var keybag = keybag
        try keybag.upgrade(under: Keybag.WrappingKeys(deviceKey.key, keybag: keybag.uuid))
        try self.init(
            MemoryStorage(keybag: keybag.file(under: deviceKey)),
            device: MemoryBinding(deviceKey),
            cost: cost
        )
    }

    /// Whether it could be closed and opened again unnoticed: it has no key that a passcode has opened, no open
    /// question, no delay after wrong answers, and adds no device.
    package var isAtRest: Bool {
        presence.isAtRest && passcode.isAtRest && locking.isClosed && ceremonies.isAtRest
    }

    // MARK: - As the keychain's own code sees it

    package var epoch: UInt64 { get throws(KeychainError) { try locking.epoch } }

    package func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        try answer(request, from: .service(connection: 0))
    }

    package func state() throws(KeychainError) -> EnclaveState { try locking.state() }

    package func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void) { locking.observe(observer) }

    package func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        try presence.ask(question, isWanted: isWanted)
    }

    // Each item that is found comes by here, so these are called without a request.

    package func wrap(
        _ keys: [UnwrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [[UInt8]] {
        try keyRing.wrap(keys, with: credentials)
    }

    package func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try keyRing.unwrap(keys, with: credentials)
    }

    package func rewrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [[UInt8]?] { try keyRing.rewrap(keys) }

    // MARK: - As its owner sees it in the same process

    package var inProcess: (any InProcessEnclave)? { self }

    package func control(isRoot: Bool) -> any EnclaveControl {
        LocalControl(self, for: isRoot ? .administrator : .owner)
    }

    package var prompts: any RegisteringDesk { desk }
}

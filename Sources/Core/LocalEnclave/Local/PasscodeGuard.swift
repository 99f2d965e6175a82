import Crypto
import EnclaveDesk
import EnclaveInterface
import KeychainModel
import Synchronization

/// The passcode: trying it, counting wrong ones, and what it opens.
final class PasscodeGuard: Sendable {

    let locking: EnclaveLock
    let editor: KeybagEditor
    /// Wrong passcodes that could not be written down.
    private let unwritten = Mutex(Attempts.none)

    init(_ editor: KeybagEditor) {
        locking = editor.locking
        self.editor = editor
    }

    /// Whether no delay is due to wrong passcodes that were not written to the disk.
    var isAtRest: Bool { unwritten.withLock { $0.count == 0 } }

    func unlock(_ passcode: SecretBytes, by visitor: Visitor) throws(KeychainError) {
        let passcode = try Passcode(passcode)
        try editor.exclusively { () throws(KeychainError) in
            let key = try authenticate(passcode, by: visitor)
            try locking.withState { (state) throws(KeychainError) in
                try open(&state, with: key)
                locking.share(&state)
            }
            locking.tellObservers()
            confirm(by: visitor)
        }
    }

    func verify(_ passcode: SecretBytes, by visitor: Visitor) throws(KeychainError) {
        let passcode = try Passcode(passcode)
        try editor.exclusively { () throws(KeychainError) in
            _ = try authenticate(passcode, by: visitor)
            confirm(by: visitor)
        }
    }

    /// A passcode that the owner gave at a prompt. The prompt of a locked keychain says that it unlocks, too.
    func proveAtPrompt(_ passcode: SecretBytes) throws(KeychainError) {
        if try locking.state().lock == .unlocked {
            try verify(passcode, by: .owner)
        } else {
            try unlock(passcode, by: .owner)
        }
    }

    private func open(_ state: inout EnclaveLock.State, with key: SymmetricKey) throws(KeychainError) {
        let keys = Keybag.WrappingKeys(try locking.deviceKey.key, keybag: state.keybag.uuid, passcode: key)
        for named in try state.keybag.unwrapAll(with: keys) { try state.keys.insert(named) }
        try state.keys.setPasscodeKey(key)
        state.lock = .unlocked
        state.lastUse = StartClock.current.now
        state.epoch += 1
    }

    // MARK: - Trying a passcode

    /// The key that a passcode opens. The caller runs editor.exclusively.
    func authenticate(_ passcode: Passcode, by visitor: Visitor) throws(KeychainError) -> SymmetricKey {
        let keybag = try locking.withState { (state) throws(KeychainError) in state.keybag }
        guard let record = keybag.passcode else {
            throw KeychainError(.authenticationFailed, "the keychain has no passcode")
        }
        let code = try attemptsCode()
        let before = try attempts(code: code)
        var after = before
        if visitor.isCounted {
            try checkWaiting(for: before)
            // Counted before it is tried: a process that is stopped in between has not had a try for nothing.
            after = Attempts(count: before.count + 1, armed: StartClock.current.now)
            note(after, code: code)
        }
        let tried: SymmetricKey?
        do throws(KeychainError) {
            tried = try tryPasscode(passcode, record: record, keybag: keybag)
        } catch {
            // Hardware that is busy, locked out or gone has tried nothing.
            if visitor.isCounted { note(before, code: code) }
            throw error
        }
        guard let key = tried else {
            try failed(after, limit: keybag.settings.wipesAfter, counted: visitor.isCounted)
            throw KeychainError(.authenticationFailed, "the passcode is wrong")
        }
        if after.count > 0 { note(.none, code: code) }
        return key
    }

    /// - Returns: nil for a wrong passcode.
    private func tryPasscode(
        _ passcode: Passcode,
        record: PasscodeRecord,
        keybag: Keybag
    ) throws(KeychainError) -> SymmetricKey? {
        let stretched = try StretchedPasscode(passcode, salt: record.salt, cost: record.cost)
        var hardware: SecretBytes?
        if let place = record.place {
            guard let secrets = locking.device.passcodeSecrets else {
                throw KeychainError(.notAvailable, "the hardware that knows the passcode's other half is not there")
            }
            do throws(KeychainError) {
                hardware = try secrets.secret(in: place, authorization: stretched.authorization)
            } catch {
                guard error.code == .authenticationFailed else { throw error }
                return nil
            }
        }
        let key = stretched.key(hardware: hardware, deviceKey: try locking.deviceKey.key, keybag: keybag.uuid)
        return keybag.isPasscodeKey(key) ? key : nil
    }

    private func attemptsCode() throws(KeychainError) -> SymmetricKey {
        Keybag.derive(try locking.deviceKey.key, "chatelaine attempts mac 1", locking.keybag)
    }

    /// After a start of the machine the waiting for wrong passcodes begins anew, at once.
    func beginWaiting() throws(KeychainError) {
        guard try locking.withState({ (state) throws(KeychainError) in state.keybag.hasPasscode }) else { return }
        _ = try? attempts(code: attemptsCode())
    }

    private func attempts(code: SymmetricKey) throws(KeychainError) -> Attempts {
        let written = Attempts(file: try locking.storage.attempts(), code: code, at: .current)
        if written.isRearmed { note(written, code: code) }
        return unwritten.withLock { $0.count > written.count ? $0 : written }
    }

    private func checkWaiting(for attempts: Attempts) throws(KeychainError) {
        guard attempts.count > 0 else { return }
        let hardware = locking.device.passcodeSecrets.map { $0.secondsUntilForgiven ?? Self.secondsOfMostHardware }
        // What forgives at once limits nothing.
        let seconds = attempts.remaining(at: .current, hardware: hardware == 0 ? nil : hardware)
        guard seconds == 0 else {
            throw KeychainError(
                .authenticationFailed,
                "wrong passcodes were given; the next one can be given in \(seconds) seconds"
            )
        }
    }

    /// What most TPMs of PCs are set to, for one that does not answer.
    private static let secondsOfMostHardware: UInt64 = 7_200

    /// Where the disk takes nothing, the count lives in memory: a full disk neither locks the owner out nor lets anyone
    /// guess for nothing.
    private func note(_ attempts: Attempts, code: SymmetricKey) {
        do throws(KeychainError) {
            try locking.storage.write(attempts: attempts.file(code: code, at: .current))
            unwritten.withLock { $0 = .none }
        } catch {
            unwritten.withLock { $0 = attempts }
        }
    }

    private func failed(_ attempts: Attempts, limit: UInt32?, counted: Bool) throws(KeychainError) {
        guard counted, let limit, attempts.count >= limit else { return }
        try destroyKeys()
        throw KeychainError(.authenticationFailed, "the passcode was wrong too often; the keys were destroyed")
    }
}

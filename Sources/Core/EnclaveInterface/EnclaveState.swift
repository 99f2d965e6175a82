package import KeychainModel

/// What a keychain's enclave says of itself. Nothing in it is secret.
package struct EnclaveState: Sendable, Equatable {
    /// Which classes can be used now.
    package enum Lock: UInt8, Sendable, CaseIterable {
        /// The passcode was not given since the machine's start: only the Always classes are open.
        case beforeFirstUnlock = 0
        /// All but WhenUnlocked and WhenPasscodeSet classes.
        case locked = 1
        /// All. Without a passcode nothing else is possible.
        case unlocked = 2
    }

    package var keychain: ItemUUID
    package var keybag: ItemUUID
    /// Of the keybag: grows with each of its rewritings.
    package var generation: UInt64
    package var lock: Lock
    package var hasPasscode: Bool
    /// Whether the passcode came from root, from a log-in, or after the system had authenticated the person. It says
    /// nothing where no service keeps programs apart.
    package var isPasscodeConfirmed: Bool
    /// Whether a service keeps the owner's programs apart, so that being one of them does not authorize what destroys
    /// or reveals.
    package var keepsProgramsApart: Bool
    /// Whether rows may still be sealed under the keys before the present ones: a rotation is not finished.
    package var isRotating: Bool
    /// Grows with each change of what keys are there; what was fetched at an older one is out of date.
    package var epoch: UInt64
    package var settings: LockSettings
    package var binding: DeviceBindingKind

    package init(
        keychain: ItemUUID,
        keybag: ItemUUID,
        generation: UInt64,
        lock: Lock,
        hasPasscode: Bool,
        isRotating: Bool,
        epoch: UInt64,
        settings: LockSettings,
        binding: DeviceBindingKind,
        isPasscodeConfirmed: Bool = false,
        keepsProgramsApart: Bool = false
    ) {
        self.keychain = keychain
        self.keybag = keybag
        self.generation = generation
        self.lock = lock
        self.hasPasscode = hasPasscode
        self.isRotating = isRotating
        self.epoch = epoch
        self.settings = settings
        self.binding = binding
        self.isPasscodeConfirmed = isPasscodeConfirmed
        self.keepsProgramsApart = keepsProgramsApart
    }

    /// Whether the passcode alone authorizes what takes one.
    package var isPasscodeEnough: Bool { hasPasscode && (isPasscodeConfirmed || !keepsProgramsApart) }

    /// Whether the keys of a class are there in this state.
    package func allows(_ accessibility: Accessibility) -> Bool {
        switch accessibility {
        case .always, .alwaysThisDeviceOnly: true
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: lock != .beforeFirstUnlock
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: lock == .unlocked
        case .whenPasscodeSetThisDeviceOnly: lock == .unlocked && hasPasscode
        }
    }

    /// Whether a class was there in an earlier state and is not there in this one.
    package func isLocked(since before: EnclaveState) -> Bool {
        Accessibility.allCases.contains { before.allows($0) && !allows($0) }
    }
}

/// When a keychain locks itself.
package struct LockSettings: Sendable, Equatable {
    package var locksOnSleep: Bool
    /// Seconds after the last use; nil never.
    package var timeout: UInt32?
    /// Wrong passcodes after which the keys are destroyed; nil never, which is the default.
    package var wipesAfter: UInt32?

    package init(locksOnSleep: Bool = true, timeout: UInt32? = nil, wipesAfter: UInt32? = nil) {
        self.locksOnSleep = locksOnSleep
        self.timeout = timeout
        self.wipesAfter = wipesAfter
    }

    /// Whether the keychain would stay unlocked where it does not with the others.
    package func locksLater(than other: LockSettings) -> Bool {
        (other.locksOnSleep && !locksOnSleep) || (timeout ?? .max) > (other.timeout ?? .max)
    }
}

/// Where the device's own key is.
package enum DeviceBindingKind: UInt8, Sendable, CaseIterable {
    /// In the memory of one process, and gone with it.
    case memory = 0
    /// A file beside the keybag: a thief of the disk has it.
    case file = 1
    /// Handed over by systemd.
    case credential = 2
    /// Sealed by a TPM 2.0.
    case tpm = 3
}

extension EnclaveState {
    /// Why the passcode does not prove who the owner is; nil where it does.
    package var lackOfOwner: KeychainError? {
        if !hasPasscode { return PresenceFailure.noPasscode.error }
        if isPasscodeEnough { return nil }
        return KeychainError(
            .authenticationFailed,
            "the passcode is unconfirmed, so it may be another's; confirm it: chatelaine passcode confirm"
        )
    }

    /// Why the key of a class is not there.
    package func refusal(of accessibility: Accessibility) -> KeychainError {
        if accessibility == .whenPasscodeSetThisDeviceOnly && !hasPasscode {
            // The key went with the passcode, for good.
            return KeychainError(.undecodable, "the item's key was destroyed with the passcode")
        }
        return KeychainError(.interactionNotAllowed, "the keychain is locked for items of this accessibility")
    }
}

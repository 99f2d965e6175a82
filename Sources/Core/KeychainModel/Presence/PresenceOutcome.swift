/// What items that were not released lack.
package struct PresenceNeed: Sendable, Hashable {
    /// Met by nothing where only a password is missing.
    package let demand: PresenceDemand
    package let password: PasswordWish
    package let items: [GuardedItem]
    /// What the owner is to agree to, where that is not for the program to say.
    package let reason: String?

    package init(
        _ demand: PresenceDemand,
        password: PasswordWish = .none,
        items: [GuardedItem],
        reason: String? = nil
    ) {
        self.demand = demand
        self.password = password
        self.items = items
        self.reason = reason
    }
}

/// An item that demands something, and the access group that it is bound to.
package struct GuardedItem: Sendable, Hashable {
    package let uuid: ItemUUID
    package let accessGroup: String

    package init(_ uuid: ItemUUID, in accessGroup: String) {
        self.uuid = uuid
        self.accessGroup = accessGroup
    }
}

/// Whether a person is asked for an application password.
package enum PasswordWish: UInt8, Sendable, CaseIterable {
    case none = 0
    case existing = 1
    /// One that is typed twice, for a new item.
    case new = 2
}

/// Why a prompt, or the attempt to show one, proved nothing. The numbers never change.
package enum PresenceFailure: UInt8, Sendable, CaseIterable {
    /// The person said no.
    case declined = 1
    /// The person chose the program's own way.
    case fallback = 2
    /// What the person gave was wrong, as often as it may be.
    case failed = 3
    /// There is no passcode that could be asked for.
    case noPasscode = 4
    /// There is nothing that reads fingers, or it does not work.
    case noBiometry = 5
    case notEnrolled = 6
    /// Too many wrong fingers: the passcode has to be given first.
    case biometryLockout = 7
    case noCompanion = 8
    /// No prompter is there that could ask.
    case nobodyToAsk = 9
    /// No answer came in time, the keychain was locked, or the asking program has gone away.
    case interrupted = 10
    /// There were too many prompts.
    case tooMany = 11
    /// The caller has forbidden to ask.
    case notInteractive = 12

    package var error: KeychainError {
        let (code, message): (KeychainError.Code, String) =
            switch self {
            case .declined: (.userCanceled, "the person said no")
            case .fallback: (.userCanceled, "the person chose another way")
            case .failed: (.authenticationFailed, "the person was not recognised")
            case .noPasscode:
                (.authenticationFailed, "the keychain has no passcode to tell its owner by: chatelaine passcode set")
            case .noBiometry: (.notAvailable, "no reader of fingers answers")
            case .notEnrolled: (.notAvailable, "no finger is enrolled")
            case .biometryLockout: (.authenticationFailed, "too many wrong fingers; the passcode has to be given first")
            case .noCompanion: (.notAvailable, "there are no companion devices here")
            case .nobodyToAsk:
                (
                    .interactionNotAllowed,
                    "nobody can be asked: start the keychain's agent in the session (chatelaine agent)"
                )
            case .interrupted: (.authenticationFailed, "nobody has answered in time, or the question was taken back")
            case .tooMany: (.interactionNotAllowed, "too many prompts were made or declined; try again later")
            case .notInteractive: (.interactionNotAllowed, "somebody would have to be asked, and must not be")
            }
        return KeychainError(code, message, presence: .failed(self))
    }
}

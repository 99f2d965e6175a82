import EnclaveDesk
import EnclaveInterface
import KeychainModel

/// Owner authorizations: tokens that allow one operation. Where a service keeps the owner's programs apart, no program
/// can authorize by itself.
extension PasscodeGuard {
    func authorize(
        _ operation: GuardedOperation,
        passcode: SecretBytes?,
        by visitor: Visitor
    ) throws(KeychainError) -> AuthorizationToken {
        switch visitor {
        case .administrator:
            if let passcode { try verify(passcode, by: visitor) }
        case .owner:
            if let passcode {
                try verify(passcode, by: visitor)
            } else if try locking.state().hasPasscode {
                throw KeychainError(.authenticationFailed, "this needs the passcode, or the administrator")
            }
        case .program:
            // Before a passcode is tried: what is refused costs nothing, and counts no guess.
            guard operation.takesPasscode else { throw Self.needsSystem(for: operation) }
            guard let record = try locking.withState({ (state) throws(KeychainError) in state.keybag.passcode }) else {
                throw KeychainError(
                    .authenticationFailed,
                    "without a passcode this needs the administrator, or that the system authenticates you"
                )
            }
            guard record.isConfirmed else {
                throw KeychainError(
                    .authenticationFailed,
                    "the passcode is unconfirmed, so this needs the administrator; confirm it: chatelaine passcode confirm"
                )
            }
            guard let passcode else {
                throw KeychainError(.authenticationFailed, "this needs the passcode, or the administrator")
            }
            try verify(passcode, by: visitor)
        }
        return try locking.withState { (state) throws(KeychainError) in
            try state.tokens.issue(operation, at: StartClock.current.now)
        }
    }

    func redeem(_ token: AuthorizationToken, for operation: GuardedOperation) throws(KeychainError) {
        let isGood = try locking.withState { (state) throws(KeychainError) in
            state.tokens.redeem(token, for: operation, at: StartClock.current.now)
        }
        guard isGood else {
            throw KeychainError(.authenticationFailed, "this was not allowed, or longer than a minute ago")
        }
    }

    /// Refuses a program that brings no token for what it asks. To be called before anything that takes its time.
    func check(
        _ token: AuthorizationToken?,
        for operation: GuardedOperation,
        by visitor: Visitor
    ) throws(KeychainError) {
        guard visitor == .program else { return }
        guard let token else { throw Self.needsSystem(for: operation) }
        try redeem(token, for: operation)
    }

    private static func needsSystem(for operation: GuardedOperation) -> KeychainError {
        let command =
            switch operation {
            case .backup: "backup create"
            case .restore: "backup restore"
            case .export: "export"
            case .rotateKeys: "rotate-keys"
            case .setPasscode: "passcode set"
            case .removePasscode: "passcode remove"
            case .confirmPasscode: "passcode confirm"
            case .changeSettings: "settings"
            case .synchronize: "sync approve"
            }
        return KeychainError(
            .authenticationFailed,
            "this needs the administrator, or that the system authenticates you; run: chatelaine \(command)"
        )
    }
}

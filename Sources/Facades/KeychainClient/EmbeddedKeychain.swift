import EnclaveInterface
import KeychainEngine
package import KeychainModel
package import LocalEnclave
package import Logging

/// A keychain that this process opens itself: no other process stands between a caller and the files, so it isolates
/// nobody.
///
/// It can be used from any number of threads, and in the child of a fork.
package final class EmbeddedKeychain: KeychainService, ClosedBeforeForks {
    package enum Place: Sendable {
        /// In a folder.
        case embedded(directory: String)
        /// In this process's memory alone.
        case memory
    }

    let place: Place
    let caller: Caller
    let log: Logger
    private let absences: AbsenceLog
    private let patience: Duration
    private let cost: PasscodeCost
    private let keychain: OpenKeychain
    private let failures: FailureReport

    /// - Parameters:
    ///   - patience: how long a call waits for another process that writes, before it fails.
    ///   - cost: what a passcode costs to try.
    ///   - pinentry: what its owner is asked by.
    ///   - passcode: says what the keychain is unlocked with when it is opened, and given where it has no passcode. Where
    ///     it cannot be told, no keychain is made or opened.
    package init(
        _ place: Place,
        caller: Caller,
        log: Logger = KeychainLog.keychain,
        queryLog: Logger = KeychainLog.query,
        patience: Duration = KeychainDirectory.defaultPatience,
        cost: PasscodeCost = .usual,
        pinentry: PinentryChoice = .named,
        passcode: PasscodeSource? = nil
    ) {
        self.place = place
        self.caller = caller
        self.log = log
        absences = AbsenceLog(log: queryLog)
        self.patience = patience
        self.cost = cost
        let failures = FailureReport(log: log)
        self.failures = failures
        let warnings = FailureReport(log: log, level: .warning)
        let readPasscode = { @Sendable () throws(KeychainError) -> SecretBytes? in
            try passcode?.read { warnings.reportOnce($0) }
        }
        keychain = OpenKeychain(
            isAbsent: { () throws(KeychainError) in
                guard case .embedded(let path) = place else { return false }
                // That there is nothing to be found is no answer where the passcode is missing that it would be made with.
                _ = try readPasscode()
                return try Self.directory(path, patience: patience, cost: cost).isAbsent()
            }
        ) { () throws(KeychainError) in
            let passcode = try readPasscode()
            let engine =
                switch place {
                case .memory: try KeychainEngine.inMemory(log: log)
                case .embedded(let path):
                    try Self.directory(path, patience: patience, cost: cost, unlocksUnattended: passcode == nil)
                        .open(log: log)
                }
            pinentry.serve(engine.enclave)
            guard let passcode else { return engine }
            do throws(KeychainError) {
                try Self.unlock(engine, with: passcode)
            } catch {
                failures.reportOnce(error)
                throw error
            }
            return engine
        }
        ForkGuard.register(self)
    }

    /// Does an operation, and has the owner asked for what it lacks: by the prompter of this process. Prompts name this
    /// process, also where it acts for another program.
    package func perform(
        _ operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult {
        var rounds = PresenceRounds(
            absences.observed(operation),
            of: asker,
            in: operation.authentication.context as? PresenceSession,
            enclave: enclave
        )
        while true {
            let operation = rounds.operation
            do throws(KeychainError) {
                let result = try withEngine(makesKeychain: operation.traits.makesKeychain) {
                    (engine) throws(KeychainError) in
                    try engine.perform(operation, for: caller)
                }
                absences.note(result)
                return result
            } catch {
                try rounds.ask(rounds.question(after: error))
            }
        }
    }

    package func performTogether(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        onBehalfOf program: String?
    ) throws(KeychainError) -> [OperationOutcome] {
        // As in the service, a transaction without operations makes the keychain.
        let makesKeychain = operations.isEmpty || operations.contains(where: \.traits.makesKeychain)
        let outcomes = try withEngine(makesKeychain: makesKeychain) { (engine) throws(KeychainError) in
            try engine.perform(operations.map(absences.observed), allOrNothing: allOrNothing, for: caller)
        }
        absences.note(outcomes)
        return outcomes
    }

    func withEngine<Value>(
        makesKeychain: Bool = true,
        _ body: (KeychainEngine) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try ForkGuard.holdingOffForks { () throws(KeychainError) in
            do throws(KeychainError) {
                return try keychain.withEngine(makesKeychain: makesKeychain, body)
            } catch {
                failures.report(error)
                throw error
            }
        }
    }

    func directory(_ path: String) -> KeychainDirectory {
        Self.directory(path, patience: patience, cost: cost)
    }

    private static func directory(
        _ path: String,
        patience: Duration,
        cost: PasscodeCost,
        unlocksUnattended: Bool = true
    ) -> KeychainDirectory {
        KeychainDirectory(
            path: path,
            credentials: Environment["CREDENTIALS_DIRECTORY"],
            unlocksUnattended: unlocksUnattended,
            cost: cost,
            patience: patience
        )
    }

    private static func unlock(_ engine: KeychainEngine, with passcode: SecretBytes) throws(KeychainError) {
        let control = try engine.ownerControl()
        if try !control.state().hasPasscode {
            do throws(KeychainError) {
                return try control.changePasscode(from: nil, to: passcode)
            } catch  where error.code == .duplicateItem {
                // Another process has set it meanwhile.
            }
        }
        do throws(KeychainError) {
            // A server that is started again and again with a wrong one must not make the right one wait.
            try engine.unlockUnattended(passcode)
        } catch  where error.code == .authenticationFailed {
            throw KeychainError(
                .authenticationFailed,
                "the passcode that this program was given does not open its keychain: \(error.message)"
            )
        }
    }

    /// Before a fork: no connection may be inherited, since SQLite's locks and their bookkeeping would be shared with
    /// the parent. A keychain in memory has no locks, and the child goes on with a copy.
    package func closeBeforeFork() {
        keychain.close()
    }
}

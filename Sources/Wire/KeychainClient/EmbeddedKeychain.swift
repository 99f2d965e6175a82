package import KeychainEnclave
import KeychainEngine
package import KeychainModel
package import Logging

/// A keychain that this process opens itself: no other process stands between a caller and the files, so it isolates
/// nobody.
///
/// It can be used from any number of threads, and in the child of a fork.
package final class EmbeddedKeychain: EnclaveKeyService, ClosedBeforeForks {
    package enum Place: Sendable {
        /// In a folder.
        case embedded(directory: String)
        /// In this process's memory alone.
        case memory
    }

    let place: Place
    let caller: Caller
    let log: Logger
    private let queryLog: Logger
    private let patience: Duration
    private let cost: PasscodeCost
    private let keychain: OpenKeychain
    private let failures: FailureReport

    /// - Parameters:
    ///   - patience: how long a call waits for another process that writes, before it fails.
    ///   - cost: what a passcode costs to try.
    ///   - pinentry: what its owner is asked by.
    package init(
        _ place: Place,
        caller: Caller,
        log: Logger = KeychainLog.keychain,
        queryLog: Logger = KeychainLog.query,
        patience: Duration = KeychainDirectory.defaultPatience,
        cost: PasscodeCost = .standard,
        pinentry: PinentryChoice = .named
    ) {
        self.place = place
        self.caller = caller
        self.log = log
        self.queryLog = queryLog
        self.patience = patience
        self.cost = cost
        failures = FailureReport(log: log)
        keychain = OpenKeychain(
            isAbsent: { () throws(KeychainError) in
                guard case .embedded(let path) = place else { return false }
                return try Self.directory(path, patience: patience, cost: cost).isAbsent()
            }
        ) { () throws(KeychainError) in
            let engine =
                switch place {
                case .memory: try KeychainEngine.inMemory(log: log)
                case .embedded(let path): try Self.directory(path, patience: patience, cost: cost).open(log: log)
                }
            pinentry.attend(engine.enclave)
            return engine
        }
        ForkGuard.register(self)
    }

    package func add(_ request: AddRequest) throws(KeychainError) -> FoundItem? {
        try asking(request.authentication) { (engine, authentication) throws(KeychainError) in
            var request = request
            request.authentication = authentication
            return try engine.add(request, for: caller)
        }
    }

    package func find(_ request: FindRequest) throws(KeychainError) -> [FoundItem] {
        try asking(request.authentication, makesKeychain: false) { (engine, authentication) throws(KeychainError) in
            var request = request
            request.authentication = authentication
            let items = try engine.find(request, for: caller)
            if items.isEmpty { explainAbsence(of: request.query, in: engine) }
            return items
        }
    }

    package func update(_ request: UpdateRequest) throws(KeychainError) -> Int {
        try asking(request.authentication, makesKeychain: false) { (engine, authentication) throws(KeychainError) in
            var request = request
            request.authentication = authentication
            let count = try engine.update(request, for: caller)
            if count == 0 { explainAbsence(of: request.query, in: engine) }
            return count
        }
    }

    package func delete(_ request: DeleteRequest) throws(KeychainError) -> Int {
        try withEngine(makesKeychain: false) { (engine) throws(KeychainError) in
            let count = try engine.delete(request, for: caller)
            if count == 0 { explainAbsence(of: request.query, in: engine) }
            return count
        }
    }

    package func makeKey(_ request: MakeKeyRequest) throws(KeychainError) -> EnclaveKey {
        try asking(request.authentication) { (engine, authentication) throws(KeychainError) in
            var request = request
            request.authentication = authentication
            return try engine.makeKey(request, for: caller)
        }
    }

    package func useKey(_ request: UseKeyRequest) throws(KeychainError) -> SecretBytes {
        try asking(request.authentication) { (engine, authentication) throws(KeychainError) in
            var request = request
            request.authentication = authentication
            return try engine.useKey(request, for: caller)
        }
    }

    /// Does a call, and has the owner asked for what it lacks: by the prompter of this process.
    private func asking<Value>(
        _ authentication: ItemAuthentication,
        makesKeychain: Bool = true,
        _ body: (KeychainEngine, ItemAuthentication) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let rounds = PresenceRounds(
            for: asker,
            in: authentication.context as? PresenceSession,
            enclave: enclave,
            isWanted: { true }
        )
        return try rounds.perform(authentication) { (authentication) throws(KeychainError) in
            try withEngine(makesKeychain: makesKeychain) { (engine) throws(KeychainError) in
                try body(engine, authentication)
            }
        }
    }

    /// Tells whoever asks for it by `CHATELAINE_LOG=debug` why nothing matched; it costs several searches.
    private func explainAbsence(of query: ItemQuery, in engine: KeychainEngine) {
        guard queryLog.logLevel <= .debug else { return }
        for sentence in engine.explainAbsence(of: query, for: caller) { queryLog.debug("\(sentence)") }
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

    private static func directory(_ path: String, patience: Duration, cost: PasscodeCost) -> KeychainDirectory {
        KeychainDirectory(
            path: path,
            credentials: Environment["CREDENTIALS_DIRECTORY"],
            cost: cost,
            patience: patience
        )
    }

    /// Before a fork: no connection may be inherited, since SQLite's locks and their bookkeeping would be shared with
    /// the parent. A keychain in memory has no locks, and the child goes on with a copy.
    func closeBeforeFork() {
        keychain.close()
    }
}

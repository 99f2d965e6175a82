package import KeychainModel
package import KeychainProtocol
package import Logging

/// A keychain that the keychain service holds: every call is a round trip over its socket.
///
/// It can be used from any number of threads, and in the child of a fork. It outlives the service's restarts: a
/// connection that broke is made anew. No call hangs, and none is passed on to another keychain.
package final class ServiceConnection: EnclaveKeyService, ClosedBeforeForks {
    let address: ServiceAddress
    let pool: ChannelPool
    let deadlines: Deadlines
    private let queryLog: Logger
    private let failures: FailureReport

    /// - Parameter socketName: makes a name, among the abstract ones, for each socket. No program has a use for it: tests
    ///   tell a daemon of their own by it whose part they play.
    package init(
        _ address: ServiceAddress,
        deadlines: Deadlines = Deadlines(),
        socketName: (@Sendable () -> String)? = nil,
        log: Logger = KeychainLog.keychain,
        queryLog: Logger = KeychainLog.query
    ) {
        self.address = address
        self.deadlines = deadlines
        self.queryLog = queryLog
        pool = ChannelPool(address: address, deadlines: deadlines, name: socketName)
        failures = FailureReport(log: log)
        ForkGuard.register(self)
    }

    package func add(_ request: AddRequest) throws(KeychainError) -> FoundItem? {
        try items(.add(request.withTerminal)).first
    }

    package func find(_ request: FindRequest) throws(KeychainError) -> [FoundItem] {
        try items(.find(request.withTerminal, wantsExplanation: wantsExplanation))
    }

    package func update(_ request: UpdateRequest) throws(KeychainError) -> Int {
        try count(.update(request.withTerminal, wantsExplanation: wantsExplanation))
    }

    package func delete(_ request: DeleteRequest) throws(KeychainError) -> Int {
        try count(.delete(request, wantsExplanation: wantsExplanation))
    }

    package func makeKey(_ request: MakeKeyRequest) throws(KeychainError) -> EnclaveKey {
        var request = request
        request.authentication = request.authentication.withTerminal
        guard case .key(let key) = try outcomes(of: .makeKey(request)).last else { throw Self.unexpected }
        return key
    }

    package func useKey(_ request: UseKeyRequest) throws(KeychainError) -> SecretBytes {
        var request = request
        request.authentication = request.authentication.withTerminal
        guard case .secret(let secret) = try outcomes(of: .useKey(request)).last else { throw Self.unexpected }
        return secret
    }

    /// Does operations in their order, in one transaction. One that fails changes nothing and does not keep the others
    /// from being done.
    ///
    /// - Returns: an outcome for each operation.
    /// - Throws: where none was done.
    package func batch(_ operations: [Operation]) throws(KeychainError) -> [Outcome] {
        var outcomes: [Outcome] = []
        for part in try parts(.batch(operations), isReading: operations.allSatisfy(\.isReading)) {
            guard case .batch(let some) = part else { throw Self.unexpected }
            outcomes += some
        }
        guard outcomes.count == operations.count else { throw Self.unexpected }
        return outcomes
    }

    /// Who this program is to the service.
    package func identity() throws(KeychainError) -> ServiceIdentity {
        guard case .identity(let identity) = try parts(.identity, isReading: true).last else { throw Self.unexpected }
        return identity
    }

    /// What the service says of itself.
    package func status() throws(KeychainError) -> ServiceStatus {
        guard case .status(let status) = try parts(.status, isReading: true).last else { throw Self.unexpected }
        return status
    }

    /// Hands on what happens to the keychain, from how it stands now, until the body returns false. It has a connection
    /// of its own.
    ///
    /// - Throws: `notAvailable` where the service ends, or too many watch already.
    package func watch(_ body: (KeychainEvent) throws(KeychainError) -> Bool) throws(KeychainError) {
        try pool.newChannel().watch(body)
    }

    func closeBeforeFork() {
        pool.closeAll()
    }

    // MARK: - Outcomes

    /// Only whoever asks for it by `CHATELAINE_LOG=debug` is told why nothing matched: it costs several searches.
    private var wantsExplanation: Bool { queryLog.logLevel <= .debug }

    private func items(_ operation: Operation) throws(KeychainError) -> [FoundItem] {
        var found: [FoundItem] = []
        for outcome in try outcomes(of: operation) {
            guard case .items(let items, let explanation) = outcome else { throw Self.unexpected }
            found += items
            tell(explanation)
        }
        return found
    }

    private func count(_ operation: Operation) throws(KeychainError) -> Int {
        guard case .count(let count, let explanation) = try outcomes(of: operation).last else { throw Self.unexpected }
        tell(explanation)
        return count
    }

    private func outcomes(of operation: Operation) throws(KeychainError) -> [Outcome] {
        var outcomes: [Outcome] = []
        let context = operation.context as? ServiceContext
        for part in try parts(.operation(operation), isReading: operation.isReading, context: context) {
            guard case .outcome(let outcome) = part else { throw Self.unexpected }
            if case .failed(let error) = outcome { throw reported(error) }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func tell(_ explanation: [String]) {
        guard wantsExplanation else { return }
        for sentence in explanation { queryLog.debug("\(sentence)") }
    }

    // MARK: - Round trips

    /// The parts of a response.
    ///
    /// What was surely not done is asked once more, and what changes nothing as well.
    ///
    /// - Parameter context: whose connection it goes over; nil for any.
    func parts(
        _ request: Request,
        isReading: Bool,
        context: ServiceContext? = nil
    ) throws(KeychainError) -> [Response.Body] {
        try ForkGuard.holdingOffForks { () throws(KeychainError) in
            let deadline = Deadline(deadlines.request)
            do throws(Channel.Failure) {
                return try attempt(request, by: deadline, context)
            } catch {
                switch error {
                case .notSent where !deadline.hasPassed, .unknown where isReading && !deadline.hasPassed: break
                default: throw failed(error, isReading: isReading)
                }
            }
            do throws(Channel.Failure) {
                return try attempt(request, by: deadline, context)
            } catch {
                throw failed(error, isReading: isReading)
            }
        }
    }

    private func attempt(
        _ request: Request,
        by deadline: Deadline,
        _ context: ServiceContext?
    ) throws(Channel.Failure) -> [Response.Body] {
        if let context { return try context.exchange(request, by: deadline) }
        return try pool.withChannel { (channel) throws(Channel.Failure) in try channel.exchange(request, by: deadline) }
    }

    func failed(_ failure: Channel.Failure, isReading: Bool) -> KeychainError {
        switch failure {
        case .notSent(let error), .refused(let error): reported(error)
        case .unknown(let error) where isReading: reported(error)
        case .unknown(let error):
            reported(KeychainError(.notAvailable, "\(error.message); whether the change was made is not known"))
        }
    }

    private func reported(_ error: KeychainError) -> KeychainError {
        failures.report(error)
        return error
    }

    static let unexpected = KeychainError(
        .notAvailable,
        "the keychain service answers what was not asked"
    )
}

extension Operation {
    fileprivate var context: (any PresenceContext)? {
        switch self {
        case .add(let request): request.authentication.context
        case .find(let request, _): request.authentication.context
        case .update(let request, _): request.authentication.context
        case .makeKey(let request): request.authentication.context
        case .useKey(let request): request.authentication.context
        case .delete: nil
        }
    }

    /// Whether it changes nothing, and so can be done twice.
    fileprivate var isReading: Bool {
        switch self {
        case .find, .makeKey, .useKey: true
        case .add, .update, .delete: false
        }
    }
}

// MARK: - Where the person is

extension ItemAuthentication {
    /// Told with each call that may have somebody asked.
    fileprivate var withTerminal: ItemAuthentication {
        guard ui == .allow, let terminal = PromptTerminal.ofThisProcess else { return self }
        var told = self
        told.prompt.terminal = terminal
        return told
    }
}

extension AddRequest {
    fileprivate var withTerminal: AddRequest {
        var told = self
        told.authentication = authentication.withTerminal
        return told
    }
}

extension FindRequest {
    fileprivate var withTerminal: FindRequest {
        var told = self
        told.authentication = authentication.withTerminal
        return told
    }
}

extension UpdateRequest {
    fileprivate var withTerminal: UpdateRequest {
        var told = self
        told.authentication = authentication.withTerminal
        return told
    }
}

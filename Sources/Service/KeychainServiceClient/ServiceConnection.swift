package import KeychainModel
package import KeychainProtocol
package import Logging

/// A keychain that the keychain service holds: every call is a round trip over its socket.
///
/// It can be used from any number of threads, and in the child of a fork. It outlives the service's restarts: a
/// connection that broke is made anew. No call hangs, and none is passed on to another keychain.
package final class ServiceConnection: KeychainService, ClosedBeforeForks {
    let address: ServiceAddress
    let pool: ChannelPool
    let deadlines: Deadlines
    private let absences: AbsenceLog
    private let failures: FailureReport

    /// - Parameter socketName: makes a name, among the abstract ones, for each socket. No program has a use for it:
    ///   tests tell a daemon of their own by it whose part they play.
    package init(
        _ address: ServiceAddress,
        deadlines: Deadlines = Deadlines(),
        socketName: (@Sendable () -> String)? = nil,
        log: Logger = KeychainLog.keychain,
        queryLog: Logger = KeychainLog.query
    ) {
        self.address = address
        self.deadlines = deadlines
        absences = AbsenceLog(log: queryLog)
        pool = ChannelPool(address: address, deadlines: deadlines, name: socketName)
        failures = FailureReport(log: log)
        ForkGuard.register(self)
    }

    package func perform(
        _ operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult {
        var operation = absences.observed(operation)
        operation.authentication.tellTerminal()
        let result = try answer(to: operation, onBehalfOf: program)
        absences.note(result)
        return result
    }

    private func answer(
        to operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult {
        let context = operation.authentication.context as? ServiceContext
        var items: [FoundItem] = []
        var last: OperationResult?
        for part in try parts(Request.operation(operation).onBehalf(of: program), context: context) {
            guard case .outcome(let outcome) = part else { throw Self.unexpected }
            switch outcome {
            case .failure(let error): throw reported(error)
            case .success(let result): last = result
            }
            if case .items(let some) = last?.answer { items += some }
        }
        guard let last else { throw Self.unexpected }
        guard case .items = last.answer else { return last }
        return OperationResult(.items(items), explanation: last.explanation)
    }

    package func performTogether(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        onBehalfOf program: String?
    ) throws(KeychainError) -> [OperationOutcome] {
        let operations = operations.map(absences.observed)
        let request = allOrNothing ? Request.transaction(operations) : .batch(operations)
        var outcomes: [OperationOutcome] = []
        for part in try parts(request.onBehalf(of: program)) {
            switch part {
            case .batch(let some): outcomes += some
            case .outcome(.failure(let error)): throw reported(error)
            default: throw Self.unexpected
            }
        }
        guard outcomes.count == operations.count else { throw Self.unexpected }
        absences.note(outcomes)
        return outcomes.map { $0.mapError(reported) }
    }

    /// The identity that the service gives this program.
    package func identity() throws(KeychainError) -> ServiceIdentity {
        guard case .identity(let identity) = try parts(.identity).last else { throw Self.unexpected }
        return identity
    }

    /// What the service says of itself.
    package func status() throws(KeychainError) -> ServiceStatus {
        guard case .status(let status) = try parts(.status).last else { throw Self.unexpected }
        return status
    }

    package var isHeldByService: Bool { true }

    /// Watches over a connection of its own.
    package func watch(_ body: (KeychainEvent) throws(KeychainError) -> Bool) throws(KeychainError) {
        try pool.newChannel().watch(body)
    }

    package func closeBeforeFork() {
        pool.closeAll()
    }

    // MARK: - Round trips

    /// The parts of a response.
    ///
    /// What was surely not done is asked once more, and what changes nothing as well.
    ///
    /// - Parameter context: whose connection it goes over; nil for any.
    func parts(
        _ request: Request,
        context: ServiceContext? = nil
    ) throws(KeychainError) -> [Response.Body] {
        let isRepeatable = request.traits.isRepeatable
        return try ForkGuard.holdingOffForks { () throws(KeychainError) in
            let deadline = Deadline(deadlines.request)
            do throws(Channel.Failure) {
                return try attempt(request, by: deadline, context)
            } catch {
                switch error {
                case .notSent where !deadline.hasPassed, .unknown where isRepeatable && !deadline.hasPassed: break
                default: throw failed(error, isRepeatable: isRepeatable)
                }
            }
            do throws(Channel.Failure) {
                return try attempt(request, by: deadline, context)
            } catch {
                throw failed(error, isRepeatable: isRepeatable)
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

    func failed(_ failure: Channel.Failure, isRepeatable: Bool) -> KeychainError {
        switch failure {
        case .notSent(let error), .refused(let error): reported(error)
        case .unknown(let error) where isRepeatable: reported(error)
        case .unknown(let error):
            reported(KeychainError(.notAvailable, "\(error.message); whether the change was made is not known"))
        }
    }

    private func reported(_ error: KeychainError) -> KeychainError {
        failures.report(error)
        return error
    }

    package static let unexpected = OperationResult.unexpected
}

extension Request {
    fileprivate func onBehalf(of program: String?) -> Request {
        program.map { .onBehalf(of: $0, self) } ?? self
    }
}

extension OperationOutcome {
    /// - Throws: why what was asked for is not done.
    func requireDone() throws(KeychainError) {
        guard case .count = try get().answer else { throw OperationResult.unexpected }
    }
}

extension ItemAuthentication {
    /// Says where the person is, with each call that may cause a prompt.
    mutating func tellTerminal() {
        guard ui == .allow, let terminal = PromptTerminal.ofThisProcess else { return }
        prompt.terminal = terminal
    }
}

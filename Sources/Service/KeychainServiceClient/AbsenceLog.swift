package import KeychainModel
package import Logging

/// Logs why a query matched nothing, if `CHATELAINE_LOG=debug` asks for it: that costs several searches.
package struct AbsenceLog: Sendable {
    private let log: Logger

    package init(log: Logger) {
        self.log = log
    }

    /// The operation, asking for an explanation if that is wanted.
    package func observed(_ operation: KeychainOperation) -> KeychainOperation {
        guard log.logLevel <= .debug, operation.query != nil else { return operation }
        var asking = operation
        asking.query?.wantsExplanation = true
        return asking
    }

    package func note(_ outcomes: [OperationOutcome]) {
        for case .success(let result) in outcomes { note(result) }
    }

    package func note(_ result: OperationResult) {
        for sentence in result.explanation { log.debug("\(sentence)") }
    }
}

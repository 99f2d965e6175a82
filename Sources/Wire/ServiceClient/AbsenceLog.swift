package import KeychainModel
package import Logging

/// Logs why a query matched nothing, if `CHATELAINE_LOG=debug` asks for it: that costs several searches.
package struct AbsenceLog: Sendable {
    let log: Logger

    package init(log: Logger) {
        self.log = log
    }

    /// Does an operation, and has it explained if that is wanted.
    package func perform(
        _ operation: KeychainOperation,
        _ body: (KeychainOperation) throws(KeychainError) -> OperationResult
    ) throws(KeychainError) -> OperationResult {
        guard log.logLevel <= .debug, var query = operation.query else { return try body(operation) }
        query.wantsExplanation = true
        var asking = operation
        asking.query = query
        let result = try body(asking)
        for sentence in result.explanation { log.debug("\(sentence)") }
        return result
    }
}

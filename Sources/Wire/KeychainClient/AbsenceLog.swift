import KeychainModel
import Logging

/// Tells whoever asks for it by `CHATELAINE_LOG=debug` why a query matched nothing: that costs several searches.
struct AbsenceLog: Sendable {
    let log: Logger

    private var isWanted: Bool { log.logLevel <= .debug }

    /// The operation, which asks for an explanation if one is wanted.
    func asking(_ operation: KeychainOperation) -> KeychainOperation {
        guard isWanted, var query = operation.query else { return operation }
        query.wantsExplanation = true
        var asking = operation
        asking.query = query
        return asking
    }

    func tell(_ explanation: [String]) {
        guard isWanted else { return }
        for sentence in explanation { log.debug("\(sentence)") }
    }
}

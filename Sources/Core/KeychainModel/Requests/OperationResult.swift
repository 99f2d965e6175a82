/// What an operation that did not fail came to.
package struct OperationResult: Sendable {
    package enum Answer: Sendable {
        /// Of an add or a search; an add has at most one.
        case items([FoundItem])
        /// How many items an update or a deletion matched.
        case count(Int)
        /// A new private key.
        case key(EnclaveKey)
        /// What a private key has computed.
        case secret(SecretBytes)
    }

    package let answer: Answer
    /// Why nothing matched, in sentences for a log, where the query asked for that.
    package var explanation: [String]
    /// The rows that were found, written or removed, for the audit log. They go over no wire.
    package let rows: [AffectedRow]

    package init(_ answer: Answer, explanation: [String] = [], rows: [AffectedRow] = []) {
        self.answer = answer
        self.explanation = explanation
        self.rows = rows
    }

    /// Whether it was a question for items, and none matched.
    package var isEmpty: Bool {
        switch answer {
        case .items(let items): items.isEmpty
        case .count(let count): count == 0
        case .key, .secret: false
        }
    }
}

package typealias OperationOutcome = Result<OperationResult, KeychainError>

/// As much of a row as a record may name: neither account nor service.
package struct AffectedRow: Sendable, Equatable {
    package let uuid: ItemUUID
    package let itemClass: ItemClass
    package let accessGroup: String
    package let isSynchronizable: Bool

    package init(uuid: ItemUUID, itemClass: ItemClass, accessGroup: String, isSynchronizable: Bool = false) {
        self.uuid = uuid
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.isSynchronizable = isSynchronizable
    }
}

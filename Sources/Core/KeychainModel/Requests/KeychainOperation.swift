/// One of the four calls, or what is asked of the enclave's private keys, as a value.
package enum ItemOperation: Sendable {
    case add(AddRequest)
    case find(FindRequest)
    case update(UpdateRequest)
    case delete(DeleteRequest)
    case makeKey(MakeKeyRequest)
    case useKey(UseKeyRequest)
}

/// What came of an operation that did not fail.
package struct OperationResult: Sendable {
    package enum Answer: Sendable {
        /// Of an add or a search; an add has at most one.
        case items([FoundItem])
        /// How many items an update or a deletion matched.
        case count(Int)
        /// A new private key.
        case key(EnclaveKey)
        /// What a private key has done.
        case secret(SecretBytes)
    }

    package let answer: Answer
    /// The rows that were found, written or removed, for the record of who did what.
    package let rows: [AffectedRow]

    package init(answer: Answer, rows: [AffectedRow]) {
        self.answer = answer
        self.rows = rows
    }
}

/// As much of a row as a record may name: neither account nor service.
package struct AffectedRow: Sendable, Equatable {
    package let uuid: ItemUUID
    package let itemClass: ItemClass
    package let accessGroup: String

    package init(uuid: ItemUUID, itemClass: ItemClass, accessGroup: String) {
        self.uuid = uuid
        self.itemClass = itemClass
        self.accessGroup = accessGroup
    }
}

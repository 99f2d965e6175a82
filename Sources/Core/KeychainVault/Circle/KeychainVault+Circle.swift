package import KeychainModel
package import KeychainPolicy

/// A synchronizable row as the circle of its owner's devices takes it.
package enum SharedRow: Sendable {
    case item(BackupItem)
    /// Of an item that was deleted: its primary key.
    case tombstone(accessGroup: String, attributes: AttributeList)
    /// An item that is for this device alone, with its primary key.
    case stays(accessGroup: String, attributes: AttributeList)
    case locked
    case damaged
}

extension KeychainVault {
    /// Opens rows, with one question to the enclave for all of them.
    ///
    /// - Returns: one for each, in their order.
    package func open(
        _ rows: [SealedRow],
        for authorization: AuthorizedSynchronization
    ) throws(KeychainError) -> [SharedRow] {
        var opened: [SharedRow] = []
        var toOpen: [(index: Int, item: OpenedItem)] = []
        for row in rows {
            do throws(KeychainError) {
                let item = try openAttributes(of: row)
                let isShared = authorization.shares(
                    row.itemClass,
                    accessGroup: row.accessGroup,
                    isSynchronizable: row.isSynchronizable,
                    protection: (item.accessibility, item.accessControl),
                    attributes: item.attributes
                )
                if row.isTombstone {
                    opened.append(.tombstone(accessGroup: row.accessGroup, attributes: item.attributes))
                } else if isShared {
                    toOpen.append((opened.count, item))
                    // Until its secret is open.
                    opened.append(.damaged)
                } else {
                    opened.append(.stays(accessGroup: row.accessGroup, attributes: item.attributes))
                }
            } catch {
                switch error.code {
                case .undecodable: opened.append(.damaged)
                case .interactionNotAllowed: opened.append(.locked)
                default: throw error
                }
            }
        }
        do throws(KeychainError) {
            for (place, secrets) in zip(toOpen, try openSecrets(ofAll: toOpen.map(\.item))) {
                if let secrets { opened[place.index] = .item(BackupItem(place.item, secrets: secrets)) }
            }
        } catch {
            // It was locked meanwhile.
            guard error.code == .interactionNotAllowed else { throw error }
            for place in toOpen { opened[place.index] = .locked }
        }
        return opened
    }
}

package import KeychainModel

/// An item whose attributes are open and belong to its row: only the vault makes it.
package struct OpenedItem: Sendable {
    /// The row that it was opened from.
    package let row: SealedRow
    /// The sealed attributes.
    package let attributes: AttributeList
    package let accessibility: Accessibility
    package let accessControl: AccessControl

    init(row: SealedRow, attributes: AttributeList, accessibility: Accessibility, accessControl: AccessControl) {
        self.row = row
        self.attributes = attributes
        self.accessibility = accessibility
        self.accessControl = accessControl
    }

    package var reference: PersistentReference {
        PersistentReference(itemClass: row.itemClass, uuid: row.uuid)
    }

    /// All attributes as a caller knows them, with those that stand in clear columns.
    package var allAttributes: AttributeList {
        var attributes = attributes
        attributes[.accessGroup] = .string(row.accessGroup)
        attributes[.accessible] = .string(accessibility.rawValue)
        attributes[.synchronizable] = .integer(row.isSynchronizable ? 1 : 0)
        attributes[.tombstone] = .integer(row.isTombstone ? 1 : 0)
        return attributes
    }
}

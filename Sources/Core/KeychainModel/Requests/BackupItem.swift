/// An item as a backup holds it, open: all that it takes to make the same item again.
package struct BackupItem: Sendable {
    package let itemClass: ItemClass
    /// Of the item, for its life: persistent references survive.
    package let uuid: ItemUUID
    package let accessGroup: String
    package let accessibility: Accessibility
    package let accessControl: AccessControl
    package let isSynchronizable: Bool
    /// With both dates, and without what has a place above.
    package let attributes: AttributeList
    package let secrets: [AttributeKey: SecretBytes]

    package init(
        itemClass: ItemClass,
        uuid: ItemUUID,
        accessGroup: String,
        accessibility: Accessibility,
        accessControl: AccessControl,
        isSynchronizable: Bool,
        attributes: AttributeList,
        secrets: [AttributeKey: SecretBytes]
    ) {
        self.itemClass = itemClass
        self.uuid = uuid
        self.accessGroup = accessGroup
        self.accessibility = accessibility
        self.accessControl = accessControl
        self.isSynchronizable = isSynchronizable
        self.attributes = attributes
        self.secrets = secrets
    }

    /// What a person calls it.
    package var title: String { attributes.title }
}

extension AttributeList {
    /// What a person calls an item: its label, or where it is for, and the account.
    package var title: String {
        let place: [AttributeKey] = [.label, .server, .service, .applicationTag]
        let parts = [place.lazy.compactMap(text).first, text(.account)].compactMap { $0 }
        return parts.joined(separator: ", ")
    }

    private func text(_ key: AttributeKey) -> String? {
        switch self[key] {
        case .string(let text) where !text.isEmpty: text
        case .data(let bytes) where !bytes.isEmpty: String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }
}

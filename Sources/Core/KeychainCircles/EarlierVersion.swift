package import KeychainModel

/// An earlier version of a shared item, without its secret.
package struct EarlierVersion: Equatable, Sendable {
    package enum Reason: Sendable, CaseIterable {
        case replaced
        case deleted
        /// Another device's change won.
        case lost
    }

    /// What names it, for as long as it is kept.
    package let number: Int64
    package let itemClass: ItemClass
    /// Of the item; the same in all its versions.
    package let uuid: ItemUUID
    package let accessGroup: String
    package let title: String
    package let reason: Reason
    /// When it became an earlier one, in milliseconds since 1970.
    package let time: Int64
    /// Whether the item, in another version, is there now.
    package let isThere: Bool

    package init(
        number: Int64,
        itemClass: ItemClass,
        uuid: ItemUUID,
        accessGroup: String,
        title: String,
        reason: Reason,
        time: Int64,
        isThere: Bool
    ) {
        self.number = number
        self.itemClass = itemClass
        self.uuid = uuid
        self.accessGroup = accessGroup
        self.title = title
        self.reason = reason
        self.time = time
        self.isThere = isThere
    }
}

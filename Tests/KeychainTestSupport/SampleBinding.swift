package import EnclaveInterface
package import KeychainModel

extension ItemBinding {
    /// What the key of a generic password is bound to.
    package static func sample(
        _ accessibility: Accessibility = .whenUnlocked,
        of uuid: ItemUUID = ItemUUID(),
        group: String = "TEAM.a",
        guardedBy control: AccessControl? = nil
    ) -> ItemBinding {
        ItemBinding(
            itemClass: .genericPassword,
            uuid: uuid,
            version: ItemUUID().bytes,
            accessGroup: group,
            accessibility: accessibility.code,
            isSynchronizable: false,
            isTombstone: false,
            accessControl: control?.serialized ?? []
        )
    }
}

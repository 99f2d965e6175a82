import EnclaveInterface
import KeychainModel

/// What stands before the content of a box: demands that are bound into it, so that one that was edited opens nothing.
struct GuardedBox {
    let binding: ItemBinding
    let demand: PresenceDemand
    let needsPassword: Bool
    let needsCurrentBiometry: Bool

    var item: GuardedItem { GuardedItem(binding.uuid, in: binding.accessGroup) }

    /// Of an item's key, which is asked for where the item's value is.
    ///
    /// - Throws: `undecodable` for an access control that is not understood, which is not waived.
    init(valueOf binding: ItemBinding) throws(KeychainError) {
        let control = try binding.control()
        self.binding = binding
        demand = control.demand
        needsPassword = control.needsApplicationPassword
        needsCurrentBiometry = control.needsCurrentBiometry
    }

    /// Of a private key, which is asked for where it is to do something.
    init(useOf key: EnclaveKey.Header) {
        binding = ItemBinding(key)
        demand = key.accessControl.keyUseDemand
        needsPassword = key.accessControl.keyUseNeedsApplicationPassword
        needsCurrentBiometry = key.accessControl.keyUseNeedsCurrentBiometry
    }
}

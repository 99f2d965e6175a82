import Crypto
import KeychainModel

extension LocalEnclave {
    /// An enclave of known keys without a passcode, locked for the classes that are not given: what fuzzers and tests need
    /// to seal and open beside it. It makes no sense of its keybag.
    convenience init(
        uncheckedKeychain keychain: ItemUUID,
        classKeys: [Accessibility: SymmetricKey],
        indexKey: SymmetricKey
    ) throws(KeychainError) {
        let deviceKey = DeviceKey()
        var keybag = Keybag(keychain: keychain, uuid: ItemUUID(), generation: 1)
        let keys = Keybag.WrappingKeys(deviceKey.key, keybag: keybag.uuid)
        try keybag.wrap(Keybag.Named(purpose: .index, madeIn: 1, key: indexKey), under: keys)
        for accessibility in Keybag.classes(withPasscode: false) {
            let key = classKeys[accessibility] ?? SymmetricKey(size: .bits256)
            try keybag.wrap(Keybag.Named(purpose: .accessibility(accessibility), madeIn: 1, key: key), under: keys)
        }
        try self.init(keybag, under: deviceKey)
        try locking.withState { (state) throws(KeychainError) in
            state.keys.keep { accessibility, _ in classKeys[accessibility] != nil }
        }
    }
}

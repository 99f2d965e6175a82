import Crypto
package import KeychainModel

/// The circle's name key: it makes names of items that say nothing to a transport.
package struct NameKey: Sendable {
    package let secret: SecretBytes

    /// Opens the name key that an epoch has.
    ///
    /// - Throws: `notOpened` for another key than the circle began with.
    package init(of epoch: EpochDescription, in circle: Circle, keys: some DeviceKeys) throws {
        let data = EpochDescription.nameKeyData(in: circle.id, epoch.id)
        secret = try keys.open(epoch.nameKey, for: .afterFirstUnlock, in: epoch.id, authenticating: data)
        guard Founding.commitment(to: secret) == circle.founding.nameKey else { throw SyncRefusal.notOpened }
    }

    package init(_ secret: SecretBytes) { self.secret = secret }

    /// - Parameter identity: an item's class and primary key, in their one encoding.
    package func name(of identity: [UInt8]) -> ItemName {
        let code = unsafe secret.withUnsafeBytes { key in
            HMAC<SHA256>.authenticationCode(for: identity, using: unsafe SymmetricKey(data: key))
        }
        return SyncHash(code) ?? .zero
    }
}

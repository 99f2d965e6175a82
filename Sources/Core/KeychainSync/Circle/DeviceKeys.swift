package import KeychainModel

/// The keys of one device: in an enclave, and in simulations in memory. The device's own keys and the secrets of epochs never
/// leave it.
package protocol DeviceKeys {
    /// ECDSA over P-256, of the statement's digest: 64 bytes, r and s.
    ///
    /// - Throws: `noPermission` for what the owner has not allowed.
    func sign(_ statement: SyncStatement) throws(KeychainError) -> [UInt8]

    /// Takes note of an entry that the circle has taken in. Each comes after its parents.
    func note(_ entry: Entry) throws(KeychainError)

    /// Begins an epoch and keeps its secret.
    ///
    /// - Throws: `interactionNotAllowed` while the device is locked, `noPermission` for a card of somebody whom the owner, or another
    ///   member, has not added.
    /// - Parameters:
    ///   - cards: of all members.
    ///   - earlier: whose secrets are sealed under the new one, if this device has them.
    func beginEpoch(for cards: [DeviceCard], earlier: Set<EpochID>, in circle: CircleID) throws(KeychainError)
        -> EpochSecrets

    /// Wraps the secrets of epochs for a newcomer.
    ///
    /// - Throws: `interactionNotAllowed` while the device is locked, `itemNotFound` for an epoch whose secret this device does not have.
    func wrap(_ epochs: [EpochID], for card: DeviceCard, in circle: CircleID) throws(KeychainError) -> [EpochWrap]

    /// Keeps the secrets of which an entry has a wrap for this device, and what is sealed under them. What was made for others,
    /// or to deceive, is left alone.
    ///
    /// - Returns: the epochs of this entry whose secrets this device has now.
    /// - Throws: `interactionNotAllowed` where there may be new ones, and the device is locked.
    func unwrap(_ secrets: EpochSecrets, in circle: CircleID) throws(KeychainError) -> Set<EpochID>

    /// HMAC-SHA-256 of a digest, under a key that is derived from an epoch's secret.
    ///
    /// - Throws: `itemNotFound` for an epoch whose secret this device does not have.
    func code(of digest: SyncHash, in epoch: EpochID) throws(KeychainError) -> SyncHash

    /// Seals contents of a segment.
    ///
    /// - Throws: `interactionNotAllowed` while the tier's key is locked away, `itemNotFound` for an epoch whose secret this
    ///   device does not have.
    func seal(_ contents: SecretBytes, for tier: SyncTier, in epoch: EpochID, authenticating data: [UInt8])
        throws(KeychainError) -> SealedBox

    /// - Throws: the same, and `authenticationFailed` for bytes that were not sealed so.
    func open(_ box: SealedBox, for tier: SyncTier, in epoch: EpochID, authenticating data: [UInt8])
        throws(KeychainError) -> SecretBytes
}

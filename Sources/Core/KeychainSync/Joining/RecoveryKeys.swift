import Crypto
package import KeychainModel

/// The keys of a recovery key, for as long as somebody has typed it. It adds a device, and does nothing else.
package final class RecoveryKeys: DeviceKeys {
    private let key: RecoveryKey
    private var secrets: [EpochID: EpochSecret] = [:]

    package init(_ key: RecoveryKey) {
        self.key = key
    }

    package func sign(_ statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        do {
            return Array(try key.signing.signature(for: statement.digest.bytes).rawRepresentation)
        } catch {
            throw KeychainError(.internalError, "the recovery key does not sign")
        }
    }

    package func note(_ entry: Entry) {}

    package func beginEpoch(
        for cards: [DeviceCard],
        earlier: Set<EpochID>,
        in circle: CircleID
    ) throws(KeychainError) -> EpochSecrets { throw Self.unused }

    package func wrap(
        _ epochs: [EpochID],
        for card: DeviceCard,
        in circle: CircleID
    ) throws(KeychainError) -> [EpochWrap] {
        var wraps: [EpochWrap] = []
        for epoch in epochs {
            guard let secret = secrets[epoch], let wrap = try? secret.wrap(for: card, in: circle) else {
                throw Self.unknown
            }
            wraps.append(wrap)
        }
        return wraps
    }

    package func unwrap(_ secrets: EpochSecrets, in circle: CircleID) throws(KeychainError) -> Set<EpochID> {
        for wrap in secrets.wraps where wrap.recipient == key.card.id {
            keep(try? EpochSecret(wrap, with: key.sealing, in: circle))
        }
        if let epoch = secrets.wraps.first?.epoch, let later = self.secrets[epoch] {
            for earlier in secrets.earlier { keep(try? later.open(earlier)) }
        }
        let named = Set(secrets.wraps.map(\.epoch) + secrets.earlier.map(\.epoch))
        return named.filter { self.secrets[$0] != nil }
    }

    private func keep(_ secret: EpochSecret?) {
        if let secret { secrets[secret.id] = secret }
    }

    package func code(of digest: SyncHash, in epoch: EpochID) throws(KeychainError) -> SyncHash { throw Self.unused }

    package func seal(
        _ contents: SecretBytes,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SealedBox { throw Self.unused }

    package func open(
        _ box: SealedBox,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SecretBytes { throw Self.unused }

    private static let unused = KeychainError(.unimplemented, "a recovery key adds devices, and does nothing else")
    private static let unknown = KeychainError(.itemNotFound, "the recovery key was not given that epoch's secret")
}

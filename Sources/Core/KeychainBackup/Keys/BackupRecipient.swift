import Crypto
import Foundation
package import KeychainModel

/// How the file key is sealed to somebody: HPKE (RFC 9180), with the ciphers of `docs/formats/backup.md`. The numbers stand in files.
package enum BackupScheme: UInt8, Sendable, CaseIterable {
    /// What earlier versions made. A file that is kept for decades may be opened by a quantum computer then.
    case x25519 = 1
    /// ML-KEM-768 and X25519 together: both have to be broken.
    case xWing = 2

    package var publicKeySize: Int {
        switch self {
        case .x25519: 32
        case .xWing: 1_216
        }
    }

    /// Of HPKE's encapsulated key.
    var encapsulationSize: Int {
        switch self {
        case .x25519: 32
        case .xWing: 1_120
        }
    }
}

/// Whom a backup is for: a public key, and what its holder has put beside it.
///
/// A passphrase is a recipient too: the stanza is then the private key, wrapped under the passphrase. Whoever writes
/// the backup need not look into it.
package struct BackupRecipient: Sendable, Equatable {
    package let scheme: BackupScheme
    /// Of the scheme's size.
    package let publicKey: [UInt8]
    /// Empty for a key that its holder keeps; see `PassphraseStanza`.
    package let stanza: [UInt8]

    package static let largestStanza = 256
    /// Of one backup.
    package static let most = 32

    /// - Parameter publicKey: its size tells the scheme.
    /// - Returns: nil for what cannot be a recipient.
    package init?(publicKey: [UInt8], stanza: [UInt8] = []) {
        guard let scheme = BackupScheme.allCases.first(where: { $0.publicKeySize == publicKey.count }),
            stanza.count <= Self.largestStanza
        else { return nil }
        self.scheme = scheme
        self.publicKey = publicKey
        self.stanza = stanza
    }
}

/// The file key as it stands in a backup's header: once for each recipient.
package struct WrappedFileKey: Sendable, Equatable {
    package let recipient: BackupRecipient
    /// HPKE's encapsulated key, of the scheme's size.
    let encapsulatedKey: [UInt8]
    /// The file key, sealed: 48 bytes.
    let box: [UInt8]

    static let boxSize = 32 + 16
}

/// The random key of one backup, from which all others are derived.
package struct FileKey: Sendable {
    let key: SymmetricKey

    init(_ key: SymmetricKey) {
        self.key = key
    }

    /// A new one.
    package init() {
        key = SymmetricKey(size: .bits256)
    }

    /// As it travels from the one who may open a backup to the one who restores it.
    ///
    /// - Returns: nil unless there are 32 bytes.
    package init?(_ bytes: SecretBytes) {
        guard bytes.count == Self.size else { return nil }
        key = unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    package static let size = 32

    package var bytes: SecretBytes { unsafe key.withUnsafeBytes { unsafe SecretBytes($0) } }

    /// Authenticates the header. It also commits: no second file key fits the same header.
    func headerKey(of backup: ItemUUID) -> SymmetricKey { derive("chatelaine backup header 1", backup) }

    /// Seals the body.
    func bodyKey(of backup: ItemUUID) -> SymmetricKey { derive("chatelaine backup body 1", backup) }

    private func derive(_ purpose: String, _ backup: ItemUUID) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: backup.bytes,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }

    // MARK: - Wrapping

    // RFC 9180, base mode: it says nothing of who sealed, which is why backups are signed.
    private static func suite(_ scheme: BackupScheme) -> HPKE.Ciphersuite {
        switch scheme {
        case .x25519: .Curve25519_SHA256_ChachaPoly
        case .xWing: .XWingMLKEM768X25519_SHA256_AES_GCM_256
        }
    }

    private static func info(_ scheme: BackupScheme, _ backup: ItemUUID) -> Data {
        Data("chatelaine backup file key \(scheme.rawValue)".utf8) + backup.bytes
    }

    /// - Throws: `invalidParameter` for a public key that is none.
    func wrap(for recipient: BackupRecipient, backup: ItemUUID) throws(BackupFailure) -> WrappedFileKey {
        do {
            var sender = try Self.sender(to: recipient, backup)
            let box = try unsafe self.key.withUnsafeBytes { bytes in
                try unsafe sender.seal(Data(bytes), authenticating: Data(recipient.stanza))
            }
            return WrappedFileKey(recipient: recipient, encapsulatedKey: Array(sender.encapsulatedKey), box: Array(box))
        } catch {
            throw .failed(KeychainError(.invalidParameter, "nothing can be sealed to a recipient's public key"))
        }
    }

    private static func sender(to recipient: BackupRecipient, _ backup: ItemUUID) throws -> HPKE.Sender {
        let (suite, info) = (suite(recipient.scheme), info(recipient.scheme, backup))
        switch recipient.scheme {
        case .x25519:
            let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.publicKey)
            try requireContribution(key)
            return try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
        case .xWing:
            // Bytes that are no key may be taken here: sealing fails then.
            let key = try XWingMLKEM768X25519.PublicKey(rawRepresentation: recipient.publicKey)
            return try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
        }
    }

    /// A point of low order gives every sender the same shared secret, so any reader can open what is sealed to it: RFC
    /// 9180, section 7.1.4, has that refused.
    private static func requireContribution(_ key: Curve25519.KeyAgreement.PublicKey) throws {
        let secret = try Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: key)
        guard unsafe secret.withUnsafeBytes({ unsafe $0.contains { $0 != 0 } }) else {
            throw CryptoKitError.incorrectParameterSize
        }
    }

    /// - Returns: nil where the key is another's, or what it would open is not as it was sealed.
    init?(_ wrapped: WrappedFileKey, identity: BackupIdentity, backup: ItemUUID) {
        guard identity.publicKey == wrapped.recipient.publicKey,
            var recipient = try? Self.recipient(wrapped, identity, backup),
            let bytes = try? recipient.open(Data(wrapped.box), authenticating: Data(wrapped.recipient.stanza)),
            bytes.count == Self.size
        else { return nil }
        key = SymmetricKey(data: bytes)
    }
    private static func recipient(
        _ wrapped: WrappedFileKey,
        _ identity: BackupIdentity,
        _ backup: ItemUUID
    ) throws -> HPKE.Recipient {
        let scheme = identity.scheme
        let (suite, info, encapsulated) = (suite(scheme), info(scheme, backup), Data(wrapped.encapsulatedKey))
        switch identity.key {
        case .x25519(let key):
            return try HPKE.Recipient(privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: encapsulated)
        case .xWing(let key):
            return try HPKE.Recipient(privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: encapsulated)
        }
    }
}

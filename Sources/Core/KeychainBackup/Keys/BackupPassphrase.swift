import Crypto
import CryptoExtras
import EnclaveInterface
import Foundation
package import KeychainModel

/// A passphrase for a backup, in the one spelling that all ways to type it have: that of a passcode.
package struct BackupPassphrase: Sendable {
    fileprivate let bytes: SecretBytes

    /// - Throws: `invalidParameter` for one that is empty, of more than 1,024 bytes, or has characters that none may
    ///   have.
    package init(_ typed: SecretBytes) throws(KeychainError) {
        bytes = try Passcode(typed).bytes
    }
}

/// A private key under a passphrase, as it stands beside its public key in a backup's header.
///
/// A byte that says what it is, the logarithm of scrypt's N, 16 bytes of salt, and the key sealed: nonce, 32 bytes,
/// tag. r is 8 and p is 1.
enum PassphraseStanza {
    private static let kind: UInt8 = 1
    private static let saltSize = 16
    private static let boxSize = 12 + 32 + 16
    private static let size = 1 + 1 + saltSize + boxSize
    private static let blockSize = 8

    /// What is written: 128 MiB and about half a second.
    static let cost: UInt8 = 17
    /// The limits of what is read. The file may come from any person: without limits it could fill the reader's memory.
    private static let costs: ClosedRange<UInt8> = 10...18

    static func seal(
        _ identity: BackupIdentity,
        under passphrase: BackupPassphrase,
        cost: UInt8
    ) throws(BackupFailure) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<saltSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let start = [kind, cost] + salt
        let key = try key(passphrase, salt: salt, cost: cost)
        do {
            let box = try unsafe identity.bytes.withUnsafeBytes { bytes in
                try unsafe AES.GCM.seal(bytes, using: key, authenticating: start)
            }
            return start + Array(box.nonce) + box.ciphertext + box.tag
        } catch {
            throw .failed(KeychainError(.internalError, "the cipher failed"))
        }
    }

    /// - Returns: nil where the stanza is none, or is not the public key's.
    /// - Throws: `wrongPassphrase`; `damaged` for parameters that no version writes.
    static func open(
        _ recipient: BackupRecipient,
        with passphrase: BackupPassphrase
    ) throws(BackupFailure) -> BackupIdentity? {
        let stanza = recipient.stanza
        guard stanza.first == kind else { return nil }
        guard stanza.count == size, costs.contains(stanza[1]) else { throw .damaged }
        let start = Array(stanza.prefix(2 + saltSize))
        let key = try key(passphrase, salt: Array(start.dropFirst(2)), cost: stanza[1])
        guard let box = try? AES.GCM.SealedBox(combined: stanza.dropFirst(start.count)),
            var bytes = try? AES.GCM.open(box, using: key, authenticating: start)
        else { throw .wrongPassphrase }
        defer { bytes.resetBytes(in: 0..<bytes.count) }
        guard let identity = BackupIdentity(SecretBytes(bytes), recipient.scheme),
            identity.publicKey == recipient.publicKey
        else {
            throw .damaged
        }
        return identity
    }

    private static func key(
        _ passphrase: BackupPassphrase,
        salt: [UInt8],
        cost: UInt8
    ) throws(BackupFailure) -> SymmetricKey {
        do {
            return try unsafe passphrase.bytes.withUnsafeBytes { bytes in
                try unsafe KDF.Scrypt.deriveKey(
                    from: bytes,
                    salt: salt,
                    outputByteCount: 32,
                    rounds: 1 << Int(cost),
                    blockSize: blockSize,
                    parallelism: 1
                )
            }
        } catch {
            throw .failed(KeychainError(.outOfMemory, "there is not enough memory for the passphrase's derivation"))
        }
    }
}

extension BackupRecipient {
    /// A key that a passphrase opens.
    package init(passphrase: BackupPassphrase) throws(BackupFailure) {
        try self.init(passphrase: passphrase, uncheckedCost: PassphraseStanza.cost)
    }

    /// Unchecked, since a lower cost makes guessing cheap: tests alone have a reason for one.
    package init(passphrase: BackupPassphrase, uncheckedCost cost: UInt8) throws(BackupFailure) {
        let identity = try BackupIdentity()
        let stanza = try PassphraseStanza.seal(identity, under: passphrase, cost: cost)
        guard let recipient = BackupRecipient(publicKey: identity.publicKey, stanza: stanza) else {
            throw .failed(KeychainError(.internalError, "a passphrase made no recipient"))
        }
        self = recipient
    }
}

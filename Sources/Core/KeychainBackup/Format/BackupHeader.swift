import Crypto
import Foundation
package import KeychainModel

/// The beginning of a backup, as it stands in the file. Any person can write one: nothing in it is to be believed
/// before it has been opened.
///
/// `docs/formats/backup.md` gives every byte.
package struct BackupHeader: Sendable {
    package let backup: ItemUUID
    /// In seconds since 2001-01-01.
    package let creationDate: Double
    /// The P-256 public key (X9.63) of the device that is said to have made it.
    package let signer: [UInt8]
    package let keys: [WrappedFileKey]
    /// All bytes up to the code.
    fileprivate let bytes: [UInt8]
    fileprivate let code: [UInt8]

    static let magic = Array("CHBACKUP".utf8)
    /// The first version had X25519 alone, and does not say so.
    static let version: UInt8 = 2
    static let signerSize = 65
    private static let checkSize = 8
    private static let prefixSize = magic.count + 1 + 4 + checkSize
    private static let codeSize = 32
    private static let digestSize = 32
    private static let largest = 128 << 10

    // MARK: - Writing

    /// - Throws: `invalidParameter` for recipients that cannot be.
    init(
        backup: ItemUUID,
        creationDate: Double,
        signer: [UInt8],
        recipients: [BackupRecipient],
        fileKey: FileKey
    ) throws(BackupFailure) {
        guard !recipients.isEmpty, recipients.count <= BackupRecipient.most, signer.count == Self.signerSize else {
            throw .failed(
                KeychainError(.invalidParameter, "a backup has between 1 and \(BackupRecipient.most) recipients")
            )
        }
        self.backup = backup
        self.creationDate = creationDate
        self.signer = signer
        keys = try recipients.map { (recipient) throws(BackupFailure) in
            try fileKey.wrap(for: recipient, backup: backup)
        }
        var body = backup.bytes
        body.append(number: creationDate.bitPattern)
        body += signer
        body.append(UInt8(truncatingIfNeeded: keys.count))
        for key in keys {
            body.append(key.recipient.scheme.rawValue)
            body += key.recipient.publicKey + key.encapsulatedKey + key.box
            body.append(number: UInt16(truncatingIfNeeded: key.recipient.stanza.count))
            body += key.recipient.stanza
        }
        var bytes = Self.magic + [Self.version]
        bytes.append(number: UInt32(truncatingIfNeeded: body.count))
        bytes += SHA256.hash(data: bytes).prefix(Self.checkSize)
        bytes += body
        bytes += SHA256.hash(data: bytes)
        self.bytes = bytes
        code = Self.code(of: bytes, key: fileKey.headerKey(of: backup))
    }

    /// The whole header.
    var encoded: [UInt8] { bytes + code }

    private static func code(of bytes: [UInt8], key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    // MARK: - Reading

    /// - Throws: `notABackup`, `newerVersion`, `truncated`, `damaged`.
    package init(from source: @escaping BackupSource) throws(BackupFailure) {
        var source = DigestingSource(source)
        try self.init(&source)
    }

    init(_ source: inout DigestingSource) throws(BackupFailure) {
        let magic = try source.take(Self.magic.count)
        guard magic == Self.magic else { throw .notABackup }
        let rest = try source.take(Self.prefixSize - magic.count)
        let prefix = magic + rest
        let checked = prefix.dropLast(Self.checkSize)
        guard Array(SHA256.hash(data: checked).prefix(Self.checkSize)) == prefix.suffix(Self.checkSize) else {
            throw .damaged
        }
        guard (1...Self.version).contains(rest[0]) else { throw .newerVersion }
        let length = Int(rest[1..<5].bigEndian)
        guard length <= Self.largest else { throw .damaged }
        let body = try source.take(length)
        let digest = try source.take(Self.digestSize)
        // No secret is in it, so that a changed byte is told from a wrong passphrase. An attacker who changes bytes
        // changes it too: the code below is what stops them.
        guard Array(SHA256.hash(data: prefix + body)) == digest else { throw .damaged }
        code = try source.take(Self.codeSize)
        bytes = prefix + body + digest
        guard let contents = Self.contents(body, version: rest[0]) else { throw .damaged }
        (backup, creationDate, signer, keys) = contents
    }

    private typealias Contents = (backup: ItemUUID, creationDate: Double, signer: [UInt8], keys: [WrappedFileKey])

    private static func contents(_ body: [UInt8], version: UInt8) -> Contents? {
        unsafe body.withUnsafeBytes { (bytes) -> Contents? in
            var reader = unsafe ByteReader(bytes)
            guard let uuid = reader.bytes(16).flatMap({ ItemUUID($0) }), let date = reader.bigEndian(8),
                let signer = reader.bytes(signerSize), let count = reader.byte(),
                (1...BackupRecipient.most).contains(Int(count))
            else { return nil }
            var keys: [WrappedFileKey] = []
            for _ in 0..<count {
                guard
                    let scheme = version == 1 ? .x25519 : reader.byte().flatMap({ BackupScheme(rawValue: $0) }),
                    let publicKey = reader.bytes(scheme.publicKeySize),
                    let encapsulatedKey = reader.bytes(scheme.encapsulationSize),
                    let box = reader.bytes(WrappedFileKey.boxSize),
                    let length = reader.bigEndian(2), let stanza = reader.bytes(Int(length)),
                    let recipient = BackupRecipient(publicKey: publicKey, stanza: stanza)
                else { return nil }
                keys.append(WrappedFileKey(recipient: recipient, encapsulatedKey: encapsulatedKey, box: box))
            }
            guard reader.isAtEnd else { return nil }
            return (uuid, Double(bitPattern: date), signer, keys)
        }
    }

    // MARK: - Opening

    /// - Throws: `wrongPassphrase`; `notForThisKey` where no recipient has one; `damaged`.
    package func fileKey(passphrase: BackupPassphrase) throws(BackupFailure) -> FileKey {
        var failure = BackupFailure.notForThisKey
        // A file that was made to take long would have many.
        for wrapped in keys.filter({ !$0.recipient.stanza.isEmpty }).prefix(Self.mostPassphrases) {
            do throws(BackupFailure) {
                guard let identity = try PassphraseStanza.open(wrapped.recipient, with: passphrase) else { continue }
                return try fileKey(wrapped, identity)
            } catch {
                failure = error
                guard error == .wrongPassphrase else { break }
            }
        }
        throw failure
    }

    private static let mostPassphrases = 4

    /// - Throws: `notForThisKey`; `damaged`.
    package func fileKey(identity: BackupIdentity) throws(BackupFailure) -> FileKey {
        for wrapped in keys where wrapped.recipient.publicKey == identity.publicKey {
            return try fileKey(wrapped, identity)
        }
        throw .notForThisKey
    }

    private func fileKey(_ wrapped: WrappedFileKey, _ identity: BackupIdentity) throws(BackupFailure) -> FileKey {
        guard let key = FileKey(wrapped, identity: identity, backup: backup) else { throw .damaged }
        try check(under: key)
        return key
    }

    /// - Throws: `damaged` where the holder of the file key did not write this header.
    func check(under key: FileKey) throws(BackupFailure) {
        let isAuthentic = HMAC<SHA256>.isValidAuthenticationCode(
            code,
            authenticating: bytes,
            using: key.headerKey(of: backup)
        )
        guard isAuthentic else { throw .damaged }
    }
}

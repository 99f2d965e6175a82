import Crypto
import KeychainModel

@testable import KeychainBackup

/// A backup in memory, with all that it was made of.
struct SampleBackup {
    static let passphrase = "correct horse"
    let signer = P256.Signing.PrivateKey()
    let identity: BackupIdentity
    let fileKey = FileKey()
    let deviceKey = SymmetricKey(size: .bits256)
    let backup = ItemUUID()
    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - items: by default two for any device and one for this one.
    ///   - pretended: whose backup the header says that it is, if not the signer's.
    init(
        _ items: [BackupItem] = [.password("a"), .password("b")],
        deviceItems: [BackupItem] = [.password("c", accessibility: .whenUnlockedThisDeviceOnly)],
        recipients: [BackupRecipient] = [],
        pretended: P256.Signing.PublicKey? = nil
    ) throws {
        identity = try BackupIdentity()
        let collected = Collected()
        let passphrase = try BackupRecipient(
            passphrase: .init(SecretBytes(Array(Self.passphrase.utf8))),
            uncheckedCost: 10
        )
        var writer = try BackupWriter(
            uncheckedBackup: backup,
            fileKey: fileKey,
            creationDate: 700_000_000,
            signer: Array((pretended ?? signer.publicKey).x963Representation),
            recipients: [identity.recipient, passphrase] + recipients,
            to: { bytes in collected.bytes += bytes }
        )
        for item in items { try writer.append(item) }
        for item in deviceItems { try writer.append(item, in: DeviceBox(key: deviceKey, backup: backup)) }
        let signer = signer
        _ = try writer.finish { digest in
            // P-256 signs whatever it is given.
            (try? signer.signature(for: BackupSignature.message(digest: digest))).map { Array($0.rawRepresentation) }
                ?? []
        }
        bytes = collected.bytes
    }

    /// How long the header is.
    var headerSize: Int { (try? BackupHeader(from: Self.source(bytes)).encoded.count) ?? 0 }

    private final class Collected {
        var bytes: [UInt8] = []
    }

    static func source(_ bytes: [UInt8], chunk: Int = .max) -> BackupSource {
        var position = 0
        return { count in
            let end = min(bytes.count, position + min(count, chunk))
            defer { position = end }
            return Array(bytes[position..<end])
        }
    }

    /// Reads a backup to its end.
    func read(_ bytes: [UInt8]? = nil, chunk: Int = .max) throws(BackupFailure) -> [BackupRecord] {
        var reader = try BackupReader(Self.source(bytes ?? self.bytes, chunk: chunk), fileKey: fileKey)
        var records: [BackupRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    /// What reading some bytes comes to.
    func failure(_ bytes: [UInt8]) -> BackupFailure? {
        do throws(BackupFailure) {
            _ = try read(bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// A passphrase as it is typed.
func typed(_ text: String) throws -> BackupPassphrase {
    try BackupPassphrase(SecretBytes(Array(text.utf8)))
}

extension BackupItem {
    static func password(
        _ account: String,
        value: [UInt8] = Array("secret".utf8),
        accessibility: Accessibility = .whenUnlocked,
        modified: Double = 2,
        group: String = "group",
        uuid: ItemUUID = ItemUUID(),
        isSynchronizable: Bool = false,
        _ others: [AttributeKey: AttributeValue] = [:]
    ) -> BackupItem {
        var attributes = AttributeList()
        attributes["acct"] = .string(account)
        attributes["svce"] = .string("service")
        attributes["cdat"] = .date(1)
        attributes["mdat"] = .date(modified)
        attributes["musr"] = .data([])
        for (key, value) in others { attributes[key] = value }
        return BackupItem(
            itemClass: .genericPassword,
            uuid: uuid,
            accessGroup: group,
            accessibility: accessibility,
            accessControl: AccessControl(bare: accessibility),
            isSynchronizable: isSynchronizable,
            attributes: attributes,
            secrets: [.valueData: SecretBytes(value)]
        )
    }
}

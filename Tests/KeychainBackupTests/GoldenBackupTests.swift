import Foundation
import KeychainBackup
import KeychainModel
import Testing

@Suite("Backups of earlier versions")
struct GoldenBackupTests {
    private static func golden(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Golden")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    private func items(_ name: String, _ open: (BackupHeader) throws(BackupFailure) -> FileKey) throws -> [BackupItem] {
        var reader = try BackupReader(SampleBackup.source(Self.golden(name)), opening: open)
        var items: [BackupItem] = []
        while let record = try reader.next() { if case .item(let item) = record { items.append(item) } }
        #expect(reader.counts == BackupCounts(items: 2))
        return items
    }

    @Test(arguments: ["backup-1-recipient", "backup-1-passphrase", "backup-2-recipient", "backup-2-passphrase"])
    func `what was written once is read for ever`(name: String) throws {
        let own = name.contains("-1-") ? "identity" : "identity-2"
        let identity = try #require(BackupIdentity(text: String(decoding: Self.golden(own), as: UTF8.self)))
        let passphrase = try typed("phrase")
        let items = try items(name) { (header) throws(BackupFailure) in
            if name.hasSuffix("passphrase") { return try header.fileKey(passphrase: passphrase) }
            return try header.fileKey(identity: identity)
        }
        #expect(items.map(\.itemClass) == [.genericPassword, .internetPassword])
        #expect(items.map(\.title) == ["Router, admin", "Golden, me"])
        #expect(items.map(\.accessGroup) == ["chatelaine", "chatelaine"])
        #expect(items.map(\.accessibility) == [.whenUnlocked, .whenUnlocked])
        #expect(items[1].attributes["icmt"] == .string("a note"))
        #expect(items[1].attributes["srvr"] == .string("example.org"))
        let values = items.map { $0.secrets[.valueData]?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        #expect(values == [" s3cret", "golden password"])
    }
}

import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import Testing

@testable import KeychainBackup
@testable import KeychainEngine
@testable import KeychainVault

@Suite("What a restoration does")
struct RestoreTests {
    private let device: Device

    init() throws {
        device = try Device()
    }

    @Test func `on the same device everything comes back as it was`() throws {
        let references = try [
            device.add("a", value: "1", at: 500), device.add("b", value: "2", .whenUnlockedThisDeviceOnly),
            device.add("c", value: "3", .always) { $0.isSynchronizable = true },
        ]
        let before = try device.items()
        let file = try device.backup()
        try device.delete()
        #expect(try device.values().isEmpty)
        let report = try device.restore(file)
        #expect(report.origin == .thisDevice)
        #expect(report.counts == [.added: 3])
        let after = try device.items()
        #expect(try device.values() == ["a=1", "b=2", "c=3"])
        #expect(Set(after.map(\.reference)) == Set(references))
        for item in before {
            let same = try #require(after.first { $0.reference == item.reference })
            #expect(same.attributes == item.attributes)
            #expect(same.sha1 == item.sha1)
        }
    }

    @Test(arguments: [1, 2])
    func `a lock ends a restoration that is under way, with nothing restored`(reading: Int) throws {
        for number in 0..<300 { try device.add("\(number)", .always) }
        let file = try device.backup()
        try device.delete()
        try device.owner.changePasscode(from: nil, to: SecretBytes(Array("1234".utf8)))
        let interrupted = InterruptedFile(file, at: reading) { [owner = device.owner] in try? owner.lock() }
        func restore() throws {
            _ = try device.engine.restore(
                RestoreRequest(
                    token: device.token(.restore, passcode: "1234"),
                    fileKey: BackupHeader(from: file.source()).fileKey(identity: device.identity)
                ),
                from: interrupted
            )
        }
        #expect(code(restore) == .interactionNotAllowed)
        #expect(try device.values().isEmpty)
        try device.owner.unlock(SecretBytes(Array("1234".utf8)))
        try restore()
        #expect(try device.values().count == 300)
    }

    @Test func `an origin is known once its items are there, and not before`() throws {
        let other = try Device()
        try device.add("a", .always)
        try device.add("b", .whenUnlocked)
        let file = try device.backup()
        try other.owner.changePasscode(from: nil, to: SecretBytes(Array("1234".utf8)))
        try other.owner.lock()
        func restore(acceptsOrigin: Bool) throws -> RestoreReport {
            try other.engine.restore(
                RestoreRequest(
                    token: other.token(.restore, passcode: "1234"),
                    fileKey: BackupHeader(from: file.source()).fileKey(identity: device.identity),
                    acceptsOrigin: acceptsOrigin
                ),
                from: file
            )
        }
        #expect(code { _ = try restore(acceptsOrigin: true) } == .interactionNotAllowed)
        #expect(code { _ = try restore(acceptsOrigin: false) } == .authenticationFailed)
        try other.owner.unlock(SecretBytes(Array("1234".utf8)))
        #expect(try restore(acceptsOrigin: true).origin == .unknown)
        #expect(try restore(acceptsOrigin: false).origin == .known)
    }

    @Test func `all classes and secrets of an item come back`() throws {
        var certificate = AddRequest(itemClass: .certificate)
        certificate.attributes["slnr"] = .data([1])
        certificate.secrets[.valueData] = SecretBytes([1, 2, 3])
        var key = AddRequest(itemClass: .key)
        key.attributes["klbl"] = .data([7])
        var internet = AddRequest(itemClass: .internetPassword)
        internet.attributes["srvr"] = .string("example.org")
        internet.attributes["ptcl"] = .string("htps")
        internet.secrets["binn"] = SecretBytes([9])
        for request in [certificate, key, internet] {
            _ = try device.engine.keychain(of: Device.caller("group")).add(request)
        }
        let other = try Device()
        #expect(try other.restore(device.backup(), for: device.identity, acceptsOrigin: true).counts == [.added: 3])
        for itemClass in [ItemClass.certificate, .key, .internetPassword] {
            var request = FindRequest(query: ItemQuery(itemClass: itemClass))
            request.returns = [.data, .attributes]
            let (was, now) = try (
                device.engine.keychain(of: Device.caller("group")).find(request),
                other.engine.keychain(of: Device.caller("group")).find(request)
            )
            #expect(was.map(\.attributes) == now.map(\.attributes))
            #expect(was.map(\.sha1) == now.map(\.sha1))
            let bytes = [was, now].map { $0.first?.secrets.mapValues { $0.withUnsafeBytes { Array($0) } } }
            #expect(bytes[0] == bytes[1])
        }
    }

    @Test func `on another device all comes but what is for the first alone`() throws {
        try device.add("a", value: "1")
        try device.add("b", value: "2", .whenUnlockedThisDeviceOnly)
        let other = try Device()
        let report = try other.restore(device.backup(), for: device.identity, acceptsOrigin: true)
        #expect(report.counts == [.added: 1, .otherDevice: 1])
        #expect(try other.values() == ["a=1"])
    }

    @Test func `a copy of this device's items under another's signature does not open them`() throws {
        // The box of an item, in a backup that a stranger made.
        let stranger = try SampleBackup([.password("x")])
        let file = MemoryFile(stranger.bytes)
        let report = try device.restore(file, for: stranger.identity, acceptsOrigin: true)
        #expect(report.counts == [.added: 1, .otherDevice: 1])
    }

    // MARK: - Whose backup it is

    @Test func `what a stranger made is refused until the owner accepts it, and known from then on`() throws {
        let stranger = try SampleBackup([.password("injected")], deviceItems: [])
        let file = MemoryFile(stranger.bytes)
        #expect(code { try device.restore(file, for: stranger.identity) } == .authenticationFailed)
        #expect(try device.values().isEmpty)
        // To look at it is no acceptance.
        #expect(try device.restore(file, for: stranger.identity, isDryRun: true).origin == .unknown)
        #expect(
            try device.restore(file, for: stranger.identity, isDryRun: true, acceptsOrigin: true).origin == .unknown
        )
        #expect(code { try device.restore(file, for: stranger.identity) } == .authenticationFailed)
        #expect(try device.restore(file, for: stranger.identity, acceptsOrigin: true).origin == .unknown)
        #expect(try device.values() == ["injected=secret"])
        #expect(try device.restore(file, for: stranger.identity).origin == .known)
        // Another stranger is still one.
        let other = try SampleBackup()
        #expect(code { try device.restore(MemoryFile(other.bytes), for: other.identity) } == .authenticationFailed)
    }

    @Test func `a backup in this device's name that it did not sign is damaged`() throws {
        let signer = try P256.Signing.PublicKey(x963Representation: device.engine.vault.enclave.backupSigner())
        let forged = try SampleBackup([.password("injected")], pretended: signer)
        let failed = code { try device.restore(MemoryFile(forged.bytes), for: forged.identity, acceptsOrigin: true) }
        #expect(failed == .undecodable)
        #expect(try device.values().isEmpty)
    }

    // MARK: - Files that are not whole

    @Test func `a backup that is cut short or changed is told, and changes nothing`() throws {
        try device.add("a", value: "1")
        let file = try device.backup()
        try device.delete()
        for (bytes, word) in [
            (Array(file.bytes.dropLast()), "cut short"), (Array(file.bytes.dropLast(70)), "cut short"),
            (file.bytes.dropLast() + [file.bytes[file.bytes.count - 1] ^ 1], "damaged"), ([], "cut short"),
        ] {
            let header = try BackupHeader(from: file.source())
            let fileKey = try header.fileKey(identity: device.identity)
            do {
                _ = try device.engine.restore(
                    RestoreRequest(token: device.token(.restore), fileKey: fileKey),
                    from: MemoryFile(bytes)
                )
                Issue.record("it was taken")
            } catch let error as KeychainError {
                #expect(error.code == .undecodable)
                #expect(error.message.contains(word))
            }
        }
        #expect(try device.values().isEmpty)
    }

    @Test func `a file that changes after it was verified changes nothing`() throws {
        try device.add("a", value: "1")
        let file = try device.backup()
        try device.delete()
        let header = try BackupHeader(from: file.source())
        let request = RestoreRequest(
            token: try device.token(.restore),
            fileKey: try header.fileKey(identity: device.identity)
        )
        let failed = code { _ = try device.engine.restore(request, from: FileThatIsCutShort(file.bytes)) }
        #expect(failed == .undecodable)
        #expect(try device.values().isEmpty)
    }

    /// Whole when it is read for the first time.
    private final class FileThatIsCutShort: BackupFile {
        private let bytes: [UInt8]
        private var readings = 0

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        func source() -> BackupSource {
            readings += 1
            return SampleBackup.source(readings == 1 ? bytes : Array(bytes.dropLast()))
        }
    }

    // MARK: - Conflicts

    /// What stays of an item that has "old" in the backup and "new" in the keychain.
    private func outcome(
        _ rule: ConflictRule,
        keychain time: Double,
        isSynchronizable: Bool = false,
        value: String = "keychain"
    ) throws -> String {
        let device = try Device()
        try device.add("a", value: "backup", at: 1_000) { $0.isSynchronizable = isSynchronizable }
        let file = try device.backup()
        try device.delete()
        try device.add("a", value: value, at: time) { $0.isSynchronizable = isSynchronizable }
        let before = try device.items()
        let dry = try device.restore(file, rule: rule, isDryRun: true)
        #expect(try device.items().map(\.attributes) == before.map(\.attributes))
        let report = try device.restore(file, rule: rule)
        #expect(dry.counts == report.counts)
        #expect(dry.items.map(\.outcome) == report.counts.map(\.key))
        let values = try device.values()
        #expect(values.count == 1)
        #expect((values == ["a=backup"]) == (report.counts == [.replaced: 1]))
        return String(values[0].dropFirst(2))
    }

    @Test func `newer, keep and replace do what they say`() throws {
        #expect(try outcome(.newer, keychain: 900) == "backup")
        #expect(try outcome(.newer, keychain: 1_000) == "keychain")
        #expect(try outcome(.newer, keychain: 1_100) == "keychain")
        for time in [900.0, 1_000, 1_100] {
            #expect(try outcome(.keep, keychain: time) == "keychain")
            #expect(try outcome(.replace, keychain: time) == "backup")
        }
    }

    @Test func `synchronizable items follow the rule of synchronization whatever is asked for`() throws {
        for rule in ConflictRule.allCases {
            #expect(try outcome(rule, keychain: 900, isSynchronizable: true) == "backup")
            #expect(try outcome(rule, keychain: 1_100, isSynchronizable: true) == "keychain")
        }
        // Of the same time, the one with the smaller digest: one of many values has it, and another has not.
        let winners = try Set(
            (0..<12).map { number in
                let value = "keychain \(number)"
                return try outcome(.newer, keychain: 1_000, isSynchronizable: true, value: value) == "backup"
            }
        )
        #expect(winners == [true, false])
    }

    @Test func `what was deleted on purpose gives way to what comes back`() throws {
        try device.add("a", value: "1") { $0.isSynchronizable = true }
        let file = try device.backup()
        try device.delete()
        #expect(try device.restore(file).counts == [.added: 1])
        #expect(try device.values() == ["a=1"])
    }

    @Test func `an item that was renamed since is the same item`() throws {
        let reference = try device.add("a", value: "1", at: 1_000)
        let file = try device.backup()
        try rename("a", to: "b", at: 1_100)
        #expect(try device.restore(file).counts == [.kept: 1])
        #expect(try device.values() == ["b=1"])
        #expect(try device.restore(file, rule: .replace).counts == [.replaced: 1])
        #expect(try device.values() == ["a=1"])
        #expect(try device.items().map(\.reference) == [reference])
    }

    @Test func `an item that was renamed since, and has a successor under its old name, wins over both or neither`()
        throws
    {
        let reference = try device.add("a", value: "1", at: 1_000)
        let file = try device.backup()
        try rename("a", to: "b", at: 1_100)
        try device.add("a", value: "2", at: 900)
        #expect(try device.restore(file).counts == [.kept: 1])
        #expect(try device.values() == ["a=2", "b=1"])
        #expect(try device.restore(file, rule: .replace).counts == [.replaced: 1])
        #expect(try device.values() == ["a=1"])
        #expect(try device.items().map(\.reference) == [reference])
    }

    private func rename(_ account: String, to name: String, at time: Double) throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string(account)
        var changes = ItemChanges()
        changes.attributes["acct"] = .string(name)
        var request = UpdateRequest(query: query)
        request.changes = changes
        let made = request
        _ = try KeychainEngine.$clock.withValue({ time }) {
            try device.engine.keychain(of: Device.caller("group")).update(made)
        }
    }

    @Test func `restored twice, it is as restored once`() throws {
        for account in ["a", "b", "c"] { try device.add(account, value: account) }
        let file = try device.backup()
        try device.delete("b")
        #expect(try device.restore(file).counts == [.added: 1, .kept: 2])
        let once = try device.items().map(\.attributes)
        #expect(try device.restore(file).counts == [.kept: 3])
        #expect(try device.items().map(\.attributes) == once)
        #expect(try device.restore(file, rule: .replace).counts == [.replaced: 3])
        #expect(try device.values() == ["a=a", "b=b", "c=c"])
    }

    @Test func `a damaged item is mended, whatever the rule`() throws {
        let reference = try device.add("a", value: "1")
        let file = try device.backup()
        for column in ["secret", "metadata"] {
            try device.keychain.change("UPDATE genp SET \(column) = zeroblob(100) WHERE uuid = ?", reference)
            #expect(try device.values().isEmpty)
            #expect(try device.restore(file, rule: .keep).counts == [.added: 1])
            #expect(try device.values() == ["a=1"])
            #expect(try device.items().map(\.reference) == [reference])
        }
    }

    @Test func `while a class is locked nothing of the backup is restored`() throws {
        try device.add("a", value: "1", .always)
        try device.add("b", value: "2", .whenUnlocked)
        let file = try device.backup()
        try device.delete()
        let passcode = SecretBytes(Array("1234".utf8))
        try device.owner.changePasscode(from: nil, to: passcode)
        try device.owner.lock()
        let fileKey = try BackupHeader(from: file.source()).fileKey(identity: device.identity)
        func request() throws -> RestoreRequest {
            RestoreRequest(token: try device.token(.restore, passcode: "1234"), fileKey: fileKey)
        }
        #expect(code { _ = try device.engine.restore(request(), from: file) } == .interactionNotAllowed)
        try device.owner.unlock(passcode)
        try device.engine.vault.refresh()
        #expect(try device.values().isEmpty)
        #expect(try device.engine.restore(request(), from: file).counts == [.added: 2])
    }

    // MARK: - What no keychain takes

    @Test func `items that no program could have stored are refused, and the others restored`() throws {
        let bad: [BackupItem] = [
            .password("token group", group: "com.apple.token"),
            .password("no group", group: ""),
            .password("wildcard", group: "TEAM.*"),
            .password("on a token", ["tkid": .string("com.apple.setoken")]),
            .password("of the system", ["sysb": .integer(1)]),
            .password("shared", ["ggrp": .string("x")]),
            .password("for a set passcode", accessibility: .whenPasscodeSetThisDeviceOnly),
            .password("of no date", modified: .nan),
            .password("with another class's attribute", ["srvr": .string("x")]),
            .password("with a clear attribute", ["agrp": .string("other")]),
            .password("with a number for text", ["tkid": .data([1])]),
            .password("too large", ["icmt": .data([UInt8](repeating: 0, count: 2 << 20))]),
        ]
        let stranger = try SampleBackup(bad + [.password("good")], deviceItems: [])
        let report = try device.restore(MemoryFile(stranger.bytes), for: stranger.identity, isDryRun: true)
        #expect(report.items.filter { $0.outcome == .refused }.map(\.title) == bad.map(\.title))
        #expect(
            try device.restore(MemoryFile(stranger.bytes), for: stranger.identity, acceptsOrigin: true).counts
                == [.added: 1, .refused: bad.count]
        )
        #expect(try device.values() == ["good=secret"])
    }

    @Test func `one item twice in a backup is there once`() throws {
        let uuid = ItemUUID()
        let twice = try SampleBackup(
            [.password("a", uuid: uuid), .password("a", uuid: uuid), .password("a"), .password("b", uuid: uuid)],
            deviceItems: []
        )
        try device.restore(MemoryFile(twice.bytes), for: twice.identity, acceptsOrigin: true)
        #expect(try device.values() == ["a=secret"])
    }
}

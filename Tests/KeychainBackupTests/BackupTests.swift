import Foundation
import KeychainBackup
import KeychainModel
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainEngine
@testable import KeychainVault
@testable import LocalEnclave

@Suite("What a backup holds, and who can have one")
struct BackupTests {
    private let device: Device

    init() throws {
        device = try Device()
    }

    @Test func `items of all access groups are in it`() throws {
        try device.add("a", group: "one")
        try device.add("b", group: "two")
        let file = try device.backup()
        #expect(try file.titles(for: device.identity) == ["service, a", "service, b"])
        #expect(file.counts == BackupCounts(items: 2))
    }

    @Test func `an empty keychain has a backup`() throws {
        let file = try device.backup()
        #expect(try file.records(for: device.identity).isEmpty)
        #expect(try device.restore(file).counts.isEmpty)
    }

    @Test func `neither its values nor its names stand in it readable`() throws {
        try device.add("account-canary", value: "value-canary", .alwaysThisDeviceOnly)
        try device.add("account-canary", value: "value-canary", group: "group-canary")
        let bytes = try device.backup().bytes
        for canary in ["account-canary", "value-canary", "group-canary"] {
            #expect(bytes.firstRange(of: Array(canary.utf8)) == nil)
        }
    }

    @Test func `items of this device alone are boxed even for those who can open it`() throws {
        try device.add("a", .whenUnlockedThisDeviceOnly)
        try device.add("b", .afterFirstUnlockThisDeviceOnly)
        try device.add("c", .alwaysThisDeviceOnly)
        let file = try device.backup()
        #expect(try file.titles(for: device.identity) == ["device", "device", "device"])
        #expect(file.counts == BackupCounts(deviceItems: 3))
    }

    @Test func `an export has none of this device alone`() throws {
        try device.add("a")
        try device.add("b", .whenUnlockedThisDeviceOnly)
        #expect(try device.backup(isExport: true).titles(for: device.identity) == ["service, a"])
    }

    @Test func `items of a token, of the system, of others and of a set passcode are in none`() throws {
        _ = try device.owner.changePasscode(from: nil, to: SecretBytes(Array("1234".utf8)))
        try device.engine.vault.refresh()
        try device.add("token") { $0.attributes["tkid"] = .string("com.apple.setoken") }
        try device.add("system") { $0.attributes["sysb"] = .integer(1) }
        try device.add("passcode", .whenPasscodeSetThisDeviceOnly)
        try device.add("other user") { $0.attributes["musr"] = .data([UInt8](repeating: 1, count: 16)) }
        try device.add("listed", group: "lockdown-identities")
        try device.add("listed, but not bound", group: "com.apple.security.sos") { $0.attributes["sysb"] = .integer(0) }
        try device.add("ordinary")
        let file = MemoryFile()
        _ = try device.engine.backup(
            BackupRequest(token: device.token(.backup, passcode: "1234"), recipients: [device.identity.recipient])
        ) { bytes in file.bytes += bytes }
        let titles = try file.titles(for: device.identity)
        #expect(titles == ["service, listed, but not bound", "service, ordinary"])
    }

    @Test func `tombstones are in none`() throws {
        try device.add("gone") { $0.isSynchronizable = true }
        try device.delete("gone")
        #expect(try device.backup().records(for: device.identity).isEmpty)
    }

    @Test func `a damaged row is left out, and counted`() throws {
        let reference = try device.add("damaged")
        try device.add("whole")
        try device.keychain.change("UPDATE genp SET secret = zeroblob(100) WHERE uuid = ?", reference)
        let file = try device.backup()
        #expect(try file.titles(for: device.identity) == ["service, whole"])
        #expect(file.counts == BackupCounts(items: 1, damaged: 1))
    }

    @Test func `while a class is locked of which there are items there is no backup at all`() throws {
        try device.add("always", .always)
        _ = try device.owner.changePasscode(from: nil, to: SecretBytes(Array("1234".utf8)))
        try device.engine.vault.refresh()
        try device.owner.lock()
        func backup() -> KeychainError.Code? {
            code {
                _ = try device.engine.backup(
                    BackupRequest(
                        token: device.token(.backup, passcode: "1234"),
                        recipients: [device.identity.recipient]
                    )
                ) { _ in }
            }
        }
        #expect(backup() == nil)
        try device.owner.unlock(SecretBytes(Array("1234".utf8)))
        try device.engine.vault.refresh()
        try device.add("unlocked", .whenUnlocked)
        try device.owner.lock()
        #expect(backup() == .interactionNotAllowed)
    }

    @Test func `a lock ends a backup that is under way, whichever items are left`() throws {
        for number in 0..<300 { try device.add("\(number)", .always) }
        try device.owner.changePasscode(from: nil, to: SecretBytes(Array("1234".utf8)))
        try device.engine.vault.refresh()
        let token = try device.token(.backup, passcode: "1234")
        var pieces = 0
        #expect(
            code {
                _ = try device.engine.backup(
                    BackupRequest(token: token, recipients: [device.identity.recipient])
                ) { (_) throws(KeychainError) in
                    pieces += 1
                    if pieces == 1 { try device.owner.lock() }
                }
            } == .interactionNotAllowed
        )
        #expect(pieces == 1, "nothing goes out after a lock")
    }

    // MARK: - Who can have one

    @Test func `malware with a passphrase of its own gets none where there is a passcode`() throws {
        try device.add("a")
        func attack() -> KeychainError.Code? {
            code { _ = try device.backup([try BackupRecipient(passphrase: typed("malware"), uncheckedCost: 10)]) }
        }
        // It works as long as the owner has no passcode and nothing keeps programs apart.
        #expect(attack() == nil)
        _ = try device.owner.changePasscode(from: nil, to: SecretBytes(Array("1234".utf8)))
        #expect(attack() == .authenticationFailed)
        #expect(code { _ = try device.token(.backup, passcode: "1235") } == .authenticationFailed)
    }

    @Test func `a token is good for one operation, once`() throws {
        try device.add("a")
        func attempt(_ token: AuthorizationToken, isExport: Bool = false) -> KeychainError.Code? {
            code {
                _ = try device.engine.backup(
                    BackupRequest(token: token, isExport: isExport, recipients: [device.identity.recipient])
                ) { _ in Issue.record(isExport ? "an export was begun" : "a backup was begun") }
            }
        }
        let made = try #require(AuthorizationToken([UInt8](repeating: 1, count: 32)))
        #expect(attempt(made) == .authenticationFailed)
        #expect(attempt(try device.token(.restore)) == .authenticationFailed)
        #expect(attempt(try device.token(.export)) == .authenticationFailed)
        #expect(attempt(try device.token(.backup), isExport: true) == .authenticationFailed)
        let token = try device.token(.backup)
        _ = try device.engine.backup(BackupRequest(token: token, recipients: [device.identity.recipient])) { _ in }
        #expect(attempt(token) == .authenticationFailed)
        let file = try device.backup()
        let fileKey = try BackupHeader(from: file.source()).fileKey(identity: device.identity)
        for token in [made, try device.token(.backup)] {
            let request = RestoreRequest(token: token, fileKey: fileKey, isDryRun: true)
            #expect(code { _ = try device.engine.restore(request, from: file) } == .authenticationFailed)
            #expect(code { _ = try device.engine.beginRestoration(request, largest: 1) } == .authenticationFailed)
        }
    }

    @Test func `where the output fails, so does the backup`() throws {
        try device.add("a", value: String(repeating: "x", count: 200_000))
        for most in [0, 1, 2] {
            var count = 0
            let failed = code {
                _ = try device.engine.backup(
                    BackupRequest(token: device.token(.backup), recipients: [device.identity.recipient])
                ) { _ throws(KeychainError) in
                    if count == most { throw KeychainError(.diskFull, "") }
                    count += 1
                }
            }
            #expect(failed == .diskFull)
        }
    }
}

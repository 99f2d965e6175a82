import Foundation
import GRDB
import KeychainBackup
import KeychainModel
import KeychainTestSupport
import Logging

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainEngine
@testable import KeychainVault
@testable import LocalEnclave

/// A machine with one keychain, whose owner asks for backups.
final class Device {
    let keychain: TestKeychain
    let engine: KeychainEngine
    let identity: BackupIdentity
    private let enclave: LocalEnclave

    init(in folder: String = FileManager.default.temporaryDirectory.path) throws {
        identity = try BackupIdentity()
        keychain = try TestKeychain(in: folder)
        engine = try KeychainDirectory(
            path: keychain.path,
            enclave: LocalEnclaveFolder(path: keychain.path, cost: .uncheckedLeast)
        ).open(log: Logger(label: "test"))
        guard let enclave = engine.vault.enclave as? LocalEnclave else {
            throw KeychainError(.internalError, "another enclave")
        }
        self.enclave = enclave
    }

    deinit {
        engine.close()
    }

    /// The owner's own programs, which are not the administrator.
    var owner: LocalControl { LocalControl(enclave, for: .owner) }

    func token(_ operation: GuardedOperation, passcode: String? = nil) throws -> AuthorizationToken {
        try owner.authorize(operation, passcode: passcode.map { SecretBytes(Array($0.utf8)) })
    }

    static func caller(_ group: String) -> Caller { Caller(name: "test", groups: AccessGroups([group])) }

    @discardableResult
    func add(
        _ account: String,
        value: String = "value",
        _ accessibility: Accessibility? = nil,
        group: String = "group",
        at time: Double = 1_000,
        _ adjust: (inout AddRequest) -> Void = { _ in }
    ) throws -> PersistentReference {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.attributes["svce"] = .string("service")
        request.accessibility = accessibility
        request.secrets[.valueData] = SecretBytes(Array(value.utf8))
        request.returns = .persistentReference
        adjust(&request)
        let made = request
        let item = try KeychainEngine.$clock.withValue({ time }) {
            try engine.keychain(of: Self.caller(group)).add(made)
        }
        guard let item else { throw KeychainError(.internalError, "an add returned nothing") }
        return item.reference
    }

    func update(_ account: String, to value: String, at time: Double) throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string(account)
        query.synchronizable = .any
        var changes = ItemChanges()
        changes.secrets[.valueData] = SecretBytes(Array(value.utf8))
        var request = UpdateRequest(query: query)
        request.changes = changes
        let made = request
        _ = try KeychainEngine.$clock.withValue({ time }) { try engine.keychain(of: Self.caller("group")).update(made) }
    }

    func delete(_ account: String? = nil, group: String = "group") throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .any
        if let account { query.filters["acct"] = .string(account) }
        _ = try engine.keychain(of: Self.caller(group)).delete(DeleteRequest(query: query))
    }

    func items(group: String = "group") throws -> [FoundItem] {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.query.synchronizable = .any
        request.limit = .all
        request.returns = [.data, .attributes]
        return try engine.keychain(of: Self.caller(group)).find(request)
    }

    /// `account=value`, sorted.
    func values(group: String = "group") throws -> [String] {
        try items(group: group).map { item in
            let account = if case .string(let text) = item.attributes["acct"] { text } else { "?" }
            let value = item.secrets[.valueData]?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            return "\(account)=\(value ?? "nothing")"
        }.sorted()
    }

    // MARK: - Backups

    func backup(_ recipients: [BackupRecipient]? = nil, isExport: Bool = false) throws -> MemoryFile {
        let file = MemoryFile()
        file.counts = try engine.backup(
            BackupRequest(
                token: token(isExport ? .export : .backup),
                isExport: isExport,
                recipients: recipients ?? [identity.recipient]
            )
        ) { bytes in file.bytes += bytes }
        return file
    }

    /// - Parameter identity: whose the backup is, if not this device's.
    @discardableResult
    func restore(
        _ file: MemoryFile,
        for identity: BackupIdentity? = nil,
        rule: ConflictRule = .newer,
        isDryRun: Bool = false,
        acceptsOrigin: Bool = false
    ) throws -> RestoreReport {
        let header = try BackupHeader(from: file.source())
        return try engine.restore(
            RestoreRequest(
                token: token(.restore),
                fileKey: header.fileKey(identity: identity ?? self.identity),
                rule: rule,
                isDryRun: isDryRun,
                acceptsOrigin: acceptsOrigin
            ),
            from: file
        )
    }
}

/// A backup in memory.
final class MemoryFile: BackupFile {
    var bytes: [UInt8] = []
    var counts = BackupCounts()

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    func source() -> BackupSource { SampleBackup.source(bytes) }

    /// Its records.
    func records(for identity: BackupIdentity) throws -> [BackupRecord] {
        var reader = try BackupReader(source()) { (header) throws(BackupFailure) in
            try header.fileKey(identity: identity)
        }
        var records: [BackupRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    func titles(for identity: BackupIdentity) throws -> [String] {
        try records(for: identity).map { record in
            switch record {
            case .item(let item): item.title
            case .deviceItem: "device"
            }
        }.sorted()
    }
}

/// A backup during one reading of which something happens.
final class InterruptedFile: BackupFile {
    private let file: MemoryFile
    private var readingsLeft: Int
    private let interruption: () -> Void

    /// - Parameter reading: which one, from 1.
    init(_ file: MemoryFile, at reading: Int, _ interruption: @escaping () -> Void) {
        self.file = file
        readingsLeft = reading
        self.interruption = interruption
    }

    func source() -> BackupSource {
        readingsLeft -= 1
        if readingsLeft == 0 { interruption() }
        return file.source()
    }
}

/// The code that something fails with; nil where it does not.
func code(_ body: () throws -> Void) -> KeychainError.Code? {
    do {
        try body()
        return nil
    } catch let error as KeychainError {
        return error.code
    } catch {
        return .internalError
    }
}

extension TestKeychain {
    /// Changes a row as somebody would who has the file and no key.
    func change(_ sql: String, _ reference: PersistentReference) throws {
        try self.sql { database in
            try database.execute(sql: sql, arguments: [Data(reference.uuid?.bytes ?? [])])
        }
    }
}

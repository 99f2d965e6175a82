import CFaultVFS
import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// What the disk does once, at any point of a call. SQLite's own view of it is replaced for one keychain at a time.
struct DiskFault: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: cfault_kind
    let code: Int32
    /// What a call may end with where the fault is not one that it survives.
    let outcome: KeychainError.Code

    var testDescription: String { name }

    static let all = [
        DiskFault(name: "a read fails", kind: CFAULT_READ, code: ioError(1), outcome: .inputOutput),
        DiskFault(name: "a write finds the disk full", kind: CFAULT_WRITE, code: 13, outcome: .diskFull),
        DiskFault(name: "a write fails", kind: CFAULT_WRITE, code: ioError(3), outcome: .inputOutput),
        DiskFault(
            name: "half is written, then the disk is full",
            kind: CFAULT_SHORT_WRITE,
            code: 13,
            outcome: .diskFull
        ),
        DiskFault(name: "half is written", kind: CFAULT_SHORT_WRITE, code: ioError(3), outcome: .inputOutput),
        DiskFault(name: "a sync fails", kind: CFAULT_SYNC, code: ioError(4), outcome: .inputOutput),
        DiskFault(name: "a truncation fails", kind: CFAULT_TRUNCATE, code: ioError(6), outcome: .inputOutput),
        DiskFault(name: "shared memory has no room", kind: CFAULT_MEMORY, code: ioError(19), outcome: .diskFull),
        DiskFault(
            name: "shared memory cannot be mapped",
            kind: CFAULT_MEMORY,
            code: ioError(21),
            outcome: .inputOutput
        ),
        DiskFault(name: "an opening fails", kind: CFAULT_OPEN, code: 14, outcome: .notAvailable),
    ]

    /// SQLITE_IOERR and what it is about (https://www.sqlite.org/rescode.html).
    private static func ioError(_ detail: Int32) -> Int32 { 10 | detail << 8 }
}

/// After every single fault: a documented error or none, all acknowledged items, nothing half written, and the next
/// call works.
@Suite("A disk that fails once", .serialized)
struct FailingDiskTests {
    private let keychain: TestKeychain
    private let connection: EmbeddedKeychain

    init() throws {
        keychain = try TestKeychain(in: TestKeychain.folderInMemory)
        try #require(cfault_install() == 0)
        cfault_watch(keychain.path)
        connection = keychain.connection()
        for account in ["alice", "bob"] { try connection.add(account, value: "value of " + account) }
        // What changes is long enough to need several pages.
        try connection.add("carol", value: String(repeating: "c", count: 10_000))
    }

    /// Does something with each of its operations failing in turn, until it meets the fault no more.
    ///
    /// - Parameters:
    ///   - prepare: what comes before, on a disk in order.
    ///   - isSafe: whether a fault must not make the call itself fail.
    private func expectEveryFault(
        _ fault: DiskFault,
        isSafe: Bool = false,
        prepare: (Int) throws -> EmbeddedKeychain,
        operation: (EmbeddedKeychain, Int) throws(KeychainError) -> Void,
        effect: (inout Set<String>, Int) -> Void
    ) throws {
        var faults = 0
        for number in 1... {
            let used = try prepare(number)
            var expected = try Set(keychain.connection().all())
            cfault_arm(UInt32(fault.kind.rawValue), Int32(number), fault.code, false)
            let code = failure { () throws(KeychainError) in try operation(used, number) }
            let count = Int(cfault_disarm())
            if code == nil { effect(&expected, number) }
            #expect(code == nil || code == fault.outcome, "\(number)")
            if isSafe { #expect(code == nil, "\(number)") }
            // In the process that met the fault, and in the next one.
            #expect(try Set(used.all()) == expected, "\(number)")
            #expect(try Set(keychain.connection().all()) == expected, "\(number)")
            try used.add("next-\(number)")
            #expect(try used.value(of: "next-\(number)") == "value")
            try used.delete("next-\(number)")
            #expect(try Set(keychain.connection().all()) == expected, "\(number)")
            if count < number {
                #expect(code == nil, "no fault, no error")
                break
            }
            faults += 1
        }
        let sound = try keychain.sql { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(sound == "ok")
        #expect(try keychain.connection().verify().isWhole)
        print("\(faults) places where \(fault.name)")
    }

    @Test(arguments: DiskFault.all)
    func `an add`(fault: DiskFault) throws {
        try expectEveryFault(fault) { _ in
            connection
        } operation: { (connection, number) throws(KeychainError) in
            try connection.add("dave-\(number)", value: String(repeating: "d", count: 9000))
        } effect: { items, number in
            items.insert("dave-\(number)=" + String(repeating: "d", count: 9000))
        }
    }

    @Test(arguments: DiskFault.all)
    func `a change`(fault: DiskFault) throws {
        try expectEveryFault(fault) { _ in
            connection
        } operation: { (connection, number) throws(KeychainError) in
            try connection.update("carol", value: String(repeating: "x", count: 9000 + number))
        } effect: { items, number in
            items = items.filter { !$0.hasPrefix("carol=") }
            items.insert("carol=" + String(repeating: "x", count: 9000 + number))
        }
    }

    @Test(arguments: DiskFault.all)
    func `a deletion`(fault: DiskFault) throws {
        try expectEveryFault(fault) { number in
            try connection.add("erin-\(number)", value: String(repeating: "e", count: 9000))
            return connection
        } operation: { (connection, number) throws(KeychainError) in
            try connection.delete("erin-\(number)")
        } effect: { items, number in
            items.remove("erin-\(number)=" + String(repeating: "e", count: 9000))
        }
    }

    /// A disk that fails for ever from some operation on is what a process that is killed there sees.
    @Test(arguments: DiskFault.all, [false, true])
    func `bringing a database to a newer version leaves the old one or the new one, whole`(
        fault: DiskFault,
        isForEver: Bool
    ) throws {
        try connection.add("dave", value: "nobody")
        // What is deleted empties the journal, so that the file has everything.
        try connection.delete("dave")
        let original = keychain
        defer { cfault_watch(original.path) }
        for number in 1...200 {
            let keychain = try TestKeychain(in: TestKeychain.folderInMemory)
            try FileManager.default.createDirectory(atPath: keychain.path, withIntermediateDirectories: true)
            for (from, to) in [
                (original.database, keychain.database), (original.keybag, keychain.keybag),
                (original.deviceKey, keychain.deviceKey), (original.lock, keychain.lock),
            ] {
                try FileManager.default.copyItem(atPath: from, toPath: to)
            }
            chmod(keychain.path, 0o700)
            cfault_watch(keychain.path)
            cfault_arm(UInt32(fault.kind.rawValue), Int32(number), fault.code, isForEver)
            let store = Result { () throws(KeychainError) in try keychain.open(MigrationTests.next) }
            let count = Int(cfault_disarm())
            if case .failure(let error) = store { #expect(error.code == fault.outcome, "\(number)") }
            (try? store.get())?.close()
            let version = try keychain.sql { try Int32.fetchOne($0, sql: "PRAGMA user_version") }
            #expect(version == MigrationTests.old || version == MigrationTests.new, "\(number)")
            if version == MigrationTests.old {
                #expect((try? store.get()) == nil, "\(number)")
                #expect(try keychain.connection().all().count == 3, "\(number)")
            }
            let next = try keychain.open(MigrationTests.next)
            #expect(try next.passwords == 3, "\(number)")
            next.close()
            if count < number { return }
        }
        Issue.record("there are more than 200 operations")
    }

    @Test(arguments: DiskFault.all)
    func `an opening, with its recovery and its checkpoint`(fault: DiskFault) throws {
        try expectEveryFault(fault) { number in
            // The journal has something for the opening to read, and no process has its shared memory.
            try connection.add("frank-\(number)")
            unlink(keychain.database + "-shm")
            return keychain.connection()
        } operation: { (connection, _) throws(KeychainError) in
            _ = try connection.all()
        } effect: { _, _ in
        }
    }

    @Test(arguments: DiskFault.all)
    func `a search by a process that has the keychain open`(fault: DiskFault) throws {
        try expectEveryFault(fault) { number in
            try connection.add("grace-\(number)")
            return connection
        } operation: { (connection, _) throws(KeychainError) in
            _ = try connection.all()
        } effect: { _, _ in
        }
    }

    /// The journal is durable already, so whatever happens to its writing back is no failure of the change.
    @Test(arguments: DiskFault.all.filter { $0.kind == CFAULT_TRUNCATE })
    func `a checkpoint whose truncation fails does not undo the deletion before it`(fault: DiskFault) throws {
        try expectEveryFault(fault, isSafe: true) { number in
            try connection.add("heidi-\(number)")
            return connection
        } operation: { (connection, number) throws(KeychainError) in
            try connection.delete("heidi-\(number)")
        } effect: { items, number in
            items.remove("heidi-\(number)=value")
        }
    }

    @Test(arguments: DiskFault.all.filter { $0.outcome == .diskFull || $0.kind == CFAULT_SYNC })
    func `a disk that goes on failing keeps every acknowledged item, and works again when it works`(
        fault: DiskFault
    ) throws {
        let before = try connection.all()
        for first in 1...12 {
            cfault_arm(UInt32(fault.kind.rawValue), Int32(first), fault.code, true)
            var added: [String] = []
            for index in 0..<4 {
                let account = "\(first)-\(index)"
                let code = failure { () throws(KeychainError) in try connection.add(account) }
                #expect(code == nil || code == fault.outcome)
                if code == nil { added.append(account) }
            }
            _ = cfault_disarm()
            #expect(try connection.accounts().filter { $0.hasPrefix("\(first)-") } == added)
            #expect(try keychain.connection().accounts().filter { $0.hasPrefix("\(first)-") } == added)
        }
        for account in try connection.accounts() where account.contains("-") { try connection.delete(account) }
        #expect(try connection.all() == before)
    }
}

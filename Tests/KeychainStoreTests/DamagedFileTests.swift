import CoreFoundationAliases
import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Security
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

/// A file is not what it was. The keychain says so and what to do, and leaves every byte where it is.
@Suite("Damaged, missing and foreign files")
struct DamagedFileTests {
    private let keychain: TestKeychain

    init() throws {
        keychain = try TestKeychain()
        try keychain.connection().add("alice")
    }

    /// Does harm, and expects all four calls to fail in the same way, with a message for the log.
    private func expectRefusal(
        _ status: OSStatus = errSecNotAvailable,
        saying hint: String,
        afterwards: () throws -> Void = {},
        sourceLocation: SourceLocation = #_sourceLocation,
        harm: () throws -> Void
    ) throws {
        try harm()
        let before = try keychain.contents()
        let connection = keychain.connection()
        CurrentKeychain.$override.withValue(connection) {
            let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "bob"]
            #expect(SecItemAdd(item as CFDictionary, nil) == status, sourceLocation: sourceLocation)
            #expect(SecItemCopyMatching(item as CFDictionary, nil) == status, sourceLocation: sourceLocation)
            let changes = [kSecAttrLabel: "label"] as CFDictionary
            #expect(SecItemUpdate(item as CFDictionary, changes) == status, sourceLocation: sourceLocation)
            #expect(SecItemDelete(item as CFDictionary) == status, sourceLocation: sourceLocation)
        }
        let messages = keychain.log.messages
        #expect(messages.contains { $0.contains(hint) }, "\(messages)", sourceLocation: sourceLocation)
        #expect(messages.count == 1, "once for each reason", sourceLocation: sourceLocation)
        var after = try keychain.contents()
        // SQLite makes an empty journal where there is none, to read what is beside it.
        if before["keychain.db-wal"] == nil, after["keychain.db-wal"]?.isEmpty ?? false {
            after["keychain.db-wal"] = nil
        }
        #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
        for (name, bytes) in before { #expect(after[name] == bytes, "\(name)", sourceLocation: sourceLocation) }
    }

    // MARK: - The database

    @Test func `a missing database is not made anew`() throws {
        try expectRefusal(saying: "put it back") {
            try FileManager.default.removeItem(atPath: keychain.database)
        }
    }

    @Test func `a database of no length keeps the journal beside it, in which everything still is`() throws {
        let database = try keychain.read(keychain.database)
        #expect(try !keychain.read(keychain.journal).isEmpty)
        try expectRefusal(saying: "restore") {
            try keychain.write([], to: keychain.database)
        }
        // The journal has the item; the file beneath it had only the empty tables.
        try keychain.write(database, to: keychain.database)
        #expect(try keychain.connection().all() == ["alice=value"])
    }

    @Test(arguments: [1, 99, 100, 512, 4095, 4096, 3 * 4096, 8 * 4096 + 100, -4096])
    func `a truncated database with a journal is refused`(length: Int) throws {
        try expectRefusal(saying: "restore") {
            let bytes = try keychain.read(keychain.database)
            // A negative length is what is cut off.
            try keychain.write(Array(bytes.prefix(length < 0 ? bytes.count + length : length)), to: keychain.database)
        }
    }

    @Test(arguments: [1, 99, 100, 512, 4095, 4096, 3 * 4096, 8 * 4096 + 100, -4096])
    func `a truncated database without a journal is refused`(length: Int) throws {
        try keychain.connection().delete("alice")
        #expect(try keychain.read(keychain.journal).isEmpty)
        try expectRefusal(saying: "restore") {
            let bytes = try keychain.read(keychain.database)
            // A negative length is what is cut off.
            try keychain.write(Array(bytes.prefix(length < 0 ? bytes.count + length : length)), to: keychain.database)
        }
    }

    @Test func `a database of zeroes or noise is refused`() throws {
        let size = try keychain.read(keychain.database).count
        try expectRefusal(saying: "restore") {
            try keychain.write([UInt8](repeating: 0, count: size), to: keychain.database)
        }
        let other = try DamagedFileTests()
        try other.expectRefusal(saying: "restore") {
            try other.keychain.write((0..<size).map { _ in .random(in: 0...255) }, to: other.keychain.database)
        }
    }

    @Test func `a database whose pages are noise behind a good header is refused`() throws {
        try keychain.connection().delete("alice")
        try expectRefusal(saying: "restore") {
            var bytes = try keychain.read(keychain.database)
            for index in 100..<bytes.count { bytes[index] = .random(in: 0...255) }
            try keychain.write(bytes, to: keychain.database)
        }
    }

    @Test func `another program's database is refused`() throws {
        try expectRefusal(saying: "restore") {
            try FileManager.default.removeItem(atPath: keychain.database)
            try FileManager.default.removeItem(atPath: keychain.journal)
            try keychain.sql("CREATE TABLE notes (text); INSERT INTO notes VALUES ('milk')")
        }
    }

    @Test func `a database of a newer version is refused`() throws {
        try expectRefusal(saying: "newer") {
            try keychain.sql("PRAGMA user_version = \(MigrationTests.new); PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    @Test func `a directory, a link or a pipe in the place of the database is refused`() throws {
        for harm in [
            { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
            { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0 + "-elsewhere") },
            { guard mkfifo($0, 0o600) == 0 else { throw POSIXError(.EIO) } },
        ] as [(String) throws -> Void] {
            let other = try DamagedFileTests()
            let database = other.keychain.database
            try other.expectRefusal(saying: "restore") {
                try FileManager.default.moveItem(atPath: database, toPath: database + "-elsewhere")
                try harm(database)
            }
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER planted AFTER INSERT ON genp BEGIN INSERT INTO usage VALUES (99, 1); END",
        "CREATE VIEW planted AS SELECT * FROM genp",
        "CREATE TABLE planted (x)",
        "ALTER TABLE genp ADD COLUMN planted",
        "DROP INDEX genp_acct",
        "CREATE INDEX planted ON genp (secret)",
        "CREATE TRIGGER planted BEFORE DELETE ON inet BEGIN SELECT raise(IGNORE); END",
    ])
    func `a schema that is not the keychain's is refused`(statement: String) throws {
        try expectRefusal(saying: "restore") {
            try keychain.sql(statement)
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER planted AFTER INSERT ON genp BEGIN UPDATE genp SET pdmn = 3; END",
        "CREATE VIEW planted AS SELECT * FROM genp",
        "CREATE TABLE planted (x)",
        "ALTER TABLE genp ADD COLUMN planted",
        "DROP INDEX genp_acct",
    ])
    func `a schema that another program changes while the keychain is open stops the next write`(
        statement: String
    ) throws {
        let connection = keychain.connection()
        try connection.add("bob")
        try keychain.sql(statement)
        #expect(failure { () throws(KeychainError) in try connection.add("carol") } == .notAvailable)
        #expect(failure { () throws(KeychainError) in try connection.update("bob", value: "x") } == .notAvailable)
        #expect(failure { () throws(KeychainError) in try connection.delete("bob") } == .notAvailable)
        #expect(keychain.log.messages.contains { $0.contains("restore") })
        #expect(try keychain.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM genp WHERE pdmn = 1") } == 2)
    }

    @Test func `a database of another keychain is refused`() throws {
        let other = try TestKeychain()
        try other.connection().add("mallory")
        try expectRefusal(saying: "put the files back") {
            try FileManager.default.removeItem(atPath: keychain.journal)
            try keychain.write(other.read(other.database), to: keychain.database)
        }
    }

    @Test(arguments: [
        "DELETE FROM header",
        "UPDATE header SET content = zeroblob(41)",
        "UPDATE header SET code = zeroblob(32)",
        "UPDATE header SET code = NULL WHERE 0; UPDATE header SET code = x''",
        "UPDATE header SET content = substr(content, 1, 40) || x'02'",
    ])
    func `a database whose header row was changed is refused`(statement: String) throws {
        try expectRefusal(saying: "back") { try keychain.sql(statement) }
    }

    // MARK: - The keybag

    @Test func `a missing keybag is not made anew`() throws {
        try expectRefusal(saying: "put it back") {
            try FileManager.default.removeItem(atPath: keychain.keybag)
        }
    }

    @Test(arguments: [0, 3, 4, 8, 48, 49, 80, 81, 300, 575, 576])
    func `a truncated keybag is refused`(length: Int) throws {
        try expectRefusal(saying: "put the") {
            try keychain.write(Array(keychain.read(keychain.keybag).prefix(length)), to: keychain.keybag)
        }
    }

    @Test(arguments: [0, 5, 8, 24, 47, 48, 49, 50, 60, 300, 560])
    func `a keybag with a byte flipped is refused`(index: Int) throws {
        try expectRefusal(saying: "put the") {
            var bytes = try keychain.read(keychain.keybag)
            bytes[index] ^= 0x10
            try keychain.write(bytes, to: keychain.keybag)
        }
    }

    @Test func `another keychain's keybag is refused`() throws {
        let other = try TestKeychain()
        try other.connection().add("mallory")
        try expectRefusal(saying: "put the files back") {
            try keychain.write(other.read(other.keybag), to: keychain.keybag)
        }
    }

    @Test func `another keybag with its device key is refused`() throws {
        let other = try TestKeychain()
        try other.connection().add("mallory")
        try expectRefusal(saying: "put the files back") {
            try keychain.write(other.read(other.keybag), to: keychain.keybag)
            try keychain.write(other.read(other.deviceKey), to: keychain.deviceKey)
        }
    }

    @Test func `a keybag of a newer version is refused`() throws {
        try expectRefusal(saying: "newer") {
            var bytes = try keychain.read(keychain.keybag)
            bytes[4] = 4
            try keychain.write(bytes, to: keychain.keybag)
        }
    }

    @Test func `a keybag that is older than the database is refused, and a newer one is not`() throws {
        let key = try DeviceKeyFile(file: SecretBytes(keychain.read(keychain.deviceKey))).key
        let original = try keychain.read(keychain.keybag)
        let uuid = try Keybag(file: original, under: key).uuid
        func put(generation: UInt8) throws {
            var body = Array(original.dropLast(32))
            body[47] = generation
            try keychain.write(body + Keybag.authenticationCode(of: body, under: key, uuid: uuid), to: keychain.keybag)
        }
        // A crash between the writing of the keybag and that of the database's header leaves one.
        for generation: UInt8 in [2, 9] {
            try put(generation: generation)
            #expect(try keychain.connection().accounts() == ["alice"])
        }
        try put(generation: 8)
        #expect(failure { () throws(KeychainError) in try keychain.connection().accounts() } == .notAvailable)
        #expect(keychain.log.messages.contains { $0.contains("older") })
    }

    @Test func `a keybag that is far too large is not read`() throws {
        try expectRefusal(saying: "put the original file back") {
            try keychain.write([UInt8](repeating: 0, count: 1 << 20), to: keychain.keybag)
        }
    }

    // MARK: - The device key

    @Test func `a missing device key is not made anew`() throws {
        try expectRefusal(saying: "put it back") {
            try FileManager.default.removeItem(atPath: keychain.deviceKey)
        }
    }

    @Test(arguments: [0, 7, 8, 39])
    func `a truncated device key is refused`(length: Int) throws {
        try expectRefusal(saying: "put the original file back") {
            try keychain.write(Array(keychain.read(keychain.deviceKey).prefix(length)), to: keychain.deviceKey)
        }
    }

    @Test func `a device key of a newer version is refused`() throws {
        try expectRefusal(saying: "newer") {
            var bytes = try keychain.read(keychain.deviceKey)
            bytes[4] = 3
            try keychain.write(bytes, to: keychain.deviceKey)
        }
    }

    @Test func `another keychain's device key is refused`() throws {
        let other = try TestKeychain()
        try other.connection().add("mallory")
        try expectRefusal(saying: "put the files back") {
            try keychain.write(other.read(other.deviceKey), to: keychain.deviceKey)
        }
    }

    @Test(arguments: [0o644, 0o640, 0o660, 0o604, 0o602, 0o620, 0o601] as [mode_t])
    func `a device key or keybag that others may open is refused`(mode: mode_t) throws {
        try expectRefusal(saying: "chmod 600") { chmod(keychain.deviceKey, mode) }
        chmod(keychain.deviceKey, 0o600)
        let other = try DamagedFileTests()
        try other.expectRefusal(saying: "chmod 600") { chmod(other.keychain.keybag, mode) }
    }

    @Test(.enabled(if: Machine.allowsOtherUsers, "needs root and setpriv"))
    func `another user's device key is refused (needs root)`() throws {
        try expectRefusal(saying: "belong") {
            chown(keychain.deviceKey, Machine.nobodyIdentifier, Machine.nobodyIdentifier)
        }
    }

    @Test func `a link, a pipe or a directory in the place of the device key is refused`() throws {
        for harm in [
            { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
            { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0 + "-elsewhere") },
            { guard mkfifo($0, 0o600) == 0 else { throw POSIXError(.EIO) } },
        ] as [(String) throws -> Void] {
            let other = try DamagedFileTests()
            let file = other.keychain.deviceKey
            try other.expectRefusal(saying: "put the original file back") {
                try FileManager.default.moveItem(atPath: file, toPath: file + "-elsewhere")
                try harm(file)
            }
        }
    }

    // MARK: - The folder

    @Test(arguments: [0o755, 0o750, 0o701, 0o770] as [mode_t])
    func `a keychain in a folder that is open to others is refused`(mode: mode_t) throws {
        try expectRefusal(saying: "chmod 700") { chmod(keychain.path, mode) }
    }

    @Test(.enabled(if: Machine.allowsOtherUsers, "needs root and setpriv"))
    func `a keychain in another user's folder is refused (needs root)`() throws {
        try expectRefusal(saying: "belongs to another user") {
            chown(keychain.path, Machine.nobodyIdentifier, Machine.nobodyIdentifier)
        }
    }

    @Test func `a folder that is a file is refused`() throws {
        let fresh = try TestKeychain()
        try fresh.write([1], to: fresh.path)
        let connection = fresh.connection()
        #expect(failure { () throws(KeychainError) in try connection.add("alice") } == .notAvailable)
        #expect(fresh.log.messages.contains { $0.contains("not a folder") })
    }

    @Test func `an empty folder that was there before becomes private`() throws {
        let fresh = try TestKeychain()
        mkdir(fresh.path, 0o755)
        try fresh.connection().add("alice")
        var status = stat()
        #expect(stat(fresh.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }
}

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("A folder that is removed or replaced while it is open")
struct FolderTests {
    private let keychain: TestKeychain

    init() throws { keychain = try TestKeychain() }

    @Test func `after the folder was removed, the next call makes a new keychain`() throws {
        let connection = keychain.connection()
        try connection.add("alice")
        try FileManager.default.removeItem(atPath: keychain.path)
        try connection.add("bob")
        #expect(try connection.accounts() == ["bob"])
        #expect(try keychain.connection().accounts() == ["bob"])
    }

    @Test func `after the folder was replaced, the next call uses the new one`() throws {
        let other = try TestKeychain()
        try other.connection().add("carol")
        let connection = keychain.connection()
        try connection.add("alice")
        try FileManager.default.moveItem(atPath: keychain.path, toPath: keychain.path + "-old")
        try FileManager.default.moveItem(atPath: other.path, toPath: keychain.path)
        try connection.add("bob")
        #expect(try keychain.connection().accounts() == ["bob", "carol"])
        #expect(try connection.accounts() == ["bob", "carol"])
    }

    @Test func `after the database alone was replaced by a copy, the next call uses the copy`() throws {
        let connection = keychain.connection()
        try connection.add("alice")
        try connection.update("alice", value: "old")
        let copy = try keychain.read(keychain.database)
        try connection.add("bob")
        try connection.delete("bob")
        try FileManager.default.removeItem(atPath: keychain.database)
        try FileManager.default.removeItem(atPath: keychain.journal)
        try FileManager.default.removeItem(atPath: keychain.database + "-shm")
        try keychain.write(copy, to: keychain.database)
        try connection.add("carol")
        #expect(try keychain.connection().accounts() == ["alice", "carol"])
    }

    @Test func `a folder that is removed and made again without rest loses no acknowledged item`() throws {
        let connection = keychain.connection()
        for round in 0..<20 {
            try connection.add("alice-\(round)")
            #expect(try keychain.connection().accounts() == ["alice-\(round)"])
            try FileManager.default.removeItem(atPath: keychain.path)
        }
    }

    @Test func `an existing empty folder, a deep path and a relative part are taken`() throws {
        try FileManager.default.createDirectory(atPath: keychain.path, withIntermediateDirectories: false)
        try keychain.connection().add("alice")
        #expect(try keychain.connection().accounts() == ["alice"])
    }
}

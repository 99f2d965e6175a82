import Foundation
import KeychainEngine
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainClient
@testable import KeychainServiceClient

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

    @Test func `a database that is replaced while a write waits for its turn is not the one that is written`() throws {
        let connection = keychain.connection()
        try connection.add("alice")
        try connection.update("alice", value: "old")
        let copy = try keychain.read(keychain.database)
        let lock = try WriterLock(path: keychain.lock)
        let writing = DispatchGroup()
        let outcome = Mutex<KeychainError.Code?>(nil)
        var isWaiting = false
        try lock.withLock { () throws(KeychainError) in
            writing.enter()
            Thread.detachNewThread {
                let code = failure { () throws(KeychainError) in try connection.add("bob") }
                outcome.withLock { $0 = code }
                writing.leave()
            }
            // The other has looked whether its database is in place before it waits.
            isWaiting = eventually { waitingCalls(of: connection) == 1 }
            for file in [keychain.journal, keychain.database + "-shm", keychain.database] { unlink(file) }
            _ = FileManager.default.createFile(atPath: keychain.database, contents: Data(copy))
        }
        writing.wait()
        try #require(isWaiting, "the write did not come to wait for the lock")
        #expect(outcome.withLock { $0 } == nil)
        chmod(keychain.database, 0o600)
        #expect(try keychain.connection().accounts() == ["alice", "bob"])
        #expect(try connection.accounts() == ["alice", "bob"])
    }

    private func waitingCalls(of connection: EmbeddedKeychain) -> Int? {
        try? connection.withEngine { $0.commitCounts.waiting }
    }

    @Test func `a folder moved away while it is open is used no more`() throws {
        let connection = keychain.connection()
        try connection.add("alice")
        let before = keychain.surroundings + "/moved"
        try FileManager.default.moveItem(atPath: keychain.path, toPath: before)
        #expect(try connection.accounts() == [])
        try connection.add("bob")
        try FileManager.default.removeItem(atPath: keychain.path)
        try FileManager.default.moveItem(atPath: before, toPath: keychain.path)
        #expect(try connection.accounts() == ["alice"])
        #expect(try connection.verify().isWhole)
    }

    @Test func `with the clock set back nothing but dates is different, and the modification date still grows`() throws
    {
        let connection = keychain.connection()
        let reference = try connection.add("alice", value: "first")
        func modified() throws -> Double {
            guard case .date(let date) = try connection.find(reference)?.attributes["mdat"] else { return .nan }
            return date
        }
        var last = try modified()
        for (index, now) in [last - 1e9, last - 1, -1e12, 0].enumerated() {
            try KeychainEngine.$clock.withValue({ now }) {
                #expect(try connection.update("alice", value: "value-\(index)") == 1)
                #expect(try modified() > last)
                last = try modified()
                #expect(try connection.value(of: "alice") == "value-\(index)")
                let early = try connection.add("early-\(index)")
                #expect(try connection.find(early)?.attributes["cdat"] == .date(now))
                #expect(try connection.verify().isWhole)
                #expect(try connection.delete("early-\(index)") == 1)
            }
        }
        #expect(try keychain.connection().all() == ["alice=value-3"])
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

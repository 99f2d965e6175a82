import Foundation
import GRDB
import KeychainModel
import KeychainTestSupport
import Testing

/// A child of a fork has its parent's memory, and must have neither its connections nor its locks.
@Suite("fork")
struct ForkTests {
    private func run(_ scenario: String) throws -> [String] {
        let keychain = try TestKeychain()
        let (_, lines) = try ProbeProcess.run(keychain, ["fork", scenario])
        if FileManager.default.fileExists(atPath: keychain.database) {
            #expect(try keychain.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        }
        return lines
    }

    @Test func `parent and child write at the same time, and nothing is lost`() throws {
        let lines = try run("idle")
        #expect(lines == ["fine"])
    }

    @Test func `children of a process whose threads use the keychain all the time use it too`() throws {
        let lines = try run("readers")
        #expect(lines == ["fine"])
    }

    /// What is made at its first use is half made in a child if the fork does not wait for it. Rare, so tried often.
    @Test func `children of a process whose threads make their first calls use it too`() throws {
        for _ in 0..<8 {
            let lines = try run("first-calls")
            #expect(lines == ["fine"])
        }
    }

    @Test func `children of children use the keychain`() throws {
        let lines = try run("nested")
        #expect(lines == ["fine"])
    }

    @Test func `a child inherits neither a connection nor the lock`() throws {
        let lines = try run("descriptors")
        #expect(lines == ["fine"])
    }

    @Test(arguments: ["idle", "readers", "first-calls", "nested"])
    func `with the keychain service a child connects anew, and nothing is lost`(scenario: String) throws {
        let keychain = try TestKeychain()
        let service = try ServiceProcess(in: keychain.surroundings)
        #expect(service.waitUntilReady())
        let (_, lines) = try ProbeProcess.run(
            keychain,
            ["fork", scenario],
            environment: ["CHATELAINE_KEYCHAIN": "unix:" + service.socket]
        )
        #expect(lines == ["fine"])
    }

    @Test func `a keychain in memory goes on in both, each with its own`() throws {
        let lines = try run("memory")
        #expect(lines == ["fine"])
    }

    @Test(arguments: ["hanging", "hanging-nested", "hanging-opening"])
    func `a child that was forked while a call hung is told errSecNotAvailable, and can fork in its turn`(
        scenario: String
    ) throws {
        let keychain = try TestKeychain()
        mkdir(keychain.path, 0o700)
        let probe = try ProbeProcess(keychain, ["fork", scenario])
        #expect(probe.waitForLine("ready"))
        let holder = try ProbeProcess(keychain, ["hold-lock", keychain.lock])
        #expect(holder.waitForLine("held"))
        probe.release()
        #expect(probe.waitForLine("fine"), "\(probe.lines)")
        holder.release()
        probe.wait()
    }

    @Test func `a child that deletes while another process reads cleans up when that one is done`() throws {
        let keychain = try TestKeychain()
        let probe = try ProbeProcess(keychain, ["fork", "delete"])
        #expect(probe.waitForLine("ready"))
        let reader = try ProbeProcess(keychain, ["hold-snapshot", keychain.path])
        #expect(reader.waitForLine("held"))
        probe.release()
        #expect(probe.waitForLine("deleted"))
        #expect(probe.waitForLine("not empty yet"), "\(probe.lines)")
        #expect(probe.isRunning)
        reader.release()
        reader.wait()
        #expect(probe.waitForLine("fine"), "\(probe.lines)")
        probe.wait()
    }
}

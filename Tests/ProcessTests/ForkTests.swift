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
        #expect(try run("idle") == ["fine"])
    }

    @Test func `children of a process whose threads use the keychain all the time use it too`() throws {
        #expect(try run("readers") == ["fine"])
    }

    @Test func `children of children use the keychain`() throws {
        #expect(try run("nested") == ["fine"])
    }

    @Test func `a child inherits neither a connection nor the lock`() throws {
        #expect(try run("descriptors") == ["fine"])
    }

    @Test func `a keychain in memory goes on in both, each with its own`() throws {
        #expect(try run("memory") == ["fine"])
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
        usleep(200_000)
        #expect(probe.isRunning)
        reader.release()
        reader.wait()
        #expect(probe.waitForLine("fine"), "\(probe.lines)")
        probe.wait()
    }
}

import Foundation
import GRDB
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("Many processes on one keychain")
struct ConcurrencyTests {
    @Test func `eight processes that add, find, update and delete do not fail each other`() throws {
        let keychain = try TestKeychain()
        _ = try ProbeProcess.run(keychain, ["add", "first", "1"])
        let probes = try (0..<8).map { try ProbeProcess(keychain, ["mix", "process-\($0)", "4"]) }
        for probe in probes { #expect(probe.wait() == 0) }
        let lines = probes.flatMap(\.lines)
        #expect(lines.filter { $0.hasPrefix("failed") } == [])
        func numbers(_ name: String) -> [Int] {
            lines.filter { $0.hasPrefix(name) }.compactMap { Int($0.dropFirst(name.count + 1)) }
        }
        #expect(numbers("longest").count == 8)
        #expect((numbers("longest").max() ?? .max) < 30_000)
        print("\(numbers("calls").reduce(0, +)) calls, the longest of each process in ms: \(numbers("longest"))")
        #expect(try keychain.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    }

    @Test func `of eight processes that add the same items, one succeeds with each`() throws {
        let keychain = try TestKeychain()
        let probes = try (0..<8).map { _ in try ProbeProcess(keychain, ["race", "60"]) }
        for probe in probes { #expect(probe.wait() == 0) }
        let won = probes.flatMap(\.lines)
        #expect(won.sorted() == (0..<60).map { "won \($0)" }.sorted())
    }

    @Test func `an item that moves between two groups is found exactly once at every moment`() throws {
        let keychain = try TestKeychain()
        let entitlements = keychain.surroundings + "/probe.entitlements"
        let list: [String: Any] = ["keychain-access-groups": ["group.a", "group.b"]]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: entitlements))
        let connection = keychain.connection(groups: ["group.a", "group.b"])
        try connection.add("wanderer") { $0.accessGroup = "group.a" }
        let probe = try ProbeProcess(
            keychain,
            ["move", "wanderer", "group.a", "group.b", "2"],
            environment: ["CHATELAINE_ENTITLEMENTS": entitlements]
        )
        #expect(probe.waitForLine("moving"))
        var counts: [Int: Int] = [:]
        try waitUntil("the item has moved for two seconds", pause: 0) {
            counts[try connection.accounts().count, default: 0] += 1
            return !probe.isRunning
        }
        #expect(probe.lines.last == "done")
        #expect(counts.keys.sorted() == [1], "found so many times: \(counts)")
    }

    @Test func `a call that waits for a stopped process fails, and its message names that process`() throws {
        let keychain = try TestKeychain()
        try keychain.connection().add("alice")
        let holder = try ProbeProcess(keychain, ["hold-lock", keychain.lock])
        #expect(holder.waitForLine("held"))
        holder.signal(SIGSTOP)
        let connection = keychain.connection(patience: .milliseconds(300))
        #expect(failure { () throws(KeychainError) in try connection.add("bob") } == .notAvailable)
        let message = keychain.log.messages.last ?? ""
        #expect(message.contains("process \(holder.identifier) (KeychainProbe)"), "\(message)")
        // Reading needs no lock.
        #expect(try connection.accounts() == ["alice"])
        holder.signal(SIGCONT)
        holder.release()
        #expect(holder.wait() == 0)
        try connection.add("bob")
        #expect(try connection.accounts() == ["alice", "bob"])
    }

    @Test func `the lock of a process that was killed is free`() throws {
        let keychain = try TestKeychain()
        try keychain.connection().add("alice")
        let holder = try ProbeProcess(keychain, ["hold-lock", keychain.lock])
        #expect(holder.waitForLine("held"))
        holder.kill()
        try keychain.connection(patience: .milliseconds(300)).add("bob")
    }
}

import EnclaveInterface
import Foundation
import KeychainCircles
import KeychainModel
import KeychainSync
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// What disks, transports and programs with the files do to a keychain of a circle.
@Suite("A circle whose keychains and folders are damaged")
struct DamageTests {
    private let site: CircleFolder

    init() throws {
        site = try CircleFolder()
    }

    private func two(with accounts: [String] = ["alice", "bob"]) throws -> [SharedKeychain] {
        let all = try devices(2, at: site)
        for account in accounts { try all[0].add(account, "of \(account)") }
        try settle(all)
        return all
    }

    private static let whole = ["alice=of alice", "bob=of bob"]

    // MARK: - The database

    @Test(arguments: [
        "DELETE FROM genp", "UPDATE genp SET secret = randomblob(16)", "UPDATE genp SET metadata = randomblob(99)",
        "UPDATE genp SET aside = id", "UPDATE genp SET version = randomblob(16)", "UPDATE genp SET sync = 7",
    ])
    func `rows that are damaged or lost come back from the circle, and are never deletions`(damage: String) throws {
        let all = try two()
        try all[0].sql(damage)
        let report = try all[0].synchronize()
        #expect(report.repaired == 2 && report.damaged == 0)
        try settle(all)
        for device in all { #expect(try device.items == Self.whole) }
    }

    @Test(arguments: [
        "INSERT INTO gone SELECT 'genp', uuid, 1, randomblob(32) FROM genp; DELETE FROM genp",
        "UPDATE shared SET name = randomblob(32); DELETE FROM genp",
        "UPDATE shared SET code = randomblob(32); DELETE FROM genp",
        "DELETE FROM shared; DELETE FROM genp",
    ])
    func `who has only the file cannot delete items on other devices`(attack: String) throws {
        let all = try two()
        try all[0].sql(attack)
        for _ in 0..<3 { try all[0].synchronize() }
        try all[1].settle()
        #expect(try all[1].items == Self.whole)
    }

    @Test func `who has only the file cannot turn the deletion of one item into that of another`() throws {
        let all = try two()
        try all[0].lock()
        try all[0].delete("alice")
        try all[0].unlock()
        try all[0].sql(
            """
            UPDATE shared SET name = (SELECT s.name FROM shared s JOIN genp g ON g.uuid = s.uuid)
            WHERE uuid NOT IN (SELECT uuid FROM genp);
            UPDATE shared SET name = randomblob(32) WHERE uuid IN (SELECT uuid FROM genp);
            """
        )
        try all[0].synchronize()
        try all[1].synchronize()
        #expect(try all[1].items.contains("bob=of bob"))
    }

    @Test func `a removal that was undone is no deletion later`() throws {
        let all = try two(with: ["alice"])
        // Without a tombstone, a mark says that it was removed.
        try all[0].lock()
        try all[0].delete("alice")
        try all[0].unlock()
        func token() throws -> AuthorizationToken {
            try all[0].owner.authorize(.restore, passcode: SharedKeychain.passcode)
        }
        let version = try #require(try all[0].circle.earlierVersions(.token(try token())).first)
        #expect(try all[0].circle.bringBack(version.number, .token(try token())) == "service, alice")
        try settle(all)
        for device in all { #expect(try device.items == ["alice=of alice"]) }
        try all[0].sql("DELETE FROM genp")
        try settle(all)
        for device in all { #expect(try device.items == ["alice=of alice"]) }
    }

    @Test(arguments: [
        "UPDATE circle SET value = randomblob(64) WHERE length(key) > 1", "DELETE FROM circle WHERE key = x'01'",
    ])
    func `what is known of the circle is all there, or the keychain says that it is damaged`(damage: String) throws {
        let all = try two()
        try all[0].sql(damage)
        let error = #expect(throws: KeychainError.self) { try all[0].synchronize() }
        #expect(error?.code == .undecodable && error?.message.contains("join it again") == true)
        #expect(try all[0].items == Self.whole)
        // A missing piece is not one that does not open.
        #expect(try all[0].problems() == (damage.hasPrefix("UPDATE") ? ["circle"] : []))
        #expect(try all[1].problems().isEmpty)
        // The owner does as it says.
        try all[0].owner.allow(.forget, with: try all[0].token())
        try all[0].circle.forget(all[0].token())
        try all[1].approve(all[0])
        try settle(all)
        for device in all { #expect(try device.items == Self.whole) }
    }

    @Test func `an item that is lost everywhere is told of, and stops nothing else`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "of alice")
        try all[0].synchronize()
        try all[0].sql("DELETE FROM genp; DELETE FROM segment")
        for case let name as String in FileManager.default.enumerator(atPath: site.path) ?? .init()
        where name.contains("/seg/") { try? FileManager.default.removeItem(atPath: site.path + "/" + name) }
        for _ in 0..<2 { #expect(try all[0].synchronize().damaged == 1) }
        try all[0].add("bob", "of bob")
        #expect(try all[0].synchronize().sent == 1)
        #expect(try all[1].synchronize().isWaitingForOthers)
        // Where it is stored again, others have it, too.
        try all[0].add("alice", "again")
        #expect(try all[0].synchronize().damaged == 0)
    }

    @Test func `segments that were changed in the database are not sent`() throws {
        let all = try devices(2, at: site)
        try all[0].synchronize()
        let before = Set(site.files.keys)
        try all[0].add("alice", "one")
        let failing = FailingTransport(site.transport, after: 0, counts: .writes)
        _ = try? all[0].circle.synchronize(over: failing)
        try all[0].sql("UPDATE segment SET value = zeroblob(1024) WHERE id = (SELECT max(id) FROM segment)")
        try all[0].synchronize()
        let after = site.files.filter { !before.contains($0.key) && $0.key.contains("/seg/") }
        #expect(after.isEmpty)
    }

    @Test func `a repair of the database keeps the circle`() throws {
        let all = try two()
        all[0].engine.close()
        let path = all[0].path
        let repaired = KeychainDirectory(path: path, cost: .uncheckedLeast)
        try all[0].sql("CREATE TABLE planted (id INTEGER)", reopening: false)
        let report = try repaired.repair(log: .init(label: "test"))
        guard case .replaced = report.outcome else {
            Issue.record("nothing was replaced")
            return
        }
        try all[0].reopen()
        try all[0].update("alice", "changed")
        try settle(all)
        for device in all { #expect(try device.items == ["alice=changed", "bob=of bob"]) }
    }

    @Test func `a keychain that was put back from a copy loses nothing that others have`() throws {
        let all = try two()
        let copy = all[0].path + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        all[0].engine.close()
        try FileManager.default.copyItem(atPath: all[0].path, toPath: copy)
        try all[0].reopen()
        try all[0].add("carol", "of carol")
        try all[1].add("dave", "of dave")
        try settle(all)
        all[0].engine.close()
        try FileManager.default.removeItem(atPath: all[0].path)
        try FileManager.default.moveItem(atPath: copy, toPath: all[0].path)
        try all[0].reopen()
        try all[0].add("erin", "of erin")
        for round in 1...4 {
            let now = KeychainEngine.now + Double(round) * 3_600
            try KeychainEngine.$clock.withValue({ now }) { try settle(all) }
        }
        let items = ["alice=of alice", "bob=of bob", "carol=of carol", "dave=of dave", "erin=of erin"]
        for device in all { #expect(try device.items == items) }
    }

    @Test func `two copies of one keychain become two journals, and nothing of either is lost`() throws {
        let all = try two()
        all[0].engine.close()
        let copy = try SharedKeychain(copyOf: all[0], at: site)
        try all[0].reopen()
        try all[0].add("carol", "of carol")
        try copy.add("dave", "of dave")
        let every = [all[0], copy, all[1]]
        for round in 1...6 {
            let now = KeychainEngine.now + Double(round) * 3_600
            try KeychainEngine.$clock.withValue({ now }) { for device in every { try device.synchronize() } }
        }
        let items = ["alice=of alice", "bob=of bob", "carol=of carol", "dave=of dave"]
        for device in every { #expect(try device.items == items) }
    }

    // MARK: - The folder

    @Test func `a folder that is empty again is filled again`() throws {
        let all = try two()
        for name in try FileManager.default.contentsOfDirectory(atPath: site.path) {
            try FileManager.default.removeItem(atPath: site.path + "/" + name)
        }
        try settle(all)
        try all[0].add("carol", "of carol")
        try settle(all)
        for device in all { #expect(try device.items == Self.whole + ["carol=of carol"]) }
    }

    @Test func `a segment that was replaced in the folder is written again, and hides nothing for long`() throws {
        let all = try two()
        let circle = try all[0].circle.status().circle
        let before = try Set(site.transport.list(.segment, in: circle))
        try all[0].add("carol", "of carol")
        _ = try all[0].synchronize()
        let new = try Set(site.transport.list(.segment, in: circle)).subtracting(before)
        #expect(!new.isEmpty)
        for name in new { try site.transport.write([UInt8](repeating: 7, count: 1_024), as: name, in: circle) }
        _ = try all[1].synchronize()
        #expect(try all[1].items == Self.whole)
        // A round looks at one segment, and there are few.
        for _ in 0..<300 where try all[1].items == Self.whole { for device in all { _ = try device.synchronize() } }
        #expect(try all[1].items == Self.whole + ["carol=of carol"])
    }

    @Test func `what is new is written at once, and what the folder has lost after it`() throws {
        let all = try two()
        let circle = try all[0].circle.status().circle
        let own = try #require(try all[0].circle.replica()?.own?.id)
        let old = try #require(
            site.transport.list(.segment, in: circle).first { if case .segment(own, _, _) = $0 { true } else { false } }
        )
        try site.transport.remove(old, in: circle)
        try all[0].add("carol", "of carol")
        let noting = NotingTransport(site.transport)
        _ = try all[0].circle.synchronize(over: noting)
        #expect(noting.written.map { $0.map(\.kind) } == [[.segment, .head], [.segment]])
        #expect(noting.written.last == [old])
        try settle(all)
        #expect(try all[1].items == Self.whole + ["carol=of carol"])
    }

    @Test func `another folder gets nothing that names what it lacks`() throws {
        let all = try two()
        let other = try CircleFolder()
        try all[0].add("carol", "of carol")
        let noting = NotingTransport(other.transport)
        _ = try all[0].circle.synchronize(over: noting)
        let kinds = noting.written.flatMap { $0.map(\.kind) }
        #expect(kinds.last == .head && kinds.filter { $0 == .head }.count == 1)
        let firstEntry = try #require(kinds.firstIndex(of: .entry))
        #expect(!kinds[firstEntry...].contains(.segment) && kinds.contains(.segment))
    }

    @Test func `nothing that a round has replaced is in the journal soon after it, also where it fails`() throws {
        let all = try two()
        for left in [Int.max, 3, 0] {
            try all[0].add("item \(left)", "new")
            do throws(KeychainError) {
                _ = try all[0].circle.synchronize(over: FailingTransport(site.transport, after: left, counts: .writes))
            } catch {
                #expect(error.code == .diskFull)
            }
            try waitUntil("the journal is empty") {
                let journal = try FileManager.default.attributesOfItem(atPath: all[0].path + "/keychain.db-wal")
                return journal[.size] as? Int == 0
            }
        }
    }

    @Test func `a head that is not listed among very many is not written again while it is as it was`() throws {
        let all = try two()
        let transport = FailingTransport(site.transport, after: 0, counts: .writes, hiding: .head)
        for _ in 0..<3 { _ = try all[0].circle.synchronize(over: transport) }
    }

    @Test func `a folder that is not there is told of, and what was changed meanwhile comes later`() throws {
        let all = try two(with: [])
        all[0].transport = .init(path: site.path + "/nowhere")
        try all[0].add("alice", "of alice")
        let error = #expect(throws: KeychainError.self) { try all[0].synchronize() }
        #expect(error?.code == .notAvailable)
        all[0].transport = site.transport
        try settle(all)
        #expect(try all[1].items == ["alice=of alice"])
    }

    @Test func `nothing in the folder can be read, nor told apart below 1 KiB`() throws {
        let all = try devices(2, at: site)
        var sizes: [Set<Int>] = []
        for (number, value) in ["short", String(repeating: "canary", count: 60), "canary"].enumerated() {
            let before = Set(site.files.keys)
            try all[0].add("canary-account-\(number)", value) {
                $0.attributes["labl"] = .string("canary label")
                $0.attributes["svce"] = .string("canary-service-\(number)")
            }
            try all[0].synchronize()
            let new = site.files.filter { !before.contains($0.key) && $0.key.contains("/seg/") }
            sizes.append(Set(new.map(\.value.count).filter { $0 > 0 }))
        }
        #expect(sizes.allSatisfy { $0.count == 1 && $0 == sizes[0] })
        for device in all { try device.settle() }
        let words = ["canary", "short", SharedKeychain.group, "passcode", "svce", "genp"].map { Data($0.utf8) }
        for (name, content) in site.files {
            #expect(!words.contains { content.range(of: $0) != nil }, "\(name)")
            #expect(!name.contains("canary"))
        }
        // Nor in the database, beside the items.
        let files = try FileManager.default.contentsOfDirectory(atPath: all[1].path)
        for name in files {
            let content = FileManager.default.contents(atPath: all[1].path + "/" + name) ?? Data()
            #expect(content.range(of: Data("canary".utf8)) == nil, "\(name)")
        }
    }

    // MARK: - Stops

    @Test func `stopped between any two steps, a round goes on later with nothing lost or doubled`() throws {
        let all = try two()
        var stops = 0
        var expected = Self.whole
        for calls in 0..<40 {
            let account = "item \(calls)"
            try all[0].add(account, "1")
            expected.append("\(account)=1")
            if calls > 0 { try all[1].update("item \(calls - 1)", "\(calls)") }
            if calls > 0 { expected[expected.count - 2] = "item \(calls - 1)=\(calls)" }
            for device in all {
                do throws(KeychainError) {
                    _ = try device.circle.synchronize(over: FailingTransport(device.transport, after: calls))
                } catch {
                    stops += 1
                    #expect(error.code == .diskFull)
                }
                try device.reopen()
            }
            try settle(all)
        }
        #expect(stops > 10)
        for device in all { #expect(try device.items == expected.sorted()) }
    }
}

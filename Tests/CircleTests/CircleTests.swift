import Foundation
import KeychainCircles
import KeychainModel
import KeychainSync
import KeychainTestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("Keychains of one circle of devices")
struct CircleTests {
    private let site: CircleFolder

    init() throws {
        site = try CircleFolder()
    }

    private func expect(
        _ items: [String],
        on devices: [SharedKeychain],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for device in devices { #expect(try device.items == items, sourceLocation: sourceLocation) }
    }

    @Test func `what one adds, changes and deletes, the others have`() throws {
        let all = try devices(3, at: site)
        try all[0].add("alice", "one")
        try all[1].add("bob", "two")
        try all[2].add("carol", "three", isSynchronizable: false)
        try settle(all)
        try expect(["alice=one", "bob=two"], on: [all[0], all[1]])
        try expect(["alice=one", "bob=two", "carol=three"], on: [all[2]])
        try all[2].update("alice", "changed")
        try all[0].delete("bob")
        try settle(all)
        try expect(["alice=changed"], on: [all[0], all[1]])
        try expect(["alice=changed", "carol=three"], on: [all[2]])
    }

    @Test func `what was there before comes along, that of the newcomer too`() throws {
        let (first, second) = (try SharedKeychain(at: site), try SharedKeychain(at: site))
        try first.add("alice", "one")
        try second.add("bob", "two")
        try second.add("alice", "newer")
        try first.found()
        try first.approve(second)
        try settle([first, second])
        try expect(["alice=newer", "bob=two"], on: [first, second])
    }

    @Test func `a new primary key is one item on all devices, and so is an item that is added again`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[1].update("alice") { $0.attributes["acct"] = .string("alicia") }
        try settle(all)
        try expect(["alicia=one"], on: all)
        try all[0].delete("alicia")
        try all[0].add("alicia", "again")
        try all[1].add("alice", "back")
        try settle(all)
        try expect(["alice=back", "alicia=again"], on: all)
    }

    @Test func `an item that is not synchronizable any more stays where it is, and nowhere else`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[1].update("alice") { $0.isSynchronizable = false }
        try settle(all)
        try expect([], on: [all[0]])
        try expect(["alice=one"], on: [all[1]])
        try all[1].update("alice") { $0.isSynchronizable = true }
        try settle(all)
        try expect(["alice=one"], on: all)
    }

    @Test func `persistent references stay, and attributes and dates are the same on all devices`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one") { $0.attributes["labl"] = .string("Alice") }
        try settle(all)
        let reference = try #require(try all[1].found(.persistentReference).first).reference
        try all[0].update("alice", "two") { $0.attributes["icmt"] = .string("a comment") }
        try settle(all)
        let (first, second) = (try #require(try all[0].found().first), try #require(try all[1].found().first))
        #expect(second.reference == reference)
        #expect(second.attributes["icmt"] == .string("a comment") && second.attributes["labl"] == .string("Alice"))
        for key: AttributeKey in ["cdat", "mdat"] {
            guard case .date(let here) = first.attributes[key], case .date(let there) = second.attributes[key] else {
                Issue.record("an item has no date")
                return
            }
            #expect(abs(here - there) < 0.001)
        }
    }

    @Test func `a process that ends and begins again knows what it knew`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try all[0].reopen()
        try all[0].synchronize()
        try all[1].reopen()
        try settle(all)
        try expect(["alice=one"], on: all)
        let report = try all[0].synchronize()
        #expect(report.isEmpty && report.isMember && !report.isReading)
    }

    @Test func `devices that are not connected for long have all in the end`() throws {
        let all = try devices(3, at: site)
        for number in 0..<20 {
            try all[number % 3].add("item \(number)", "value \(number)")
            // The third is away.
            try settle([all[0], all[1]])
        }
        for number in stride(from: 0, to: 20, by: 3) where number % 2 == 0 { try all[1].delete("item \(number)") }
        try settle(all)
        let items = try all[0].items
        #expect(items.count == 16)
        try expect(items, on: all)
    }

    // MARK: - Conflicts, and earlier versions

    private func past(_ device: SharedKeychain, _ account: String? = nil) throws -> [(String, PastVersion.Reason)] {
        let authorization = device.engine.policy.authorizeSynchronization()
        return try device.engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
            var versions: [(String, PastVersion.Reason)] = []
            for number in try transaction.pastNumbers(of: .genericPassword).reversed() {
                guard let version = try transaction.pastVersion(number) else { continue }
                guard case .item(let item)? = try device.engine.vault.open([version.row], for: authorization).first
                else { continue }
                let value = item.secrets[.valueData]?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } ?? ""
                versions.append((value, version.reason))
            }
            return versions
        }
    }

    @Test func `of two changes the later one counts on all devices, and the other one is kept`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[0].update("alice", "earlier")
        try all[1].update("alice", "later")
        try settle(all)
        try expect(["alice=later"], on: all)
        // The other one had read it when it said so.
        #expect(try past(all[0]).map(\.0) == ["earlier", "one"])
        #expect(try past(all[1]).contains { $0 == ("earlier", .lost) })
    }

    @Test func `a change that lost against another device's is kept there as well`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[0].update("alice", "earlier")
        try all[1].update("alice", "later")
        // The second one is read first.
        try all[1].synchronize()
        try all[0].synchronize()
        let report = try all[1].synchronize()
        try expect(["alice=later"], on: all)
        #expect(report.lost == 1)
        #expect(try past(all[1]).contains { $0 == ("earlier", .lost) })
    }

    @Test func `the earlier version that gives way to another device's is in no file when the round publishes`() throws
    {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[0].update("alice", "earlier")
        for number in 1...11 { try all[1].update("alice", "\(number)") }
        try all[1].synchronize()
        try all[0].synchronize()
        let oldest = try all[1].engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
            guard let number = try transaction.pastNumbers(of: .genericPassword).first else { return [UInt8]() }
            return Array(try transaction.pastVersion(number)?.row.secret.prefix(24) ?? [])
        }
        #expect(oldest.count == 24)
        #expect(try all[1].files(with: oldest) == ["keychain.db"])
        // So that the round has something to publish.
        try all[1].add("bob")
        var places: [[String]] = []
        let device = all[1]
        let transport = WatchedTransport(site.transport) { step in
            if step == .write, let found = try? device.files(with: oldest) { places.append(found) }
        }
        #expect(try device.circle.synchronize(over: transport).lost == 1)
        #expect(places.first == [])
    }

    @Test func `when a round has ended, nothing is left in the journal`() throws {
        let all = try devices(1, at: site)
        for number in 1...5 {
            try all[0].add("account-\(number)")
            #expect(try all[0].synchronize().sent == 1)
            let journal = FileManager.default.contents(atPath: all[0].path + "/keychain.db-wal")
            #expect(journal?.count ?? 0 == 0)
        }
    }

    @Test func `what was replaced and deleted is kept, ten versions of an item, and only of shared ones`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "0")
        try all[0].add("own", "secret", isSynchronizable: false)
        try all[0].update("own", "other secret")
        try all[0].delete("own")
        for number in 1...12 { try all[0].update("alice", "\(number)") }
        try all[0].delete("alice")
        try settle(all)
        #expect(try past(all[0]).map(\.0) == (3...12).reversed().map(String.init))
        #expect(try past(all[0]).first?.1 == .deleted)
    }

    @Test func `a keychain that belongs to no circle keeps no earlier versions`() throws {
        let device = try SharedKeychain(at: site)
        try device.add("alice", "one")
        try device.update("alice", "two")
        try device.delete("alice")
        #expect(try past(device).isEmpty)
    }

    @Test func `earlier versions go after 90 days`() throws {
        let all = try devices(1, at: site)
        try all[0].add("alice", "one")
        try all[0].update("alice", "two")
        try all[0].synchronize()
        #expect(try past(all[0]).count == 1)
        let now = KeychainEngine.now
        try KeychainEngine.$clock.withValue({ now + 89 * 86_400 }) { _ = try all[0].synchronize() }
        #expect(try past(all[0]).count == 1)
        try KeychainEngine.$clock.withValue({ now + 91 * 86_400 }) { _ = try all[0].synchronize() }
        #expect(try past(all[0]).isEmpty)
    }

    // MARK: - Locks

    @Test func `what comes while a device is locked is there once it is unlocked`() throws {
        let all = try devices(2, at: site)
        try all[1].lock()
        try all[0].add("alice", "one")
        try all[0].add("bob", "two") { $0.accessibility = .afterFirstUnlock }
        try all[0].synchronize()
        let report = try all[1].synchronize()
        #expect(report.isWaitingForUnlock)
        #expect(try all[1].items.contains("alice=one") == false)
        try all[1].unlock()
        try settle(all)
        try expect(["alice=one", "bob=two"], on: all)
    }

    @Test func `what is deleted while its device is locked is deleted on all`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[0].lock()
        try all[0].delete("alice")
        try all[0].synchronize()
        try all[1].synchronize()
        try expect([], on: [all[1]])
        try all[0].unlock()
        try settle(all)
        try expect([], on: all)
    }

    @Test func `a change that was locked before it was sent is not lost to another device's deletion`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[1].update("alice", "changed")
        try all[1].lock()
        try all[0].delete("alice")
        try all[0].synchronize()
        try all[1].synchronize()
        try all[1].synchronize()
        try all[1].unlock()
        try settle(all)
        try expect(["alice=changed"], on: all)
    }

    // MARK: - Clocks

    @Test(arguments: [-400.0, 400.0])
    func `a device whose clock is wrong by a year loses nothing, and others say so`(days: Double) throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        let wrong = KeychainEngine.now + days * 86_400
        try KeychainEngine.$clock.withValue({ wrong }) {
            try all[1].update("alice", "two")
            try all[1].add("bob", "of the other")
            try all[1].synchronize()
        }
        try all[0].synchronize()
        try expect(["alice=two", "bob=of the other"], on: all)
        let member = try #require(try all[0].circle.status().members.first { !$0.isThisDevice })
        #expect((member.ahead != nil) == (days > 0))
        // What follows is later, whatever the clocks say.
        try all[0].update("alice", "three")
        try all[0].delete("bob")
        try all[0].synchronize()
        try KeychainEngine.$clock.withValue({ wrong + 60 }) { _ = try all[1].synchronize() }
        try expect(["alice=three"], on: all)
    }

    // MARK: - Members

    @Test func `a removed device gets nothing more, and keeps what it has`() throws {
        let all = try devices(3, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[0].remove(all[2])
        try settle([all[0], all[1]])
        try all[1].add("bob", "two")
        try settle([all[0], all[1]])
        let report = try all[2].synchronize()
        #expect(!report.isMember)
        try all[2].add("carol", "three")
        try all[2].synchronize()
        try settle([all[0], all[1]])
        try expect(["alice=one", "bob=two"], on: [all[0], all[1]])
        try expect(["alice=one", "carol=three"], on: [all[2]])
    }

    @Test func `a device that leaves and joins again has all`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try settle(all)
        try all[0].remove(all[1])
        try all[1].synchronize()
        try all[1].owner.allow(.forget, with: try all[1].token())
        try all[1].circle.forget(all[1].token())
        #expect(throws: CircleFailure.noCircle) { try all[1].synchronize() }
        try all[1].add("bob", "two")
        try all[0].approve(all[1])
        try settle(all)
        try expect(["alice=one", "bob=two"], on: all)
    }

    // MARK: - Beside it

    @Test func `new keys seal all of it anew`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one")
        try all[0].update("alice", "two")
        try settle(all)
        try all[0].engine.rotateKeys(try all[0].owner.authorize(.rotateKeys, passcode: SharedKeychain.passcode))
        try all[0].reopen()
        #expect(try past(all[0]).map(\.0) == ["one"])
        try all[0].update("alice", "three")
        try settle(all)
        try expect(["alice=three"], on: all)
    }

    @Test func `certificates, keys and internet passwords travel too`() throws {
        let all = try devices(2, at: site)
        try all[0].add("alice", "one") {
            $0 = AddRequest(itemClass: .internetPassword)
            $0.attributes["srvr"] = .string("example.org")
            $0.attributes["acct"] = .string("alice")
            $0.attributes["port"] = .integer(8443)
            $0.secrets[.valueData] = SecretBytes(Array("internet".utf8))
            $0.isSynchronizable = true
            $0.returns = .persistentReference
        }
        try all[0].add("alice", "one") {
            $0 = AddRequest(itemClass: .key)
            $0.attributes["klbl"] = .data([1, 2, 3])
            $0.attributes["kcls"] = .integer(2)
            $0.secrets[.valueData] = SecretBytes([9, 9, 9])
            $0.isSynchronizable = true
            $0.returns = .persistentReference
        }
        try settle(all)
        for itemClass in [ItemClass.internetPassword, .key] {
            let counts = try all.map { device in
                try device.engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
                    var count = 0
                    try transaction.forEachRow(of: itemClass) { _ in count += 1 }
                    return count
                }
            }
            #expect(counts == [1, 1])
        }
    }

    @Test func `an item that is too large to travel stays, and is told of`() throws {
        let all = try devices(2, at: site)
        try all[0].add("large", String(repeating: "x", count: 600_000))
        try all[0].add("small", "one")
        let report = try all[0].synchronize()
        #expect(report.tooLarge == 1 && report.sent == 1)
        try settle(all)
        try expect(["small=one"], on: [all[1]])
        #expect(try all[0].items.count == 2)
    }

    @Test func `what nobody needs any more goes from the folder`() throws {
        let all = try devices(2, at: site)
        for number in 0..<150 {
            try all[0].add("item", "value \(number)")
            try all[0].synchronize()
            try all[0].delete("item")
            try all[0].synchronize()
        }
        let hour = 3_700.0
        let now = KeychainEngine.now
        for round in 1...6 {
            try KeychainEngine.$clock.withValue({ now + Double(round) * hour }) { try settle(all) }
        }
        let segments = site.files.keys.filter { $0.contains("/seg/") && $0.split(separator: "/").count == 6 }
        #expect(segments.count < 120, "\(segments.count) segments")
        try expect([], on: all)
    }
}

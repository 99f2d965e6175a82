import Foundation
import KeychainTestSupport
import Testing

@Suite("The commands about synchronization")
struct SyncCommandTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-sync-\(UUID().uuidString)"

    private func devices(_ kind: CommandDevice.Kind, _ count: Int) throws -> [CommandDevice] {
        try (0..<count).map { _ in try CommandDevice(kind, folder: folder) }
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    @Test(arguments: CommandDevice.Kind.possible)
    func `three devices share what is stored on each of them`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 3)
        let (first, second, third) = (devices[0], devices[1], devices[2])
        try first.add("alice", "one")
        try second.add("bob", "two")
        #expect(try first.done(["chatelaine", "sync", "create", folder]).contains("1 item"))
        try first.approve(second)
        try first.approve(third)
        for device in devices + devices { try device.now() }
        // Nothing of the ceremonies stays.
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        #expect(!files.contains { $0.hasSuffix("/1") && $0.contains("/join/") })
        for device in devices {
            #expect(try device.value("alice") == "one")
            #expect(try device.value("bob") == "two")
        }
        try third.add("alice", "changed")
        #expect(try third.status()["unsent"] as? Int == 1)
        #expect(try third.now()["sent"] as? Int == 1)
        #expect(try first.now()["received"] as? Int == 1)
        #expect(try first.value("alice") == "changed")
        try first.done(["security", "delete-generic-password", "-s", "mail", "-a", "bob"])
        try first.now()
        #expect(try second.now()["removed"] as? Int == 1)
        #expect(try second.value("bob") == nil)
        #expect(try second.now()["sent"] as? Int == 0)
        guard kind != .embedded else { return }
        // What was done stands in the record.
        for name in ["sync-create", "sync-answer", "sync-add", "sync-receive", "sync-rename"] {
            #expect(first.record.contains("\"\(name)\""), "\(name)")
        }
        for name in ["sync-ask", "sync-join", "sync-receive", "sync-device-added"] {
            #expect(second.record.contains("\"\(name)\""), "\(name)")
        }
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `a passcode is asked for, and the wrong digits add nobody`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        let (first, second) = (devices[0], devices[1])
        try first.add("alice", "one")
        try first.done(["chatelaine", "passcode", "set", "--stdin"], input: ["secret", "secret"])
        try first.done(["chatelaine", "unlock", "--stdin"], input: ["secret"])
        // Root is not asked.
        let passcode = geteuid() == 0 ? [] : ["secret"]
        if geteuid() != 0 {
            let refused = try first.run(["chatelaine", "sync", "create", folder, "--stdin"], input: ["wrong"])
            #expect(refused.status == 1)
        }
        try first.done(["chatelaine", "sync", "create", folder, "--stdin"], input: passcode)
        let join = try second.start(["chatelaine", "sync", "join", folder, "--stdin"])
        let approve = try first.start(["chatelaine", "sync", "approve", "--stdin"])
        for line in passcode { try approve.type(line) }
        let digits = try join.digits("Type at the other device: ").filter(\.isNumber)
        let wrong = String(digits.dropLast()) + (digits.last == "0" ? "1" : "0")
        try approve.type(wrong)
        #expect(approve.wait() == 1)
        #expect(approve.errors.contains("not the digits"))
        join.kill()
        #expect((try first.status()["members"] as? [Any])?.count == 1)
        try first.approve(second, passcodes: (passcode, []))
        try second.now()
        #expect(try second.value("alice") == "one")
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `a device that is removed, and one that leaves, get nothing more and keep what they have`(
        kind: CommandDevice.Kind
    ) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 3)
        let (first, second, third) = (devices[0], devices[1], devices[2])
        try first.add("alice", "one")
        try first.done(["chatelaine", "sync", "create", folder])
        try first.approve(second)
        try first.approve(third)
        for device in devices { try device.now() }
        let members = try #require(try second.status()["members"] as? [[String: Any]])
        let own = try #require(members.first { $0["thisDevice"] as? Bool == true }?["id"] as? String)
        #expect(try first.run(["chatelaine", "sync", "remove", "ff"]).status == 1)
        try first.done(["chatelaine", "sync", "remove", String(own.prefix(8))])
        try third.done(["chatelaine", "sync", "leave"])
        try first.now()
        try first.add("bob", "two")
        try first.now()
        let removed = try second.run(["chatelaine", "sync", "now"])
        #expect(removed.status == 1 && removed.output.contains("removed"))
        let left = try third.run(["chatelaine", "sync", "now"])
        #expect(left.status == 1 && left.errors.contains("no circle"))
        for device in [second, third] {
            #expect(try device.value("alice") == "one")
            #expect(try device.value("bob") == nil)
        }
        #expect((try first.status()["members"] as? [Any])?.count == 1)
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `a recovery key brings everything to a new device where all others are lost`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        let (first, second) = (devices[0], devices[1])
        try first.add("alice", "one")
        try first.done(["chatelaine", "sync", "create", folder])
        let key = try first.done(["chatelaine", "sync", "recovery-key"]).trimmingCharacters(in: .newlines)
        try first.add("bob", "two")
        try first.now()
        let wrong = "0" + key.dropFirst()
        let join = ["chatelaine", "sync", "join", folder, "--recovery-key", "--accept-dates", "--stdin"]
        if wrong != key { #expect(try second.run(join, input: [wrong]).status == 1) }
        try second.done(join, input: [key.lowercased()])
        #expect(try second.value("alice") == "one")
        #expect(try second.value("bob") == "two")
        try second.add("carol", "three")
        try second.now()
        try first.now()
        #expect(try first.value("carol") == "three")
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `devices have names, by which they are listed and removed`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 3)
        func names(_ device: CommandDevice) throws -> Set<String> {
            let members = try #require(try device.status()["members"] as? [[String: Any]])
            return Set(members.compactMap { $0["name"] as? String })
        }
        for (command, name) in [
            ("create", ""), ("join", "bad\u{1B}name"), ("create", String(repeating: "n", count: 65)),
        ] {
            let refused = try devices[0].run(["chatelaine", "sync", command, "--name", name, folder])
            #expect(refused.status == 2 && refused.errors.contains("1 to 64 characters"), "\(refused.errors)")
        }
        // Nothing was begun.
        #expect(try devices[0].run(["chatelaine", "sync", "status"]).status == 1)
        let created = try devices[0].done(["chatelaine", "sync", "create", "--name", "study", folder])
        #expect(created.contains("0 items"))
        try devices[0].approve(devices[1], as: "laptop")
        try devices[0].approve(devices[2], as: "laptop")
        for device in devices + devices { try device.now() }
        for device in devices { #expect(try names(device) == ["study", "laptop"]) }
        // Two of one name are told apart by their identifiers alone.
        #expect(try devices[0].run(["chatelaine", "sync", "remove", "laptop"]).status == 1)
        let bad = try devices[2].run(["chatelaine", "sync", "rename", "bad\u{1B}[2Jname"])
        #expect(bad.status == 1 && bad.errors.contains("control characters"))
        try devices[2].done(["chatelaine", "sync", "rename", "phone, old"])
        #expect(try devices[2].now()["sent"] as? Int == 0)
        #expect(try devices[0].now()["received"] as? Int == 0)
        #expect(try names(devices[0]) == ["study", "laptop", "phone, old"])
        #expect(try devices[0].status()["items"] as? Int == 0)
        #expect(try versions(["history"], devices[0]).isEmpty)
        let removed = try devices[0].run(["chatelaine", "sync", "remove", "phone, old"])
        #expect(removed.status == 0 && removed.errors.contains("This removes") && removed.errors.contains("phone, old"))
        for device in [devices[1], devices[0]] { try device.now() }
        for device in devices.prefix(2) { #expect(try names(device) == ["study", "laptop"]) }
    }

    private func versions(_ words: [String], _ device: CommandDevice) throws -> [[String: Any]] {
        let output = try device.done(["chatelaine"] + words + ["--json"])
        return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `what was replaced or deleted is listed, and comes back on all devices`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        let (first, second) = (devices[0], devices[1])
        try first.add("alice", "one")
        try first.done(["chatelaine", "sync", "create", folder])
        try first.approve(second)
        try first.add("alice", "two")
        try first.now()
        try second.now()
        try second.done(["security", "delete-generic-password", "-s", "mail", "-a", "alice"])
        for device in [second, first, second] { try device.now() }
        #expect(try first.value("alice") == nil)
        // Each device has what was replaced there.
        #expect(try versions(["history", "ALICE"], first).map { $0["reason"] as? String } == ["deleted", "replaced"])
        #expect(try versions(["history", "bob"], first).isEmpty)
        let deleted = try versions(["deleted"], second)
        #expect(deleted.map { $0["title"] as? String } == ["mail, alice"])
        let number = try #require(deleted.first?["number"] as? Int)
        try second.done(["chatelaine", "restore", String(number)])
        #expect(try second.value("alice") == "two")
        #expect(try versions(["deleted"], second).isEmpty)
        for device in [second, first] { try device.now() }
        #expect(try first.value("alice") == "two")
        // And the one before it.
        let earlier = try versions(["history"], first).first { $0["reason"] as? String == "replaced" }
        try first.done(["chatelaine", "restore", String(try #require(earlier?["number"] as? Int))])
        for device in [first, second] { try device.now() }
        for device in [first, second] { #expect(try device.value("alice") == "one") }
        #expect(try first.run(["chatelaine", "restore", "9999"]).status == 1)
        // What is deleted for good is restored no more, here.
        try first.done(["chatelaine", "discard", String(try #require(earlier?["number"] as? Int))])
        for command in ["restore", "discard"] {
            #expect(
                try first.run(["chatelaine", command, String(try #require(earlier?["number"] as? Int))]).status == 1
            )
        }
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `what is not there is said at once`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let all = try devices(kind, 2)
        let first = all[0]
        func expect(_ words: [String], _ message: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let finished = try first.run(["chatelaine", "sync"] + words)
            #expect(finished.status == 1, sourceLocation: sourceLocation)
            #expect(finished.errors.contains(message), "\(finished.errors)", sourceLocation: sourceLocation)
        }
        try expect(["create", folder + "/nowhere"], "no folder")
        try expect(["join", folder], "no circle is in")
        for command in ["now", "status", "devices", "approve", "recovery-key", "run"] {
            try expect([command], "no circle")
        }
        try first.done(["chatelaine", "sync", "create", folder])
        try expect(["create", folder], "belongs to a circle")
        try expect(["join", folder], "belongs to a circle")
        // A second one beside it would share nothing with it.
        let refused = try all[1].run(["chatelaine", "sync", "create", folder])
        #expect(refused.status == 1 && refused.errors.contains("chatelaine sync join"), "\(refused.errors)")
        try all[1].done(["chatelaine", "sync", "create", "--another", folder])
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-moved")
        try expect(["now"], "cannot be")
        try FileManager.default.moveItem(atPath: folder + "-moved", toPath: folder)
        #expect(try first.now()["member"] as? Bool == true)
    }
}

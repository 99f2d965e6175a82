import Foundation
import KeychainTestSupport
import Testing

@Suite("Synchronization in trouble")
struct SyncTroubleTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-sync-\(UUID().uuidString)"

    private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    /// Devices in one circle, of which the first has an item.
    private func devices(_ kind: CommandDevice.Kind, _ count: Int) throws -> [CommandDevice] {
        let devices = try (0..<count).map { _ in try CommandDevice(kind, folder: folder) }
        try devices[0].add("alice", "one")
        try devices[0].done(["chatelaine", "sync", "create", folder])
        for device in devices.dropFirst() { try devices[0].approve(device) }
        try settle(devices)
        return devices
    }

    private func settle(_ devices: [CommandDevice]) throws {
        for _ in 0..<3 { for device in devices { try device.now() } }
    }

    private func expect(
        _ values: [String: String],
        on devices: [CommandDevice],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (number, device) in devices.enumerated() {
            for (account, value) in values {
                #expect(try device.value(account) == value, "device \(number)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `what comes while a device is locked is there once it is unlocked`(kind: CommandDevice.Kind) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        try devices[1].done(["chatelaine", "passcode", "set", "--stdin"], input: ["secret", "secret"])
        try devices[1].done(["chatelaine", "lock"])
        try devices[0].add("alice", "changed")
        try devices[0].add("bob", "two")
        try devices[0].now()
        #expect(try devices[1].now()["waitingForUnlock"] as? Bool == true)
        #expect(try devices[1].status()["waitingForUnlock"] as? Bool == true)
        #expect(try devices[1].value("bob") == nil)
        try devices[1].done(["chatelaine", "unlock", "--stdin"], input: ["secret"])
        try devices[1].now()
        try expect(["alice": "changed", "bob": "two"], on: devices)
        #expect(try devices[1].status()["waitingForUnlock"] as? Bool == false)
    }

    @Test func `a service tells of a round that did not reach the folder until one does`() throws {
        defer { cleanUp() }
        let device = try devices(.service, 1)[0]
        #expect(try device.status()["failure"] is NSNull)
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-away")
        let now = try device.run(["chatelaine", "sync", "now"])
        #expect(now.status != 0)
        let failure = try #require(try device.status()["failure"] as? String)
        #expect(now.errors.contains(failure), "\(now.errors)")
        #expect(try device.done(["chatelaine", "sync", "status"]).contains("failed   \(failure)"))
        try FileManager.default.moveItem(atPath: folder + "-away", toPath: folder)
        try device.now()
        #expect(try device.status()["failure"] is NSNull)
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `a device whose disk was set back, and a copy of one, have all in the end, and lose nothing`(
        kind: CommandDevice.Kind
    ) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        let copy = devices[1].place + "/copy"
        devices[1].killService()
        try devices[1].copy(to: copy)
        try devices[1].startService()
        try devices[1].add("bob", "two")
        try devices[0].add("alice", "changed")
        try settle(devices)
        devices[1].killService()
        try devices[1].setBack(to: copy)
        try devices[1].startService()
        #expect(try devices[1].value("bob") == nil)
        try devices[1].add("carol", "three")
        try settle(devices)
        try expect(["alice": "changed", "bob": "two", "carol": "three"], on: devices)
        // A machine that was copied is two devices that take each other for themselves.
        let clone = try CommandDevice(kind, folder: folder)
        clone.killService()
        try clone.setBack(to: copy)
        try clone.startService()
        try clone.add("dave", "four")
        try devices[1].add("erin", "five")
        for _ in 0..<3 { try settle(devices + [clone]) }
        try expect(["bob": "two", "carol": "three", "dave": "four", "erin": "five"], on: devices + [clone])
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"), arguments: CommandDevice.Kind.possible)
    func `a disk that is full at any write keeps what was stored back, and loses none of it (needs strace and ptrace)`(
        kind: CommandDevice.Kind
    ) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        func full(from call: Int) -> [String] {
            [
                "strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64,write", "-e",
                "inject=pwrite64,write:error=ENOSPC:when=\(call)+",
            ]
        }
        var failures = 0
        for call in (1...).lazy.map({ $0 < 12 ? $0 : $0 * 4 - 33 }) {
            try devices[0].add("alice", "changed \(call)")
            // Of the folder alone, where a service has the database.
            let finished = try devices[0].run(["chatelaine", "sync", "now"], wrapper: full(from: call))
            if finished.status == 0 { break }
            failures += 1
            try #require(call < 200)
            if call % 4 == 0 {
                try settle(devices)
                try expect(["alice": "changed \(call)"], on: devices)
            }
        }
        #expect(failures > 0)
        try settle(devices)
        guard kind != .embedded else { return }
        // And the database's.
        for call in [1, 2, 3, 5, 8, 13, 21] {
            try devices[0].add("bob", "changed \(call)")
            try devices[0].now()
            devices[1].killService()
            try devices[1].startService(wrapper: full(from: 40 + call))
            _ = try devices[1].run(["chatelaine", "sync", "now"])
            devices[1].killService()
            try devices[1].startService()
            try settle(devices)
            try expect(["bob": "changed \(call)"], on: devices)
        }
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `a device that is not connected for long says what it waits for, and has all in the end`(
        kind: CommandDevice.Kind
    ) throws {
        defer { cleanUp() }
        let devices = try devices(kind, 2)
        let hidden = folder + "-hidden"
        defer { try? FileManager.default.removeItem(atPath: hidden) }
        for number in 0..<20 {
            try devices[0].add("item \(number)", "of the first")
            try devices[0].now()
        }
        // Of what the first one has written, the newest segments have not come.
        let files = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
            .filter { $0.contains("/seg/") && $0.contains("-") }
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: false)
        for (number, file) in files.enumerated() {
            try FileManager.default.moveItem(atPath: folder + "/" + file, toPath: "\(hidden)/\(number)")
        }
        for number in 0..<20 { try devices[1].add("other \(number)", "of the second") }
        #expect(try devices[1].now()["waitingForOthers"] as? Bool == true)
        #expect(try devices[1].status()["waitingForOthersSince"] is String)
        for (number, file) in files.enumerated() {
            // Its own segments, the second one has written once more.
            guard !FileManager.default.fileExists(atPath: folder + "/" + file) else { continue }
            try FileManager.default.moveItem(atPath: "\(hidden)/\(number)", toPath: folder + "/" + file)
        }
        try settle(devices)
        #expect(try devices[1].status()["waitingForOthersSince"] is NSNull)
        try expect(["item 0": "of the first", "item 19": "of the first", "other 19": "of the second"], on: devices)
    }
}

import Foundation
import KeychainTestSupport
import Testing

@Suite(
    "Synchronization over an etcd cluster",
    .serialized,
    .enabled(if: ClusterSite.isPossible, "etcd is not installed, or chatelaine-etcd not built (scripts/etcd.sh build)")
)
struct ClusterSyncTests {
    private func expect(_ values: [String: String?], on devices: [CommandDevice]) throws {
        for (account, value) in values.sorted(by: { $0.key < $1.key }) {
            for (number, device) in devices.enumerated() {
                try waitUntil("device \(number) has \(account)", patience: 90, pause: 50_000) {
                    try device.value(account) == value
                }
            }
        }
    }

    /// Devices in one circle, called a, b and so on, each with credentials of its own.
    private func devices(_ kind: CommandDevice.Kind, _ count: Int, at site: ClusterSite) throws -> [CommandDevice] {
        try site.operate(["circle", "ada"])
        let devices = try (0..<count).map { number in
            try CommandDevice(kind, folder: site.address(of: ["a", "b", "c"][number], in: "ada"))
        }
        try devices[0].done(["chatelaine", "sync", "create", devices[0].folder])
        for device in devices.dropFirst() { try devices[0].approve(device) }
        return devices
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `what one stores the others have, as soon as the cluster tells of it`(kind: CommandDevice.Kind) throws {
        let site = try ClusterSite(nodes: 1)
        let devices = try devices(kind, 2, at: site)
        #expect(try devices[0].status()["folder"] as? String == devices[0].folder)
        #expect(try devices[0].done(["chatelaine", "sync", "status"]).contains("cluster  etcd://"))
        let running = try devices.map { try $0.carry() }
        defer { for process in running { process.kill() } }
        try devices[0].add("alice", "one")
        try devices[1].add("bob", "two")
        try expect(["alice": "one", "bob": "two"], on: devices)
        try devices[1].add("alice", "changed")
        try devices[0].done(["security", "delete-generic-password", "-s", "mail", "-a", "bob"])
        try expect(["alice": "changed", "bob": nil], on: devices)
        // A device that is removed by another one, and revoked by the operator, gets nothing more.
        try devices[0].done(["chatelaine", "sync", "remove", "another device"])
        try site.operate(["revoke", "ada", "b"])
        try devices[0].add("carol", "three")
        let finished = try devices[1].run(["chatelaine", "sync", "now"])
        #expect(finished.status != 0)
        #expect(finished.errors.contains("revoked"), "\(finished.errors)")
        if kind != .embedded {
            let failure = try devices[1].status()["failure"] as? String
            #expect(failure?.contains("revoked") == true, "\(failure ?? "none")")
        }
        #expect(try devices[1].value("carol") == nil)
        #expect(try devices[1].value("alice") == "changed")
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `a leader that is killed while three devices write costs no change`(kind: CommandDevice.Kind) throws {
        let site = try ClusterSite(nodes: 3)
        let devices = try devices(kind, 3, at: site)
        let running = try devices.map { try $0.carry() }
        defer { for process in running { process.kill() } }
        var values: [String: String?] = [:]
        func write(_ round: Int) throws {
            for (number, device) in devices.enumerated() {
                try device.add("item \(number)", "value \(round)")
                values["item \(number)"] = "value \(round)"
            }
        }
        for round in 0..<2 {
            try write(round * 2)
            try site.withoutLeader {
                try write(round * 2 + 1)
                try expect(values, on: devices)
            }
        }
    }

    @Test(arguments: CommandDevice.Kind.possible.filter { $0 != .system })
    func `a cluster that is set back to an older snapshot loses nothing that a device has`(
        kind: CommandDevice.Kind
    ) throws {
        let site = try ClusterSite(nodes: 3)
        let devices = try devices(kind, 3, at: site)
        try devices[0].add("alice", "old")
        for _ in 0..<2 { for device in devices { try device.now() } }
        let setBack = try site.snapshot()
        try devices[0].add("alice", "new")
        try devices[1].add("bob", "two")
        for _ in 0..<2 { for device in devices { try device.now() } }
        // One that nobody else has got when the cluster is set back.
        try devices[2].add("carol", "three")
        try devices[2].now()
        try setBack()
        for _ in 0..<3 { for device in devices { try device.now() } }
        try expect(["alice": "new", "bob": "two", "carol": "three"], on: devices)
        #expect(try devices.allSatisfy { try $0.status()["waitingForOthersSince"] is NSNull })
    }

    @Test func `what is wrong with an address or with credentials is said before anything is done`() throws {
        let site = try ClusterSite(nodes: 1)
        try site.operate(["circle", "ada"])
        try site.operate(["circle", "bob"])
        let (ada, bob) = (try site.address(of: "a", in: "ada"), try site.address(of: "b", in: "bob"))
        let device = try CommandDevice(folder: ada)
        func refused(_ place: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            for words in [["create"], ["join"]] {
                let finished = try device.run(["chatelaine", "sync"] + words + [place])
                #expect(finished.status == 1, sourceLocation: sourceLocation)
                #expect(finished.errors.contains(reason), "\(finished.errors)", sourceLocation: sourceLocation)
            }
            #expect(try device.run(["chatelaine", "sync", "status"]).status != 0, sourceLocation: sourceLocation)
        }
        try refused("etcd://127.0.0.1", "no address of a cluster")
        try refused("etcd://127.0.0.1/Ada", "small letters")
        try refused("etcd://127.0.0.1/a\u{1B}b", "no address of a cluster")
        try refused("etcd://127.0.0.1/ada?credentials=/nowhere.pem", "credentials are not at /nowhere.pem")
        // Of another circle, and of nobody any more.
        let credentials = try #require(bob.split(separator: "&").last)
        try refused(ada.split(separator: "&").dropLast().joined() + "&" + credentials, "does not let this device in")
        try site.operate(["revoke", "ada", "a"])
        try refused(ada, "revoked")
        // A file that others may read.
        let path = String(credentials.dropFirst("credentials=".count))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try refused(bob, "chmod 600")
    }

    @Test func `an operator is told what is wrong, and which nodes answer`() throws {
        let site = try ClusterSite(nodes: 3)
        func refused(_ words: [String], _ reason: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let finished = try site.tried(words)
            #expect(finished.status != 0, sourceLocation: sourceLocation)
            #expect(finished.errors.contains(reason), "\(finished.errors)", sourceLocation: sourceLocation)
        }
        try refused(["cluster", "n1=127.0.0.1"], "has something in it")
        try refused(["cluster", "n1=127.0.0.1", "n2=127.0.0.2", "--folder", "x"], "1, 3, 5 or 7")
        try refused(["cluster", "n1", "--folder", "x"], "NAME=HOST")
        try refused(["circle", "Ada"], "small letters")
        try refused(["circle", "root"], "no circle can be called")
        try refused(["device", "ada", "laptop"], "there is no circle ada")
        try refused(["circle", "ada", "--folder", "nowhere"], "no operator's folder")
        try site.operate(["circle", "ada"])
        try site.operate(["circle", "ada"])
        try site.operate(["device", "ada", "laptop"])
        try refused(["device", "ada", "laptop"], "has a device laptop")
        try refused(["revoke", "ada", "phone"], "has no device phone")
        #expect(try site.operate(["list"]) == "ada  laptop\n")
        try waitUntil("all nodes answer") { try site.tried(["status"]).status == 0 }
        try site.operate(["make-room"])
        try site.withoutLeader {
            let finished = try site.tried(["status"])
            #expect(finished.status == 1)
            #expect(finished.output.contains("does not answer"), "\(finished.output)")
        }
        try refused(["remove-circle", "ada"], "say --yes")
        try refused(["empty-circle", "ada"], "say --yes")
        try site.operate(["remove-circle", "--yes", "ada"])
        #expect(try site.operate(["list"]) == "")
    }
}

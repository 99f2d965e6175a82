import EtcdMessages
import EtcdOperator
import EtcdTransport
import Foundation
import Glibc
import SwiftProtobuf
import Synchronization
import Testing

@Suite("A cluster of three nodes", .timeLimit(.minutes(10)))
struct ThreeNodeTests {
    /// Names and bytes that a cluster has acknowledged, by the time at which it did.
    private final class Record: Sendable {
        private let written = Mutex<[String: (bytes: [UInt8], time: ContinuousClock.Instant)]>([:])
        private let isOver = Mutex(false)

        func add(_ name: String, _ bytes: [UInt8]) { written.withLock { $0[name] = (bytes, .now) } }

        var all: [String: [UInt8]] { written.withLock { $0.mapValues(\.bytes) } }
        var count: Int { written.withLock { $0.count } }

        /// When each writer's first write was acknowledged after an instant.
        func first(of writer: Int, after instant: ContinuousClock.Instant) -> ContinuousClock.Instant? {
            written.withLock { written in
                written.filter { $0.key.hasPrefix("c/seg/\(writer)-") && $0.value.time > instant }.values.map(\.time)
                    .min()
            }
        }

        func end() { isOver.withLock { $0 = true } }
        var hasEnded: Bool { isOver.withLock { $0 } }

        /// Writes until the end. What fails is written again, as devices do.
        func run(_ writer: Int, _ blobs: EtcdBlobs) async {
            var number = 0
            while !hasEnded {
                let (name, bytes) = ("c/seg/\(writer)-\(number)", Array("\(writer) \(number)".utf8))
                do {
                    try await blobs.write(bytes, as: name)
                    add(name, bytes)
                    number += 1
                } catch {}
            }
        }
    }

    private func disturb(
        _ body: (TestCluster, OperatorFolder.Node) async throws -> Void,
        bring back: (TestCluster, OperatorFolder.Node) throws -> Void
    ) async throws {
        let cluster = try await TestCluster(3)
        let devices = try await cluster.circle("ada", devices: ["a", "b", "c", "d"])
        let blobs = devices.map { EtcdBlobs(of: "ada", in: $0) }
        let watcher = blobs[3]
        let bell = Bell()
        watcher.watch("c/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        let record = Record()
        try await withThrowingTaskGroup { group in
            for writer in 0..<3 { group.addTask { await record.run(writer, blobs[writer]) } }
            try await eventually { record.count > 50 }
            for _ in 0..<2 {
                let leader = try await cluster.leader()
                try await body(cluster, leader)
                let begun = ContinuousClock.now
                // Each device writes again, within five seconds; a machine that has much to do is given more.
                for writer in 0..<3 {
                    try await eventually { record.first(of: writer, after: begun + .milliseconds(500)) != nil }
                }
                let slowest =
                    (0..<3).compactMap { record.first(of: $0, after: begun + .milliseconds(500)) }.max() ?? begun
                #expect(slowest - begun < .seconds(15))
                print("writing again after \(slowest - begun)")
                let count = record.count
                try await eventually { record.count > count + 50 }
                try back(cluster, leader)
            }
            record.end()
            try await group.waitForAll()
        }
        let written = record.all
        #expect(written.count > 100)
        // Nothing that was acknowledged is lost, and the watcher has missed none of it.
        try await eventually { try await Set(watcher.list("c/seg/")).isSuperset(of: written.keys) }
        for (name, bytes) in written { #expect(try await watcher.read(name, atMost: 64) == bytes) }
        let anew = EtcdBlobs(of: "ada", in: try await cluster.add("e", to: "ada"))
        #expect(try await Set(anew.list("c/seg/")).isSuperset(of: written.keys))
    }

    @Test func `a leader that is killed costs nothing that was acknowledged`() async throws {
        try await disturb { cluster, leader in
            cluster.kill(leader)
        } bring: { cluster, leader in
            try cluster.start(leader)
        }
    }

    @Test func `a leader that stops and goes on later costs nothing that was acknowledged`() async throws {
        try await disturb { cluster, leader in
            cluster.pause(leader)
        } bring: { cluster, leader in
            cluster.resume(leader)
        }
    }

    @Test func `a cluster that was set back to a snapshot is noticed, and what is missing can be written again`()
        async throws
    {
        let cluster = try await TestCluster(3)
        let devices = try await cluster.circle("ada", devices: ["a", "b"])
        let (mine, other) = (EtcdBlobs(of: "ada", in: devices[0]), EtcdBlobs(of: "ada", in: devices[1]))
        let bell = Bell()
        mine.watch("c/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        try await other.write([1], as: "c/head/1")
        let snapshot = cluster.place + "/snapshot"
        try cluster.etcdctl(["snapshot", "save", snapshot])
        for number in 0..<50 { try await other.write([UInt8(number)], as: "c/head/2") }
        try await eventually { try await mine.read("c/head/2", atMost: 9) == [49] }
        for node in cluster.nodes { cluster.kill(node) }
        let peers = cluster.nodes.map { "\($0.name)=https://127.0.0.1:\($0.peerPort)" }.joined(separator: ",")
        for node in cluster.nodes {
            let folder = cluster.folder.path + "/" + node.name
            try FileManager.default.removeItem(atPath: folder + "/data")
            try cluster.etcdctl(
                [
                    "snapshot", "restore", snapshot, "--name", node.name, "--initial-cluster", peers,
                    "--initial-cluster-token", "restored", "--initial-advertise-peer-urls",
                    "https://127.0.0.1:\(node.peerPort)", "--data-dir", folder + "/data",
                ]
            )
        }
        let rung = bell.rung
        for node in cluster.nodes { try cluster.start(node) }
        // The cluster knows nothing of the second head, and so neither does who watches it.
        try await eventually { try await mine.list("c/head/") == ["c/head/1"] && bell.rung > rung }
        try await other.write([7], as: "c/head/2")
        try await eventually { try await mine.read("c/head/2", atMost: 9) == [7] }
    }
}

@Suite("Who may use a cluster", .timeLimit(.minutes(5)))
struct AccessTests {
    private func isRefused(
        _ kind: EtcdFailure.Kind = .other,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        await #expect(sourceLocation: sourceLocation) { try await body() } throws: {
            ($0 as? EtcdFailure)?.kind == kind
        }
    }

    /// Reads a key where another one is as it is.
    private static func change(_ key: String) -> Etcd_TxnRequest {
        .with { $0.failure = [.with { $0.range.key = Data(key.utf8) }] }
    }

    @Test func `a device of another circle is refused by the server, in all that it tries`() async throws {
        let cluster = try await TestCluster(1)
        let ada = EtcdBlobs(of: "ada", in: try await cluster.circle("ada", devices: ["laptop"])[0])
        try await ada.write([1], as: "c/head/1")
        // Circles whose names begin so are others, too.
        for name in ["bob", "ad", "ada-2"] {
            let device = try await cluster.circle(name, devices: ["phone"])[0]
            let blobs = EtcdBlobs(of: "ada", in: device)
            await isRefused { _ = try await device.call(KV.change, Self.change("ada/chatelaine/1/c/head/1")) }
            await isRefused { _ = try await blobs.read("c/head/1", atMost: 9) }
            await isRefused { _ = try await blobs.list("c/head/") }
            await isRefused { _ = try await blobs.circles() }
            await isRefused { try await blobs.write([2], as: "c/head/1") }
            await isRefused { try await blobs.remove("c/head/1") }
            // All keys at once, and a range that begins in one's own.
            for (key, end) in [("\0", "\0"), (name + "/", "zzz"), ("ada/", "ada0")] {
                var request = Etcd_RangeRequest()
                request.key = Data(key.utf8)
                request.rangeEnd = Data(end.utf8)
                await isRefused { _ = try await device.call(KV.range, request) }
            }
            // What an operator does.
            let access = Access(unchecked: device)
            await isRefused { try await access.addCircle("mine") }
            await isRefused { _ = try await access.circles() }
            await isRefused { try await access.revoke("laptop", of: "ada") }
            // A watch tells nothing.
            let bell = Bell()
            blobs.watch("c/") { bell.ring() }
            try await ada.write([1], as: "c/head/1")
            try await Task.sleep(for: .milliseconds(300))
            #expect(bell.rung == 0)
        }
        #expect(try await ada.read("c/head/1", atMost: 9) == [1])
    }

    @Test func `a device that was revoked is refused, also after another one has got its name`() async throws {
        let cluster = try await TestCluster(1)
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (revoked, other) = (EtcdBlobs(of: "ada", in: devices[0]), EtcdBlobs(of: "ada", in: devices[1]))
        try await revoked.write([1], as: "c/head/1")
        let access = try await Access(of: cluster.folder)
        try await access.revoke("laptop", of: "ada")
        await isRefused { _ = try await revoked.read("c/head/1", atMost: 9) }
        await isRefused { try await revoked.write([2], as: "c/head/1") }
        #expect(try await other.read("c/head/1", atMost: 9) == [1])
        let new = EtcdBlobs(of: "ada", in: try await cluster.add("laptop", to: "ada"))
        #expect(try await new.read("c/head/1", atMost: 9) == [1])
        await isRefused { _ = try await revoked.read("c/head/1", atMost: 9) }
        await isRefused { _ = try await cluster.add("laptop", to: "ada") }
        await isRefused { try await access.revoke("phone", of: "ada") }
        await isRefused { _ = try await cluster.add("phone", to: "nobody") }
    }

    @Test func `a circle that is removed leaves nothing, and no device of it is let in`() async throws {
        let cluster = try await TestCluster(1)
        let ada = EtcdBlobs(of: "ada", in: try await cluster.circle("ada", devices: ["laptop"])[0])
        let other = EtcdBlobs(of: "ada-2", in: try await cluster.circle("ada-2", devices: ["laptop"])[0])
        try await ada.write([1], as: "c/head/1")
        try await other.write([2], as: "c/head/1")
        let access = try await Access(of: cluster.folder)
        try await access.removeCircle("ada")
        await isRefused { _ = try await ada.read("c/head/1", atMost: 9) }
        #expect(try await other.read("c/head/1", atMost: 9) == [2])
        #expect(try await access.circles() == ["ada-2"])
        let again = EtcdBlobs(of: "ada", in: try await cluster.circle("ada", devices: ["laptop"])[0])
        #expect(try await again.circles() == [])
        await isRefused { _ = try await ada.read("c/head/1", atMost: 9) }
    }

    @Test func `a certificate of another authority is let in by no node, and its nodes are none for a device`()
        async throws
    {
        let cluster = try await TestCluster(1)
        let ada = try await cluster.circle("ada", devices: ["laptop"])[0]
        _ = try await EtcdBlobs(of: "ada", in: ada).circles()
        let mine = try cluster.folder.authority.pem.certificate
        // Who forges a device of the circle, and even the operator.
        let forger = try Authority.make()
        for name in ["ada.laptop.00000000", Access.administrator] {
            let forged = try forger.credentials(of: name).replacingOccurrences(
                of: try forger.pem.certificate,
                with: mine
            )
            let device = try cluster.connect(try #require(EtcdCredentials(pem: forged)))
            await isRefused(.unreachable) { _ = try await EtcdBlobs(of: "ada", in: device).circles() }
        }
        // A device that trusts the forger does not take the real nodes for its own: nothing is told to others.
        let fooled = try cluster.connect(try #require(EtcdCredentials(pem: try forger.credentials(of: "ada.laptop.0"))))
        await isRefused(.unreachable) { _ = try await EtcdBlobs(of: "ada", in: fooled).circles() }
    }

    @Test func `without a certificate nobody speaks to a node`() async throws {
        let cluster = try await TestCluster(1)
        let port = cluster.nodes[0].port
        for words in [
            ["-k", "https://127.0.0.1:\(port)/health"], ["http://127.0.0.1:\(port)/health"],
            ["-k", "-d", "{}", "https://127.0.0.1:\(port)/v3/kv/range"],
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/curl")
            process.arguments = ["--silent", "--fail", "--max-time", "10"] + words
            process.standardOutput = FileHandle.nullDevice
            try process.runHearingSignals()
            process.waitForExit(patience: 60)
            #expect(process.terminationStatus != 0, "\(words)")
        }
    }

    @Test func `a device's certificate is none of a node: it cannot act a node out`() async throws {
        let cluster = try await TestCluster(1)
        let device = try await cluster.circle("ada", devices: ["laptop"])[0]
        _ = try await EtcdBlobs(of: "ada", in: device).circles()
        // OpenSSL serves with a device's credentials, which the operator's authority vouches for.
        let port = try FreePorts.find(1)[0]
        let pem = try cluster.folder.authority.credentials(of: "ada.laptop.0")
        let path = cluster.place + "/impostor.pem"
        try PrivateFile.write(pem, to: path)
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/openssl")
        server.arguments = ["s_server", "-accept", "\(port)", "-cert", path, "-key", path, "-alpn", "h2", "-quiet"]
        server.standardInput = Pipe()
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.runHearingSignals()
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitForExit(patience: 60)
        }
        let victim = try EtcdCluster(
            nodes: [.init(host: "127.0.0.1", port: port)],
            serverName: Authority.serverName,
            credentials: try #require(EtcdCredentials(pem: pem))
        )
        await isRefused(.unreachable) { _ = try await EtcdBlobs(of: "ada", in: victim).circles() }
    }
}

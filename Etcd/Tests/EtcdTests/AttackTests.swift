import EtcdMessages
import EtcdOperator
import EtcdTransport
import Foundation
import GRPCCore
import Glibc
import SwiftProtobuf
import Synchronization
import Testing

@Suite("What a device can do to a cluster and to other devices", .timeLimit(.minutes(5)))
struct DeviceAttackTests {
    private let circle = String(repeating: "ab", count: 32)

    @Test func `no device's certificate opens the port that nodes use among themselves`() async throws {
        let cluster = try await TestCluster(1)
        _ = try await cluster.circle("ada", devices: [])
        let path = cluster.place + "/device.pem"
        try PrivateFile.write(try await cluster.credentials(of: "laptop", in: "ada"), to: path)
        let node = cluster.nodes[0]
        let own = cluster.folder.path + "/" + node.name
        let peer = cluster.place + "/peer.pem"
        try PrivateFile.write(
            try String(contentsOfFile: own + "/peer.pem", encoding: .utf8)
                + String(contentsOfFile: own + "/peer.key", encoding: .utf8),
            to: peer
        )
        let forNodes = "https://127.0.0.1:\(node.peerPort)/members"
        // What nodes say to each other, which the others would be told, too.
        #expect(try #require(try cluster.curl(forNodes, credentials: peer)).contains("peerURLs"))
        #expect(try cluster.curl("https://127.0.0.1:\(node.port)/version", credentials: path) != nil)
        #expect(try cluster.curl(forNodes, credentials: path) == nil)
        #expect(try cluster.curl(forNodes, credentials: cluster.folder.path + "/operator.pem") == nil)
        try await Access(of: cluster.folder).revoke("laptop", of: "ada")
        #expect(try cluster.curl(forNodes, credentials: path) == nil)
        // What a node shows devices makes it none of them.
        let shown = cluster.place + "/shown.pem"
        try PrivateFile.write(
            try String(contentsOfFile: own + "/node.pem", encoding: .utf8)
                + String(contentsOfFile: own + "/node.key", encoding: .utf8),
            to: shown
        )
        for port in [node.port, node.peerPort] {
            #expect(try cluster.curl("https://127.0.0.1:\(port)/version", credentials: shown) == nil)
        }
        // The keys of etcd's older interface, for which nobody would be asked for permission.
        let older = try cluster.curl("https://127.0.0.1:\(node.port)/v2/keys", credentials: path)
        #expect(older?.contains("\"node\"") != true)
    }

    @Test func `no circle and no device is made while the cluster lets in everybody with a certificate`() async throws {
        let cluster = try await TestCluster(1, isEnabled: false)
        #expect(try await !cluster.folder.isAccessEnabled)
        await #expect { _ = try await Access(of: cluster.folder) } throws: {
            ($0 as? EtcdFailure)?.description.contains("operator enable") == true
        }
        try await Access.enable(cluster.folder.cluster())
        #expect(try await cluster.folder.isAccessEnabled)
        try await Access(of: cluster.folder).addCircle("ada")
        try await Access.enable(cluster.folder.cluster())
    }

    @Test func `keys that are no names hide no blob, and keep nobody busy`() async throws {
        let cluster = try await TestCluster(1)
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (member, blobs) = (devices[0], EtcdBlobs(of: "ada", in: devices[1]))
        let root = Data("ada/chatelaine/1/".utf8)
        func put(_ keys: [Data]) async throws {
            for part in stride(from: 0, to: keys.count, by: 100) {
                let change = Etcd_TxnRequest.with {
                    $0.success = keys[part..<min(part + 100, keys.count)].map { key in .with { $0.put.key = key } }
                }
                _ = try await member.call(KV.change, change)
            }
        }
        let entries = root + Data("\(circle)/entry/".utf8)
        // More than a page of keys that are no UTF-8. U+FFFD, which stands for such bytes in text, sorts before them.
        try await put((0..<1_200).map { entries + [0xff, UInt8($0 / 256), UInt8($0 % 256), 0xff] })
        // Longer than names are, and, before all others, as long as etcd takes: of these only one fits into an answer.
        try await put(
            (0..<300).map { entries + Data(repeating: 0x70, count: 1_000) + [UInt8($0 / 256), UInt8($0 % 256)] }
        )
        for number in 0..<4 { try await put([entries + Data(repeating: 0x21, count: 1_400_000) + [UInt8(number)]]) }
        // Folders that are no circle's, before it and after it.
        try await put((0..<200).map { root + Data("!\($0)/x".utf8) } + [root + [0xff], root + Data("zz/x".utf8)])
        let names = ["entry/\(String(repeating: "12", count: 32))", "head/1", "seg/1"].map { "\(circle)/\($0)" }
        let other = EtcdBlobs(of: "ada", in: member)
        for name in names { try await other.write([1], as: name) }
        let begun = ContinuousClock.now
        #expect(try await blobs.circles() == [circle])
        for name in names {
            let kind = name.split(separator: "/")[1]
            #expect(try await blobs.list("\(circle)/\(kind)/") == [name])
        }
        let bell = Bell()
        blobs.watch("\(circle)/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        for name in names {
            let kind = name.split(separator: "/")[1]
            #expect(try await blobs.list("\(circle)/\(kind)/") == [name])
            #expect(try await blobs.read(name, atMost: 9) == [1])
        }
        // All of it in the time that one answer may take.
        #expect(ContinuousClock.now - begun < .seconds(30))
    }

    @Test func `more names than a circle can have hide none of its other kinds`() async throws {
        let cluster = try await TestCluster(1)
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (member, blobs) = (devices[0], EtcdBlobs(of: "ada", in: devices[1]))
        let root = "ada/chatelaine/1/"
        let count = EtcdNames.most + 500
        for part in stride(from: 0, to: count, by: 125) {
            let change = Etcd_TxnRequest.with {
                $0.success = (part..<part + 125).map { number in
                    .with { $0.put.key = Data("\(root)\(circle)/entry/\(1_000_000 + number)".utf8) }
                }
            }
            _ = try await member.call(KV.change, change)
        }
        let other = EtcdBlobs(of: "ada", in: member)
        try await other.write([1], as: "\(circle)/head/1")
        let bell = Bell()
        blobs.watch("\(circle)/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        #expect(try await blobs.list("\(circle)/head/") == ["\(circle)/head/1"])
        #expect(try await blobs.read("\(circle)/head/1", atMost: 9) == [1])
        #expect(try await blobs.read("\(circle)/head/2", atMost: 9) == nil)
        #expect(try await blobs.list("\(circle)/entry/").count == EtcdNames.most)
        // Changes are told of, and its operator can bring it back.
        let rung = bell.rung
        try await other.write([2], as: "\(circle)/seg/1")
        try await eventually { bell.rung > rung }
        #expect(try await blobs.list("\(circle)/seg/") == ["\(circle)/seg/1"])
        try await Access(of: cluster.folder).emptyCircle("ada")
        try await eventually { try await blobs.list("\(circle)/") == [] }
        try await other.write([3], as: "\(circle)/head/1")
        try await eventually { try await blobs.read("\(circle)/head/1", atMost: 9) == [3] }
    }

    @Test func `room is made although a node does not answer, which is said`() async throws {
        let cluster = try await TestCluster(3, quota: 16 << 20)
        let blobs = EtcdBlobs(of: "ada", in: try await cluster.circle("ada", devices: ["laptop"])[0])
        let leader = try await cluster.leader()
        let down = try #require(cluster.nodes.first { $0 != leader })
        cluster.kill(down)
        let health = try Health(of: cluster.folder)
        for number in 0..<100 {
            do {
                try await blobs.write([UInt8](repeating: UInt8(number), count: 500_000), as: "c/seg/1")
            } catch {
                // A call to the node that is down may fail otherwise.
                if error.kind == .full { break }
            }
        }
        #expect(try await health.alarms(cluster.folder.cluster()).contains("no space"))
        await #expect { try await health.makeRoom(cluster.folder.cluster()) } throws: {
            ($0 as? EtcdFailure)?.description.contains("\(down.name):") == true
        }
        #expect(try await health.alarms(cluster.folder.cluster()) == [])
        try await blobs.write([2], as: "c/seg/1")
        let states = try await health.states()
        #expect(states.filter { $0.answer == nil }.map(\.node) == [down.name])
    }
}

@Suite("What a server can do that is not etcd, or no honest one", .timeLimit(.minutes(5)))
struct ServerAttackTests {
    private static func page(_ names: [String], revision: Int64 = 5, more: Bool = false) -> Etcd_RangeResponse {
        .with {
            $0.header.revision = revision
            $0.more = more
            $0.kvs = names.map { name in
                .with { ($0.key, $0.modRevision) = (Data("ada/chatelaine/1/\(name)".utf8), revision) }
            }
        }
    }

    private static func created(_ revision: Int64 = 5) -> Etcd_WatchResponse {
        .with { ($0.created, $0.header.revision) = (true, revision) }
    }

    private static func event(_ name: String, at revision: Int64, _ bytes: [UInt8] = []) -> Etcd_WatchResponse {
        .with {
            $0.header.revision = revision
            $0.events = [
                .with {
                    $0.kv.key = Data("ada/chatelaine/1/\(name)".utf8)
                    ($0.kv.modRevision, $0.kv.value) = (revision, Data(bytes))
                }
            ]
        }
    }

    @Test(arguments: [Int64.max, -1, .min]) func `revisions that etcd cannot have end nothing`(revision: Int64)
        async throws
    {
        let server = try await HostileServer { _ in
            Self.page(["c/head/1"], revision: revision)
        } watch: { writer in
            try await writer.write(Self.created(revision))
            try await Task.sleep(for: .seconds(600))
        }
        let blobs = EtcdBlobs(of: "ada", in: try server.connect())
        blobs.watch("c/") {}
        await #expect(throws: EtcdFailure.self) { _ = try await blobs.list("c/head/") }
        // The same in what is told of.
        let other = try await HostileServer { _ in
            Self.page(["c/head/1"])
        } watch: { writer in
            try await writer.write(Self.created())
            try await writer.write(Self.event("c/head/2", at: revision))
            try await Task.sleep(for: .seconds(600))
        }
        let told = EtcdBlobs(of: "ada", in: try other.connect())
        let bell = Bell()
        told.watch("c/") { bell.ring() }
        try await eventually { bell.rung > 1 }
        #expect(try await told.list("c/head/") == ["c/head/1"])
    }

    @Test func `a page that does not lead on is the last one`() async throws {
        let asked = Mutex(0)
        let server = try await HostileServer { _ in
            asked.withLock { $0 += 1 }
            return Self.page(["c/head/1"], more: true)
        }
        let blobs = EtcdBlobs(of: "ada", in: try server.connect())
        #expect(try await Set(blobs.list("c/head/")) == ["c/head/1"])
        #expect(try await blobs.circles() == [])
        #expect(asked.withLock { $0 } <= 4)
    }

    @Test func `an answer of very many parts is refused before it takes memory`() async throws {
        let server = try await HostileServer { request in
            var answer = Self.page([])
            if request.limit != 1 { answer.kvs = .init(repeating: Etcd_KeyValue(), count: 900_000) }
            return answer
        }
        let blobs = EtcdBlobs(of: "ada", in: try server.connect())
        // A group before the others, which the decoder passes over.
        let grouped = try await HostileServer { _ in
            var answer = try Etcd_RangeResponse(serializedBytes: [0x5b, 0x5c])
            answer.kvs = .init(repeating: Etcd_KeyValue(), count: 100)
            return answer
        }
        let other = EtcdBlobs(of: "ada", in: try grouped.connect())
        await #expect(throws: EtcdFailure.self) { _ = try await other.read("c/head/1", atMost: 9) }
        let before = Self.memory()
        await #expect(throws: EtcdFailure.self) { _ = try await blobs.read("c/head/1", atMost: 9) }
        _ = try? await blobs.list("c/head/")
        // The server is in this process, and has as many of its own for a moment.
        #expect(Self.memory() - before < 400 << 20)
    }

    /// Of this process, in bytes.
    private static func memory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }

    @Test func `names are asked for again where nothing is told of`() async throws {
        let names = Mutex(["c/head/1"])
        let server = try await HostileServer { _ in
            names.withLock { Self.page($0) }
        } watch: { writer in
            try await writer.write(Self.created())
            try await Task.sleep(for: .seconds(600))
        }
        let blobs = EtcdBlobs(of: "ada", in: try server.connect(), lookAgain: .seconds(1))
        let bell = Bell()
        blobs.watch("c/") { bell.ring() }
        try await eventually { bell.rung == 1 }
        #expect(try await blobs.list("c/head/") == ["c/head/1"])
        names.withLock { $0 = ["c/head/2"] }
        try await eventually { try await blobs.list("c/head/") == ["c/head/2"] }
        try await eventually { bell.rung > 1 }
    }

    @Test func `a write that got no answer cannot undo a later one`() async throws {
        let asked = Mutex<[Etcd_TxnRequest]>([])
        let server = try await HostileServer { _ in
            Self.page(["c/head/1"], revision: 7)
        } watch: { writer in
            try await writer.write(Self.created(7))
            try await Task.sleep(for: .seconds(600))
        } change: { request in
            let count = asked.withLock { asked in
                asked.append(request)
                return asked.count
            }
            if count == 1 { throw RPCError(code: .unavailable, message: "a node that has stopped") }
            return .with { ($0.succeeded, $0.header.revision) = (true, 7 + Int64(count)) }
        }
        let blobs = EtcdBlobs(of: "ada", in: try server.connect())
        let bell = Bell()
        blobs.watch("c/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        try await blobs.write([1], as: "c/head/1")
        try await blobs.write([2], as: "c/head/1")
        try await blobs.remove("c/head/1")
        // The attempt that is still under way asks for the revision that the second one has replaced.
        let compared = asked.withLock { $0.map { $0.compare.map(\.modRevision) } }
        #expect(compared == [[7], [7], [9], [10]])
        #expect(asked.withLock { $0.allSatisfy { $0.compare[0].target == .mod && $0.compare[0].result == .equal } })
    }

    @Test func `a cluster that never agrees is given up`() async throws {
        let server = try await HostileServer(change: { _ in
            .with { $0.responses = [.with { $0.range.kvs = [.with { $0.modRevision = .random(in: 1...1_000) }] }] }
        })
        let blobs = EtcdBlobs(of: "ada", in: try server.connect())
        await #expect(throws: EtcdFailure.self) { try await blobs.write([1], as: "c/head/1") }
        await #expect(throws: EtcdFailure.self) { try await blobs.remove("c/head/1") }
    }

    @Test func `what it says is shown as one line that no terminal obeys`() async throws {
        let server = try await HostileServer { _ in
            throw RPCError(
                code: .internalError,
                message: "a\u{1B}[2J\nb\u{9B}c\u{202E}d\u{7F}" + String(repeating: "ü", count: 300)
            )
        }
        let blobs = EtcdBlobs(of: "ada", in: try server.connect())
        await #expect { _ = try await blobs.list("c/head/") } throws: { error in
            guard let text = (error as? EtcdFailure)?.description else { return false }
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
            return text.contains("a?[2J?b?c?d?") && isPlain && !text.contains("\u{202E}") && text.utf8.count < 1_000
        }
        #expect(Health.Version("3.4\u{1B}]0;x").description == "3.4?]0;x")
        #expect(!Health.Version("3.4.44").separatesCircles)
        for version in ["3.6.9", "3.6.13", "3.7.0"] { #expect(!Health.Version(version).separatesCircles) }
        #expect(!Health.Version("").separatesCircles)
        #expect(Health.Version("3.6.14").separatesCircles)
        #expect(Health.Version("4.0.0-rc.1").separatesCircles)
    }
}

@Suite("The mirror of what is watched")
struct MirrorTests {
    private func filled(_ names: [(text: String, revision: Int64)] = [], asOf revision: Int64 = 5) -> (EtcdMirror, Int)
    {
        var mirror = EtcdMirror()
        let watch = mirror.begin()
        mirror.fill(.init(names, asOf: revision), below: "c/", for: watch)
        mirror.use(true, for: watch)
        return (mirror, watch)
    }

    private func put(_ name: String, at revision: Int64, _ bytes: [UInt8], isRemoved: Bool = false)
        -> Etcd_WatchResponse
    {
        .with {
            $0.events = [
                .with {
                    $0.kind = isRemoved ? .delete : .put
                    ($0.kv.key, $0.kv.modRevision, $0.kv.value) = (Data(name.utf8), revision, Data(bytes))
                }
            ]
        }
    }

    private func take(_ answer: Etcd_WatchResponse, _ watch: Int, _ mirror: inout EtcdMirror) -> Bool {
        .nothing != mirror.take(answer, for: watch) { String(decoding: $0.key, as: UTF8.self) }
    }

    @Test func `an answer that comes late replaces nothing newer`() {
        var (mirror, watch) = filled([("c/head/1", 4)])
        #expect(take(put("c/head/1", at: 8, [8]), watch, &mirror))
        mirror.change("c/head/1", to: [7], at: 7)
        #expect(mirror.blob("c/head/1") == .bytes([8]))
        mirror.change("c/head/1", to: nil, at: 6)
        #expect(mirror.blob("c/head/1") == .bytes([8]))
        // What was removed by another device does not come back.
        #expect(take(put("c/head/1", at: 9, [], isRemoved: true), watch, &mirror))
        mirror.change("c/head/1", to: [8], at: 8)
        #expect(mirror.blob("c/head/1") == .absent)
        // An older event than what this device has done since.
        mirror.change("c/head/1", to: [12], at: 12)
        _ = take(put("c/head/1", at: 11, [11]), watch, &mirror)
        #expect(mirror.blob("c/head/1") == .bytes([12]))
        #expect(mirror.revision(of: "c/head/1") == 12)
    }

    @Test func `a watch that was replaced changes nothing any more`() {
        var (mirror, old) = filled([("c/head/1", 4)])
        let new = mirror.begin()
        #expect(mirror.names("c/head/") == nil)
        mirror.fill(.init([("c/head/9", 5)], asOf: 5), below: "c/", for: old)
        mirror.use(true, for: old)
        #expect(mirror.names("c/head/") == nil)
        mirror.fill(.init([("c/head/2", 6)], asOf: 6), below: "c/", for: new)
        mirror.use(true, for: new)
        #expect(!take(put("c/head/3", at: 9, [1]), old, &mirror))
        mirror.end(for: old)
        #expect(mirror.names("c/head/") == ["c/head/2"])
    }

    @Test func `names that are too many end its use, and none is told to be absent`() {
        var (mirror, watch) = filled((0..<EtcdNames.most).map { ("c/entry/\($0)", 4) })
        #expect(mirror.blob("c/head/1") == .absent)
        #expect(take(put("c/head/1", at: 8, [8]), watch, &mirror))
        #expect(mirror.blob("c/head/1") == .unknown)
        #expect(mirror.names("c/head/") == nil)
        #expect(mirror.revision(of: "c/head/1") == nil)
    }

    @Test func `what this device writes is not told of, and takes no more than a bounded memory`() {
        var (mirror, watch) = filled()
        mirror.willWrite([1], as: "c/head/1")
        #expect(!take(put("c/head/1", at: 8, [1]), watch, &mirror))
        mirror.willWrite([2], as: "c/head/1")
        #expect(take(put("c/head/1", at: 9, [3]), watch, &mirror))
        // Of a server that never tells, this device's own writes are forgotten at some time.
        for number in 0..<1_000 { mirror.willWrite([1], as: "c/seg/\(number)") }
        mirror.willWrite([1], as: "c/seg/x")
        #expect(take(put("c/seg/1", at: 10, [1]), watch, &mirror))
        #expect(!take(put("c/seg/x", at: 11, [1]), watch, &mirror))
    }
}

@Suite("The operator's folder")
struct OperatorFolderTests {
    private func node(_ name: String, _ host: String = "192.0.2.1", _ port: UInt16 = 2_379) -> OperatorFolder.Node {
        .init(name: name, host: host, port: port, peerPort: port + 1)
    }

    @Test func `is made of nodes that can be told apart and reached, or not at all`() throws {
        let place = FileManager.default.temporaryDirectory.path + "/chatelaine-etcd-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        for nodes in [
            [node("root")], [node("nodes")], [node("A")], [node("a", "192.0.2.300")], [node("a", "a:b")],
            [node("a"), node("a", "192.0.2.2")], [node("a"), node("b")],
            [node("a"), node("b", "192.0.2.1", 2_380)],
        ] {
            #expect(throws: EtcdFailure.self, "\(nodes)") {
                try OperatorFolder(path: place + "/cluster").make(nodes, quota: 1 << 30)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        }
        // Names that are numbers to YAML.
        let folder = OperatorFolder(path: place + "/cluster")
        try folder.make([node("010"), node("1e5", "192.0.2.2"), node("no", "192.0.2.3")], quota: 1 << 30)
        #expect(try String(contentsOfFile: folder.path + "/1e5/etcd.yml", encoding: .utf8).contains("name: \"1e5\"\n"))
        #expect(throws: EtcdFailure.self) { try folder.make([node("a")], quota: 1 << 30) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["cluster"])
        #expect(try folder.nodes.map(\.name) == ["010", "1e5", "no"])
        // As completion writes it.
        try OperatorFolder(path: place + "/other/").make([node("a")], quota: 1 << 30)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: place)) == ["cluster", "other"])
    }
}

@Suite("The program that carries", .timeLimit(.minutes(2)))
struct CarryTests {
    @Test func `ends with the program that has started it, also where the cluster has not answered yet`() async throws {
        let authority = try Authority.make()
        let place = FileManager.default.temporaryDirectory.path + "/chatelaine-etcd-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try PrivateFile.write(try authority.credentials(of: "ada.laptop.0"), to: place + "/ada.pem")
        let process = Process()
        let own = URL(filePath: try #require(CommandLine.arguments.first)).deletingLastPathComponent()
        process.executableURL = own.appending(path: "chatelaine-etcd")
        // Nobody listens there.
        process.arguments = ["carry", "etcd://127.0.0.1:9/ada?credentials=\(place)/ada.pem"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.runHearingSignals()
        try input.fileHandleForWriting.write(contentsOf: Data("circles\ncircles\ncircles\n".utf8))
        try input.fileHandleForWriting.close()
        let begun = ContinuousClock.now
        process.waitForExit(patience: 60)
        // Each of the three would have waited for ten seconds.
        #expect(ContinuousClock.now - begun < .seconds(9))
    }
}

import EtcdMessages
import EtcdOperator
import EtcdTransport
import Foundation
import Testing

@Suite("Blobs in a cluster of one node", .timeLimit(.minutes(5)))
struct BlobTests {
    private let circle = String(repeating: "ab", count: 32)

    @Test func `what is written is listed and read, and is gone once it is removed`() async throws {
        let cluster = try await TestCluster(1)
        let device = try #require(try await cluster.circle("ada", devices: ["laptop"]).first)
        let blobs = EtcdBlobs(of: "ada", in: device)
        #expect(try await blobs.circles() == [])
        #expect(try await blobs.list("\(circle)/head/") == [])
        #expect(try await blobs.read("\(circle)/head/1", atMost: 9) == nil)
        try await blobs.remove("\(circle)/head/1")
        // In all lengths that there are: nothing, and the largest segment.
        for (number, count) in [0, 1, 1_000, 525_000].enumerated() {
            let bytes = [UInt8](repeating: UInt8(number), count: count)
            try await blobs.write(bytes, as: "\(circle)/seg/\(number)")
            #expect(try await blobs.read("\(circle)/seg/\(number)", atMost: count) == bytes)
            #expect(try await blobs.read("\(circle)/seg/\(number)", atMost: count - 1) == nil)
        }
        #expect(try await blobs.list("\(circle)/seg/").sorted() == (0..<4).map { "\(circle)/seg/\($0)" })
        #expect(try await blobs.list("\(circle)/head/") == [])
        #expect(try await blobs.circles() == [circle])
        try await blobs.write([7], as: "\(circle)/seg/1")
        #expect(try await blobs.read("\(circle)/seg/1", atMost: 9) == [7])
        for number in 0..<4 { try await blobs.remove("\(circle)/seg/\(number)") }
        #expect(try await blobs.circles() == [])
    }

    @Test func `a blob that is larger than etcd takes is refused, and the next one is taken`() async throws {
        let cluster = try await TestCluster(1)
        let blobs = EtcdBlobs(of: "ada", in: try #require(try await cluster.circle("ada", devices: ["laptop"]).first))
        await #expect { try await blobs.write([UInt8](repeating: 1, count: 2 << 20), as: "c/seg/1") } throws: {
            ($0 as? EtcdFailure)?.kind == .other
        }
        try await blobs.write([1], as: "c/seg/1")
    }

    @Test func `blobs that are written together come together, and others never lack the first`() async throws {
        let cluster = try await TestCluster(1)
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (mine, other) = (EtcdBlobs(of: "ada", in: devices[0]), EtcdBlobs(of: "ada", in: devices[1]))
        let bell = Bell()
        other.watch("c/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        for round in UInt8(1)...20 {
            try await mine.write([("c/seg/1/\(round)", [round]), ("c/head/1", [round])])
            try await eventually { try await other.read("c/head/1", atMost: 9) == [round] }
            #expect(try await other.read("c/seg/1/\(round)", atMost: 9) == [round])
        }
        // Another device has changed one of them meanwhile.
        try await other.write([99], as: "c/head/1")
        try await mine.write([("c/seg/1/21", [21]), ("c/head/1", [21])])
        #expect(try await other.read("c/head/1", atMost: 9) == [21])
        // Of a name twice etcd takes none.
        await #expect(throws: EtcdFailure.self) { try await mine.write([("c/head/2", [1]), ("c/head/2", [2])]) }
        #expect(try await other.read("c/head/2", atMost: 9) == nil)
    }

    @Test func `several thousand names come in pages`() async throws {
        let cluster = try await TestCluster(1)
        let blobs = EtcdBlobs(of: "ada", in: try #require(try await cluster.circle("ada", devices: ["laptop"]).first))
        let names = (0..<2_500).map { "c/entry/\($0)" }
        try await withThrowingTaskGroup { group in
            for part in 0..<50 {
                group.addTask { for name in names[part * 50..<part * 50 + 50] { try await blobs.write([1], as: name) } }
            }
            try await group.waitForAll()
        }
        #expect(try await Set(blobs.list("c/entry/")) == Set(names))
    }

    @Test func `a change is told of to others, and not to who has made it`() async throws {
        let cluster = try await TestCluster(1)
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (mine, other) = (EtcdBlobs(of: "ada", in: devices[0]), EtcdBlobs(of: "ada", in: devices[1]))
        try await mine.write([1], as: "c/head/1")
        let (atMine, atOther) = (Bell(), Bell())
        mine.watch("c/") { atMine.ring() }
        other.watch("c/") { atOther.ring() }
        try await eventually { atMine.rung == 1 && atOther.rung == 1 }
        try await mine.write([2], as: "c/head/1")
        try await eventually { atOther.rung == 2 }
        #expect(try await other.read("c/head/1", atMost: 9) == [2])
        try await mine.write([3], as: "c/seg/1")
        try await eventually { try await other.list("c/seg/") == ["c/seg/1"] }
        try await other.remove("c/seg/1")
        try await eventually { try await mine.list("c/seg/") == [] }
        // Of segments a little later, if no head follows.
        try await eventually { atMine.rung == 2 && atOther.rung == 3 }
        // Another circle's changes are not told of.
        let before = atOther.rung
        try await mine.write([1], as: "d/head/1")
        try await Task.sleep(for: .milliseconds(200))
        #expect(atOther.rung == before)
    }

    @Test func `what was missed and compacted meanwhile is read anew`() async throws {
        let cluster = try await TestCluster(1)
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (mine, other) = (EtcdBlobs(of: "ada", in: devices[0]), EtcdBlobs(of: "ada", in: devices[1]))
        let bell = Bell()
        mine.watch("c/") { bell.ring() }
        try await eventually { bell.rung == 1 }
        for number in 0..<20 { try await other.write([UInt8(number)], as: "c/head/1") }
        try await eventually { try await mine.read("c/head/1", atMost: 9) == [19] }
        // The node goes for as long as it takes to forget what the watch would go on with.
        cluster.kill(cluster.nodes[0])
        try cluster.start(cluster.nodes[0])
        for number in 20..<40 { try await other.write([UInt8(number)], as: "c/head/1") }
        try await other.write([1], as: "c/head/2")
        try await Health(of: cluster.folder).makeRoom(cluster.folder.cluster())
        try await eventually { try await mine.read("c/head/1", atMost: 9) == [39] }
        try await eventually { try await Set(mine.list("c/head/")) == ["c/head/1", "c/head/2"] }
    }

    @Test func `a cluster without room says so, keeps what it has, and takes more once its operator has made some`()
        async throws
    {
        let cluster = try await TestCluster(1, quota: 16 << 20)
        let blobs = EtcdBlobs(of: "ada", in: try #require(try await cluster.circle("ada", devices: ["laptop"]).first))
        func bytes(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 500_000) }
        var written = 0
        var failure: EtcdFailure?
        while failure == nil, written < 100 {
            do throws(EtcdFailure) {
                // The same name each time: what is replaced takes room as well.
                try await blobs.write(bytes(written), as: "c/seg/1")
                written += 1
            } catch {
                failure = error
            }
        }
        #expect(failure?.kind == .full, "\(written) were written; \(failure as Any)")
        // etcd may have done what it then says there is no room for.
        #expect(try await [bytes(written - 1), bytes(written)].contains(blobs.read("c/seg/1", atMost: 600_000)))
        let health = try Health(of: cluster.folder)
        #expect(try await health.alarms(cluster.folder.cluster()) == ["no space"])
        try await health.makeRoom(cluster.folder.cluster())
        #expect(try await health.alarms(cluster.folder.cluster()) == [])
        try await blobs.write([2], as: "c/seg/1")
        #expect(try await blobs.read("c/seg/1", atMost: 9) == [2])
    }

    @Test func `where no node answers, that is said within the time a call may take`() async throws {
        let cluster = try await TestCluster(1)
        let device = try #require(try await cluster.circle("ada", devices: ["laptop"]).first)
        cluster.kill(cluster.nodes[0])
        let begun = ContinuousClock.now
        await #expect { _ = try await EtcdBlobs(of: "ada", in: device).circles() } throws: {
            ($0 as? EtcdFailure)?.kind == .unreachable
        }
        #expect(ContinuousClock.now - begun < EtcdCluster.patience + .seconds(5))
    }
}

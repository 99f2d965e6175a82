import EtcdMessages
import EtcdOperator
import EtcdTransport
import Foundation
import Testing

/// Runs a program whose clock is wrong (`Tests/Programs/wrong-clock.c`).
enum WrongClock {
    /// The path of it, made once.
    static let program = Result { try compile() }

    private static func compile() throws -> String {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Programs/wrong-clock.c").path
        let program = FileManager.default.temporaryDirectory.path + "/chatelaine-wrong-clock-\(UUID().uuidString)"
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/cc")
        compiler.arguments = ["-O1", "-Wall", "-Wextra", "-Werror", "-o", program, source]
        try compiler.runHearingSignals()
        compiler.waitForExit(patience: 120)
        try #require(compiler.terminationStatus == 0)
        return program
    }
}

#if arch(x86_64)
@Suite("A cluster with a node whose clock is wrong", .timeLimit(.minutes(5)))
struct ClockTests {
    private static let days = 86_400

    @Test(arguments: [40, -40]) func `loses nothing that was acknowledged, and still answers`(days: Int) async throws {
        let cluster = try await TestCluster(3, clocks: ["n1": days * Self.days])
        let devices = try await cluster.circle("ada", devices: ["laptop", "desk"])
        let (mine, other) = (EtcdBlobs(of: "ada", in: devices[0]), EtcdBlobs(of: "ada", in: devices[1]))
        let bell = Bell()
        mine.watch("c/") { bell.ring() }
        try await eventually { bell.rung > 0 }
        // The node's clock is as wrong as it is to be.
        let wrong = cluster.nodes[0]
        let date = Date(timeIntervalSinceNow: Double(days * Self.days)).formatted(.iso8601.year().month().day())
        try await eventually { cluster.log(of: wrong).contains("\"ts\":\"\(date)T") }
        for number in 0..<100 { try await other.write([UInt8(number)], as: "c/seg/\(number)") }
        try await eventually { try await mine.list("c/seg/").count == 100 }
        // Another node ends: two are left where the wrong one is one of them, and one is not enough.
        cluster.kill(cluster.nodes[1])
        let isTrusted = days > 0
        if isTrusted {
            try await eventually { (try? await other.write([1], as: "c/head/1")) != nil }
        } else {
            // Before the date of their certificates nobody is let in.
            await #expect { try await other.write([1], as: "c/head/1") } throws: {
                ($0 as? EtcdFailure)?.kind == .unreachable
            }
        }
        try cluster.start(cluster.nodes[1])
        try await eventually { (try? await other.write([2], as: "c/head/1")) != nil }
        let anew = EtcdBlobs(of: "ada", in: try await cluster.add("phone", to: "ada"))
        #expect(try await anew.list("c/seg/").count == 100)
        try await eventually { try await mine.read("c/head/1", atMost: 9) == [2] }
        let answers = try await Health(of: cluster.folder).states().filter { $0.answer != nil }.map(\.node)
        #expect(answers == (isTrusted ? ["n1", "n2", "n3"] : ["n2", "n3"]))
    }
}
#endif

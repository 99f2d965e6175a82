import ArgumentParser
import EtcdMessages
import EtcdOperator
import EtcdTransport
import Foundation
import Glibc
import Synchronization

/// Puts a cluster on this machine under the load of many circles, each with a device that writes and one that hears of it.
@main
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "etcd-load")

    @Option(help: "The operator's folder of the cluster.")
    var folder = "chatelaine-etcd"

    @Option(help: "How many circles.")
    var circles = 1_000

    @Option(help: "For how many seconds each rate is kept.")
    var seconds = 10

    /// What a change writes: a segment of the smallest size, and a head of a circle of three.
    private static let segment = 1_300
    private static let head = 1_000
    /// What a typical circle has, with 200 items and three devices.
    private static let typical = 170 << 10

    private struct Pair: Sendable {
        let name: String
        let writer: EtcdBlobs
        let reader: EtcdBlobs
        let bell: Bell
    }

    func run() async throws {
        Self.allowManyConnections()
        let operatorFolder = OperatorFolder(path: folder)
        let health = try Health(of: operatorFolder)
        let begun = ContinuousClock.now
        let names = (0..<circles).map { "load-\($0)" }
        let credentials = try await makeDevices(names, operatorFolder)
        say("\(circles) circles with 2 devices each made in \(Self.text(ContinuousClock.now - begun))")
        let before = Self.memoryOfNodes()
        let connecting = ContinuousClock.now
        let pairs = try await connect(names, credentials, operatorFolder)
        say("\(2 * circles) devices connected in \(Self.text(ContinuousClock.now - connecting))")
        let connections = 2 * circles * (try operatorFolder.nodes.count)
        let after = Self.memoryOfNodes()
        say(
            "\(connections) connections; nodes' memory \(before >> 20) MiB before, \(after >> 20) MiB after, "
                + "\(((after - before) / connections) >> 10) KiB a connection"
        )
        for rate in [50, 100, 200, 400, 800] { try await pace(rate, pairs) }
        try await rush(pairs)
        try await fill(pairs, health, operatorFolder)
        say("nodes' memory \(Self.memoryOfNodes() >> 20) MiB at the end")
    }

    private static func allowManyConnections() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    // MARK: - Devices

    private func makeDevices(_ names: [String], _ folder: OperatorFolder) async throws -> [[EtcdCredentials]] {
        let access = try await Access(of: folder)
        let authority = try folder.authority
        var all: [[EtcdCredentials]] = []
        for name in names {
            try await access.addCircle(name)
            var devices: [EtcdCredentials] = []
            for device in ["writer", "reader"] {
                let user = try await access.addDevice(device, to: name)
                guard let one = EtcdCredentials(pem: try authority.credentials(of: user.text)) else { continue }
                devices.append(one)
            }
            all.append(devices)
        }
        return all
    }

    private func connect(
        _ names: [String],
        _ credentials: [[EtcdCredentials]],
        _ folder: OperatorFolder
    ) async throws -> [Pair] {
        let nodes = try folder.nodes.map { EtcdAddress.Node(host: $0.host, port: $0.port) }
        return try await Self.several(Array(zip(names, credentials)), at: 16) { name, credentials in
            let blobs = try credentials.map {
                EtcdBlobs(
                    of: name,
                    in: try EtcdCluster(nodes: nodes, serverName: Authority.serverName, credentials: $0)
                )
            }
            let bell = Bell()
            blobs[1].watch("c/") { bell.ring() }
            await bell.wait(after: 0, within: .seconds(60))
            try await blobs[0].write([], as: "c/head/1")
            return Pair(name: name, writer: blobs[0], reader: blobs[1], bell: bell)
        }
    }

    // MARK: - Changes

    /// A change: a segment and a head. The time at which it is acknowledged, and that at which the other device can read it.
    private static func change(_ pair: Pair, _ number: Int) async throws -> (written: Duration, readable: Duration) {
        let mark = Array("\(number) ".utf8)
        let begun = ContinuousClock.now
        try await pair.writer.write(mark + [UInt8](repeating: 1, count: segment), as: "c/seg/\(number % 4)")
        let bytes = mark + [UInt8](repeating: 2, count: head)
        try await pair.writer.write(bytes, as: "c/head/1")
        let written = ContinuousClock.now - begun
        // Or what the same circle's next change has written.
        while true {
            let rung = pair.bell.rung
            let there = try await pair.reader.read("c/head/1", atMost: 1 << 20) ?? []
            let last = Int(String(decoding: there.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? -1
            if last >= number { break }
            guard ContinuousClock.now - begun < .seconds(30) else {
                throw EtcdFailure(.unreachable, "a change of \(pair.name) has not arrived")
            }
            await pair.bell.wait(after: rung, within: .seconds(30))
        }
        return (written, ContinuousClock.now - begun)
    }

    /// Changes at a rate, whether earlier ones are over or not; each by another circle.
    private func pace(_ rate: Int, _ pairs: [Pair]) async throws {
        let count = rate * seconds
        let times = try await withThrowingTaskGroup(of: (Duration, Duration)?.self) { group in
            let begun = ContinuousClock.now
            for number in 0..<count {
                try await Task.sleep(until: begun + .seconds(1) * number / rate)
                let pair = pairs[number % pairs.count]
                // A cluster that has too much to do says so, and a device tries again later.
                group.addTask { try? await Self.change(pair, rate << 32 + number) }
            }
            var times: [(written: Duration, readable: Duration)] = []
            for try await time in group { if let time { times.append(time) } }
            return times
        }
        guard !times.isEmpty else { return say("\(rate) changes a second: all have failed") }
        say(
            "\(rate) changes a second: acknowledged \(Self.percentiles(times.map(\.written))), "
                + "readable \(Self.percentiles(times.map(\.readable)))"
                + (times.count < count ? ", \(count - times.count) of \(count) failed" : "")
        )
    }

    /// As many changes as there can be.
    private func rush(_ pairs: [Pair]) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for pair in pairs.prefix(64) {
                group.addTask {
                    var number = 0
                    while ContinuousClock.now < end {
                        _ = try await Self.change(pair, 1 << 50 + number)
                        number += 1
                    }
                    return number
                }
            }
            return try await group.reduce(0, +)
        }
        say("at most \(count / seconds) changes a second, by 64 circles, which are \(2 * count / seconds) writes")
    }

    // MARK: - Room

    private func fill(_ pairs: [Pair], _ health: Health, _ folder: OperatorFolder) async throws {
        try await health.makeRoom(folder.cluster())
        let before = try await Self.used(health)
        let blob = [UInt8](repeating: 3, count: 10 << 10)
        _ = try await Self.several(pairs, at: 16) { pair in
            for number in 0..<Self.typical / blob.count {
                try await pair.writer.write(blob, as: "c/seg/full-\(number)")
            }
        }
        try await health.makeRoom(folder.cluster())
        let after = try await Self.used(health)
        say(
            "\(Self.typical >> 10) KiB of blobs take \(((after - before) / Int64(pairs.count)) >> 10) KiB of a node's database"
        )
    }

    private static func used(_ health: Health) async throws -> Int64 {
        try await health.states().compactMap(\.answer?.used).max() ?? 0
    }

    /// Of all processes called etcd.
    private static func memoryOfNodes() -> Int {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return folders.filter { Int($0) != nil }.reduce(0) { sum, process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
                status.hasPrefix("Name:\tetcd\n"),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                let size = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) }
                )
            else { return sum }
            return sum + size << 10
        }
    }

    // MARK: - Helpers

    /// Does something with each, some at a time, and returns what came of it in any order.
    private static func several<Element: Sendable, Value: Sendable>(
        _ elements: [Element],
        at width: Int,
        _ body: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            var values: [Value] = []
            for (number, element) in elements.enumerated() {
                if number >= width, let value = try await group.next() { values.append(value) }
                group.addTask { try await body(element) }
            }
            for try await value in group { values.append(value) }
            return values
        }
    }

    private static func percentiles(_ times: [Duration]) -> String {
        let sorted = times.sorted()
        return "p50 \(text(sorted[sorted.count / 2])), p99 \(text(sorted[sorted.count * 99 / 100]))"
    }

    /// Prints at once, also into a file.
    private func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func text(_ time: Duration) -> String { String(format: "%.1f ms", time / .milliseconds(1)) }
}

/// Lets tasks wait until another one has something to tell.
final class Bell: Sendable {
    private struct State {
        var rung = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func ring() {
        let waiting = state.withLock { state in
            state.rung += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var rung: Int { state.withLock { $0.rung } }

    /// Waits until it has rung more often.
    func wait(after rung: Int, within limit: Duration) async {
        let timer = Task { [self] in
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { ring() }
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.rung > rung { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}

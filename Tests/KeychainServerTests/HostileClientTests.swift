import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import KeychainTestSupport
import Synchronization
import Testing

/// Clients that mean harm, and beside them one that wants answers: it gets all of them.
@Suite("Hostile clients", .serialized)
struct HostileClientTests {
    /// Has somebody ask again and again while the body runs, and checks that each question was answered.
    private func whileAnswering(_ service: TestService, _ body: () throws -> Void) throws {
        let bystander = try RawClient.admitted(service.socket)
        let isOver = Atomic<Bool>(false)
        let answers = Mutex<(right: Int, wrong: Int)>((0, 0))
        _ = try bystander.count(RawClient.add("bystander"))
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let client = bystander
        Thread.detachNewThread {
            repeat {
                let isRight = (try? client.count(RawClient.find("bystander"))) == 1
                answers.withLock { if isRight { $0.right += 1 } else { $0.wrong += 1 } }
            } while !isOver.load(ordering: .relaxed)
            done.signal()
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            done.wait()
            let counts = answers.withLock { $0 }
            #expect(counts.wrong == 0)
            #expect(counts.right > 0)
        }
        try body()
    }

    private func big(_ count: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - $0 * 8)) } }

    @Test
    func `what is no message ends its connection and nothing else`() throws {
        let service = try TestService()
        try whileAnswering(service) {
            var random = SystemRandomNumberGenerator()
            for number in 0..<60 {
                let client = try RawClient.admitted(service.socket)
                let size = Int.random(in: 1...300, using: &random)
                var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
                // No request by chance.
                bytes[0] = number % 2 == 0 ? 0xFF : 0x07
                client.send(big(size) + bytes)
                client.waitForEnd()
            }
        }
        #expect(service.counts.dropped == 60)
    }

    @Test(arguments: [0, Frame.largestRequest + 1, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func `a frame of a size that none has ends its connection at once`(size: Int) throws {
        let service = try TestService()
        let client = try RawClient.admitted(service.socket)
        client.send(big(size) + [1])
        client.waitForEnd()
        #expect(service.counts.dropped == 1)
    }

    @Test
    func `a frame that is never finished ends by its deadline, and takes no memory for what it announces`() throws {
        let service = try TestService()
        try whileAnswering(service) {
            let before = Self.residentMemory
            let clients = try (0..<50).map { _ in try RawClient.admitted(service.socket) }
            for client in clients { client.send(big(Frame.largestRequest) + [1, 2, 3]) }
            #expect(Self.residentMemory - before < 50 << 10)
            for client in clients { client.waitForEnd() }
        }
        #expect(service.counts.dropped == 50)
    }

    @Test
    func `a frame that drips ends by its deadline although bytes keep coming`() throws {
        let service = try TestService()
        try whileAnswering(service) {
            let client = try RawClient.admitted(service.socket)
            client.send(big(10_000_000))
            var count = 0
            while client.send([0]), count < 100_000 {
                count += 1
                usleep(1000)
            }
            #expect(count < 100_000)
        }
        #expect(service.counts.dropped == 1)
    }

    @Test
    func `an endless row of requests keeps nobody else from answers`() throws {
        let service = try TestService()
        let isOver = Atomic<Bool>(false)
        let group = DispatchGroup()
        let request = try RawClient.frame(.operation(RawClient.find("bystander")))
        for _ in 0..<16 {
            group.enter()
            Thread.detachNewThread {
                if let client = try? RawClient.admitted(service.socket) {
                    while !isOver.load(ordering: .relaxed), client.send(request), (try? client.answer()) != nil {}
                }
                group.leave()
            }
        }
        let bystander = try RawClient.admitted(service.socket)
        _ = try bystander.count(RawClient.add("bystander"))
        for _ in 0..<50 { #expect(try bystander.count(RawClient.find("bystander")) == 1) }
        isOver.store(true, ordering: .relaxed)
        group.wait()
    }

    @Test
    func `a client that never reads is cut off, and holds up nobody`() throws {
        var limits = TestService.quickLimits
        limits.frameTime = .seconds(60)
        let service = try TestService(limits: limits)
        let writer = try RawClient.admitted(service.socket)
        let secret = [UInt8](repeating: 7, count: 50_000)
        _ = try writer.ask(.batch((0..<40).map { RawClient.add("account \($0)", secret: secret) }))
        try whileAnswering(service) {
            let deaf = try (0..<6).map { _ in try RawClient.admitted(service.socket) }
            let request = try RawClient.frame(.operation(RawClient.find(limit: .all)))
            for client in deaf { client.send(request) }
            try waitUntil("six connections are dropped") { service.counts.dropped >= 6 }
        }
    }

    @Test
    func `a client that ends in the middle of a request has changed nothing`() throws {
        let service = try TestService()
        try whileAnswering(service) {
            let frame = try RawClient.frame(.operation(RawClient.add("half")))
            for length in stride(from: 1, to: frame.count, by: 7) {
                let client = try RawClient.admitted(service.socket)
                client.send(Array(frame[..<length]))
                client.close()
            }
            let observer = try RawClient.admitted(service.socket)
            try service.waitUntilConnections(2, from: observer)
            #expect(try observer.count(RawClient.find("half")) == 0)
        }
    }

    @Test
    func `a client that ends after its request has it done, whole`() throws {
        let service = try TestService()
        for number in 0..<20 {
            let client = try RawClient.admitted(service.socket)
            client.send(try RawClient.frame(.operation(RawClient.add("account \(number)"))))
            client.close()
        }
        let observer = try RawClient.admitted(service.socket)
        try service.waitUntilConnections(1, from: observer)
        #expect(try observer.count(RawClient.find(limit: .all)) == 20)
    }

    @Test
    func `large frames of many connections wait for each other`() throws {
        var limits = ServiceLimits()
        limits.frameTime = .seconds(30)
        limits.frameMemoryOfUser = 1
        let service = try TestService(limits: limits)
        let secret = [UInt8](repeating: 7, count: 512 << 10)
        let group = DispatchGroup()
        let stored = Atomic<Int>(0)
        for number in 0..<6 {
            group.enter()
            Thread.detachNewThread {
                if let client = try? RawClient.admitted(service.socket),
                    (try? client.count(RawClient.add("account \(number)", secret: secret))) != nil
                {
                    stored.add(1, ordering: .relaxed)
                }
                group.leave()
            }
        }
        group.wait()
        #expect(stored.load(ordering: .relaxed) == 6)
    }

    @Test
    func `connections over a user's limit are refused, and the others go on`() throws {
        var limits = TestService.quickLimits
        limits.connectionsOfUser = 3
        let service = try TestService(limits: limits)
        let clients = try (0..<3).map { _ in try RawClient.admitted(service.socket) }
        let refused = try RawClient(service.socket)
        #expect(throws: RawClient.Refused.self) { try refused.answer() }
        for client in clients { #expect(try client.count(RawClient.find("a")) == 0) }
        clients[0].close()
        try service.waitUntilConnections(2, from: clients[1])
        #expect(throws: Never.self) { try RawClient.admitted(service.socket) }
    }

    @Test
    func `connections that nobody admits are limited too`() throws {
        var limits = TestService.quickLimits
        limits.handshakesOfUser = 2
        let gate = DispatchSemaphore(value: 0)
        let service = try TestService(limits: limits, gate: OpenGate { gate.wait() })
        let waiting = try (0..<2).map { _ in try RawClient(service.socket) }
        let refused = try RawClient(service.socket)
        #expect(throws: RawClient.Refused.self) { try refused.answer() }
        for _ in waiting { gate.signal() }
        for client in waiting {
            guard case .welcome = try client.receive() else {
                Issue.record("no welcome")
                return
            }
        }
    }

    @Test
    func `ten thousand connections of one user leave the others their answers (as root)`() throws {
        try #require(getuid() == 0, "only root can be other users")
        let service = try TestService()
        try whileAnswering(service) {
            var held: [RawClient] = []
            for _ in 0..<10_000 {
                let client = try RawClient(service.socket, uid: 4003)
                // Twice as many as can be admitted stay open.
                if held.count < 512 { held.append(client) }
            }
            let other = try RawClient.admitted(service.socket, uid: 4004)
            #expect(try other.count(RawClient.find("a")) == 0)
            #expect(try RawClient.admitted(service.socket).status().connections <= 256 + 3)
        }
        // Those that came last may still be in the listener's queue.
        try waitUntil("10,002 connections are refused or accepted") {
            service.counts.refused + service.counts.accepted >= 10_002
        }
        // Those that were closed at once made room for others, of which any number was accepted for a moment.
        #expect(service.counts.refused >= 256)
    }

    private static var residentMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
    }
}

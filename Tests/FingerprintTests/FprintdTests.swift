import Foundation
import Glibc
import KeychainTestSupport
import Synchronization
import Testing

@testable import FingerprintReader

/// The real fprintd, with libfprint's virtual readers.
@Suite(
    .serialized,
    .enabled(if: FingerprintSite.obstacle == nil, "\(FingerprintSite.obstacle ?? "")"),
    .timeLimit(.minutes(3))
)
struct FprintdTests {
    private let site: FingerprintSite

    init() throws {
        site = try FingerprintSite()
    }

    private func begin() async throws {
        try await site.startFprintd()
        try await site.enrol(as: "alices-finger")
    }

    @Test("a finger that is enrolled matches, another does not, and the reader is free after each")
    func matching() async throws {
        try await begin()
        let site = site
        for (scan, verdict) in [
            ("alices-finger", FingerprintVerdict.matched), ("another", .noMatch), ("alices-finger", .matched),
        ] {
            #expect(await site.verify { if $0 == .waiting { site.send("SCAN \(scan)") } } == verdict)
        }
    }

    @Test("each user's fingers are their own")
    func usersOwnFingers() async throws {
        try await begin()
        try await site.enrol(of: "bob", as: "bobs-finger")
        let site = site
        #expect(await site.verify("bob") { if $0 == .waiting { site.send("SCAN alices-finger") } } == .noMatch)
        #expect(await site.verify("bob") { if $0 == .waiting { site.send("SCAN bobs-finger") } } == .matched)
    }

    @Test("what is wrong with a scan is told, and the same attempt goes on")
    func retries() async throws {
        try await begin()
        let site = site
        let messages = Messages()
        // FpDeviceRetry of libfprint: general, too short, not centred, to be removed.
        let next: [FingerprintMessage: String] = [
            .waiting: "RETRY 0", .retry: "RETRY 1", .swipeTooShort: "RETRY 2", .notCentered: "RETRY 3",
            .removeAndRetry: "SCAN alices-finger",
        ]
        let verdict = await site.verify {
            messages.add($0)
            if let command = next[$0] { site.send(command) }
        }
        #expect(verdict == .matched)
        #expect(messages.all == [.waiting, .retry, .swipeTooShort, .notCentered, .removeAndRetry])
    }

    @Test("whoever cancels gets the reader back at once")
    func cancelling() async throws {
        try await begin()
        let site = site
        let stop = Stop()
        #expect(await site.verify(until: stop.descriptor) { if $0 == .waiting { stop.now() } } == .cancelled)
        #expect(await site.verify { if $0 == .waiting { site.send("SCAN alices-finger") } } == .matched)
        // It still says so.
        #expect(await site.verify(until: stop.descriptor) == .cancelled)
    }

    @Test("patience ends, and the reader is free after that")
    func patience() async throws {
        try await begin()
        let site = site
        #expect(await site.verify(patience: .milliseconds(50)) == .obstacle(.timedOut))
        #expect(await site.verify { if $0 == .waiting { site.send("SCAN alices-finger") } } == .matched)
    }

    @Test("one attempt at a time")
    func oneAtATime() async throws {
        try await begin()
        let site = site
        let reader = site.makeReader()
        let stop = Stop()
        let second = Verdicts()
        let first = await site.verify(with: reader, until: stop.descriptor) { message in
            guard message == .waiting else { return }
            second.add(reader.verify(user: "alice", hear: { _ in }))
            site.send("SCAN alices-finger")
        }
        #expect(first == .matched)
        #expect(second.all == [.obstacle(.busy)])
    }

    @Test("an fprintd that is killed, or starts again, ends the attempt")
    func killed() async throws {
        let fprintd = try await site.startFprintd()
        try await site.enrol(as: "alices-finger")
        let verdict = await site.verify { if $0 == .waiting { kill(fprintd.processIdentifier, SIGKILL) } }
        #expect(verdict == .obstacle(.serviceLost))
        // And the next one is as good as the first.
        try await site.startFprintdAlone()
        let site = site
        #expect(await site.verify { if $0 == .waiting { site.send("SCAN alices-finger") } } == .matched)
    }

    @Test("a reader that is unplugged ends the attempt, and is gone then")
    func unplugged() async throws {
        try await begin()
        let site = site
        // fprintd 1.94 has no other word for it than for any failure.
        #expect(await site.verify { if $0 == .waiting { site.send("UNPLUG") } } == .obstacle(.failed))
        // It ends the attempt first, and forgets the reader a moment later.
        let end = ContinuousClock.now + .seconds(20)
        var found = await site.availability()
        while found != .obstacle(.noReader), .now < end {
            try await Task.sleep(for: .milliseconds(20))
            found = await site.availability()
        }
        #expect(found == .obstacle(.noReader))
    }

    @Test(
        "a reader that fails is no finger",
        // FpDeviceError of libfprint: general, and protocol, which fprintd takes for a reader that is gone.
        arguments: [(0, FingerprintObstacle.failed), (5, .readerLost)]
    )
    func failing(code: Int, obstacle: FingerprintObstacle) async throws {
        try await begin()
        let site = site
        #expect(await site.verify { if $0 == .waiting { site.send("ERROR \(code)") } } == .obstacle(obstacle))
        #expect(await site.verify { if $0 == .waiting { site.send("SCAN alices-finger") } } == .matched)
    }

    @Test("a reader that somebody else has claimed is busy")
    func claimed() async throws {
        try await begin()
        try await site.holdReader()
        #expect(await site.verify() == .obstacle(.busy))
    }

    @Test("what there is, is told before anybody is asked")
    func availability() async throws {
        try await site.startFprintd()
        #expect(await site.availability() == .obstacle(.nothingEnrolled))
        #expect(await site.verify() == .obstacle(.nothingEnrolled))
        try await site.enrol(as: "alices-finger")
        #expect(await site.availability() == .ready(.swipe))
        #expect(await site.availability(of: "bob") == .obstacle(.nothingEnrolled))
    }

    @Test("polkit's refusal is no finger")
    func refused() async throws {
        // Without the right to name another user.
        try await site.startFprintd(allowing: ["verify"])
        #expect(await site.availability() == .obstacle(.notPermitted))
        #expect(await site.verify() == .obstacle(.notPermitted))
    }

    @Test("the rights that the package gives are all that is needed")
    func rights() async throws {
        try await begin()
        let site = site
        let other = try FingerprintSite()
        try FileManager.default.removeItem(atPath: other.templates)
        try FileManager.default.copyItem(atPath: site.templates, toPath: other.templates)
        try await other.startFprintd(allowing: ["verify", "setusername"])
        #expect(await other.availability() == .ready(.swipe))
        #expect(await other.verify { if $0 == .waiting { other.send("SCAN alices-finger") } } == .matched)
    }

    @Test("no reader, no fprintd, no bus")
    func nothingThere() async throws {
        try await site.startFprintd(nil)
        #expect(await site.availability() == .obstacle(.noReader))
        #expect(await site.verify() == .obstacle(.noReader))
        let other = try FingerprintSite()
        #expect(await other.availability() == .obstacle(.noBus))
        #expect(await other.verify() == .obstacle(.noBus))
        try await other.startBus()
        #expect(await other.availability() == .obstacle(.noService))
        #expect(await other.verify() == .obstacle(.noService))
    }

    @Test(
        "names that are paths, or the caller's own in disguise, are nobody's",
        arguments: ["", ".", "..", "a/b", "a\nb"]
    )
    func unusableNames(_ name: String) async throws {
        try await site.startBus()
        try await site.startService("")
        #expect(await site.availability(of: name) == .obstacle(.unusableName))
        #expect(await site.verify(name) == .obstacle(.unusableName))
        #expect(!site.calls.contains { $0.hasPrefix("Claim") || $0.hasPrefix("ListEnrolledFingers") })
    }
}

/// Verdicts, from whichever thread.
final class Verdicts: Sendable {
    private let verdicts = Mutex<[FingerprintVerdict]>([])
    var all: [FingerprintVerdict] { verdicts.withLock { $0 } }
    func add(_ verdict: FingerprintVerdict) { verdicts.withLock { $0.append(verdict) } }
}

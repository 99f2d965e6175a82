import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import FingerprintReader

/// Services in fprintd's place that lie, flood, say nothing, or are not who they should be.
@Suite(
    .serialized,
    .enabled(if: FingerprintSite.obstacle == nil, "\(FingerprintSite.obstacle ?? "")"),
    .timeLimit(.minutes(3))
)
struct LyingServiceTests {
    private let site: FingerprintSite

    init() throws {
        site = try FingerprintSite()
    }

    private func begin(_ lines: String, as user: UInt32 = 0) async throws {
        try await site.startBus()
        try await site.startService(lines, as: user)
    }

    /// Patience with services that are not going to say more.
    private static let brief = Duration.milliseconds(400)

    @Test("a service that keeps to the interface is believed, and is left as it was found")
    func honest() async throws {
        try await begin("start(lambda: status('verify-match', True))")
        #expect(await site.availability() == .ready(.press))
        #expect(await site.verify() == .matched)
        #expect(
            site.calls == [
                "GetDefaultDevice", "ListEnrolledFingers alice", "GetDefaultDevice", "Claim alice", "VerifyStart any",
                "VerifyStop", "Release",
            ]
        )
    }

    @Test("a service of somebody else's than root's is not even asked")
    func otherOwner() async throws {
        try await begin("start(lambda: status('verify-match', True))", as: 65_534)
        #expect(await site.availability() == .obstacle(.untrustedService))
        #expect(await site.verify() == .obstacle(.untrustedService))
        #expect(site.calls.isEmpty)
    }

    @Test("a match from before the verification has begun is somebody else's")
    func earlyMatch() async throws {
        // The first at the claim, the second when the start is known and not yet answered.
        try await begin(
            """
            def claim(call): status('verify-match', True); answer(call)
            def early(call): status('verify-match', True); bus.flush_sync(); answer(call)
            methods["Claim"] = claim; methods["VerifyStart"] = early
            """
        )
        #expect(await site.verify(patience: Self.brief) == .obstacle(.timedOut))
    }

    @Test("a late status of an attempt that was cancelled does not end the next one")
    func lateStatus() async throws {
        try await begin(
            """
            def stop(call): status('verify-match', True); answer(call); status('verify-match', True)
            def release(call): status('verify-match', True); answer(call); status('verify-match', True)
            methods["VerifyStop"] = stop; methods["Release"] = release
            """
        )
        let reader = site.makeReader()
        let stop = Stop()
        #expect(await site.verify(with: reader, until: stop.descriptor) { _ in stop.now() } == .cancelled)
        #expect(await site.verify(with: reader, patience: Self.brief) == .obstacle(.timedOut))
    }

    @Test(
        "what is no match that is done does not match",
        arguments: [
            ("status('verify-match', False)", FingerprintObstacle.timedOut),
            ("status('verify-match', True, path='/net/reactivated/Fprint/Device/1', to=sender)", .timedOut),
            ("status('verify-match', True, interface='net.reactivated.Fprint.Manager', to=sender)", .timedOut),
            ("status('verify-match', True, member='EnrollStatus', to=sender)", .timedOut),
            ("status('', True, value=GLib.Variant('(bs)', (True, 'verify-match')))", .timedOut),
            ("status('', True, value=GLib.Variant('(s)', ('verify-match',)))", .timedOut),
            ("status('', True, value=GLib.Variant('(sbs)', ('verify-match', True, 'x')))", .timedOut),
            ("status('', True, value=GLib.Variant('(vb)', (GLib.Variant('s', 'verify-match'), True)))", .timedOut),
            ("status('', True, value=GLib.Variant('(ssb)', ('verify-match', 'verify-no-match', True)))", .timedOut),
            ("status('verify-match ', True)", .failed),
            ("status('Verify-Match', True)", .failed),
            ("status('verify-match' + 'h' * 1000000, True)", .failed),
            ("status('', True)", .failed),
            ("status('verify-retry-scan', True)", .failed),
            ("status('enroll-completed', True)", .failed),
            ("status('verify-unknown-error', True)", .failed),
            ("status('verify-disconnected', True)", .readerLost),
        ]
    )
    func noMatch(lines: String, obstacle: FingerprintObstacle) async throws {
        try await begin(
            """
            def verify(call):
                sender = call.get_sender()
                answer(call); bus.flush_sync(); later(lambda: \(lines))
            methods["VerifyStart"] = verify
            """
        )
        #expect(await site.verify(patience: Self.brief) == .obstacle(obstacle))
        #expect(site.calls.suffix(2) == ["VerifyStop", "Release"])
    }

    @Test("what comes after the end of an attempt does not change it")
    func afterTheEnd() async throws {
        try await begin("start(lambda: (status('verify-no-match', True), status('verify-match', True)))")
        #expect(await site.verify() == .noMatch)
        #expect(site.calls.suffix(2) == ["VerifyStop", "Release"])
    }

    @Test("a match from another connection is nobody's, whoever holds it", arguments: [0, 65_534] as [UInt32])
    func otherSender(user: UInt32) async throws {
        // Also root's: only the claimed reader's own service speaks for it. The answer to the start says to whom.
        try await begin(
            """
            def verify(call): print("to", call.get_sender()); answer(call)
            methods["VerifyStart"] = verify
            """
        )
        let site = site
        let verdict = await site.verify(patience: .milliseconds(800)) { _ in
            let reader = site.calls.last { $0.hasPrefix("to ") }?.dropFirst(3) ?? ""
            let sender = try? site.start(
                [
                    "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "dbus-send", "--system",
                    "--type=signal", "--dest=\(reader)", "/net/reactivated/Fprint/Device/0",
                    "net.reactivated.Fprint.Device.VerifyStatus", "string:verify-match", "boolean:true",
                ],
                log: "sender"
            )
            sender?.waitForExit()
        }
        #expect(verdict == .obstacle(.timedOut))
    }

    @Test("a name that goes to somebody else ends the attempt, whatever the new owner says")
    func newOwner() async throws {
        try await begin(
            """
            second = connect()
            def change(): disown(bus); own(second); status('verify-match', True, bus=second, to=reader)
            def verify(call):
                global reader; reader = call.get_sender(); answer(call); bus.flush_sync(); later(change)
            methods["VerifyStart"] = verify
            """
        )
        #expect(await site.verify() == .obstacle(.serviceLost))
    }

    @Test("who forges the bus's word of a new owner is not heard")
    func forgedOwner() async throws {
        try await begin(
            """
            def forge():
                bus.emit_signal(reader, "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                                GLib.Variant("(sss)", (NAME, bus.get_unique_name(), "")))
                status('verify-no-match', True)
            def verify(call):
                global reader; reader = call.get_sender(); answer(call); bus.flush_sync(); later(forge)
            methods["VerifyStart"] = verify
            """
        )
        #expect(await site.verify() == .noMatch)
    }

    @Test("a flood of statuses ends", arguments: ["verify-retry-scan", "verify-what-is-this"])
    func flood(status: String) async throws {
        try await begin("start(lambda: [status('\(status)', False) for _ in range(5000)])")
        let messages = Messages()
        #expect(await site.verify { messages.add($0) } == .obstacle(.misbehaving))
        #expect(messages.all.count <= 101)
        #expect(site.calls.suffix(2) == ["VerifyStop", "Release"])
    }

    @Test("a flood of what is not asked for holds up neither the match nor the end")
    func foreignFlood() async throws {
        try await begin(
            """
            def flood(call):
                to = call.get_sender(); answer(call)
                for _ in range(3000): status('verify-match', True, path='/x', to=to)
                status('verify-no-match', True)
            methods["VerifyStart"] = flood
            """
        )
        #expect(await site.verify() == .noMatch)
        let stop = Stop()
        #expect(await site.verify(until: stop.descriptor) { _ in stop.now() } == .cancelled)
    }

    @Test(
        "who does not answer is not waited for",
        arguments: ["GetDefaultDevice", "ListEnrolledFingers", "Claim", "VerifyStart"]
    )
    func silence(method: String) async throws {
        try await begin("methods['\(method)'] = silent")
        let reader = site.makeReader(
            FingerprintLimits(start: .milliseconds(300), answer: .milliseconds(300), end: .seconds(10))
        )
        switch method {
        case "ListEnrolledFingers": #expect(await site.availability(with: reader) == .obstacle(.noAnswer))
        default: #expect(await site.verify(with: reader) == .obstacle(.noAnswer))
        }
        // What may yet be done is undone.
        #expect(site.calls.contains("Release") == ["Claim", "VerifyStart"].contains(method))
        #expect(site.calls.contains("VerifyStop") == (method == "VerifyStart"))
    }

    @Test("a claim that is not answered can be cancelled, and is given back")
    func cancelledClaim() async throws {
        try await begin("methods['Claim'] = silent")
        let site = site
        let stop = Stop()
        let canceller = Thread {
            _ = eventually { site.calls.contains("Claim alice") }
            stop.now()
        }
        canceller.start()
        #expect(await site.verify(until: stop.descriptor) == .cancelled)
        #expect(site.calls.last == "Release")
    }

    @Test(
        "a reader that is not given back in time does not change what was found",
        arguments: ["VerifyStop", "Release"]
    )
    func endlessEnd(method: String) async throws {
        try await begin("start(lambda: status('verify-match', True)); methods['\(method)'] = silent")
        let reader = site.makeReader(
            FingerprintLimits(start: .seconds(10), answer: .seconds(10), end: .milliseconds(600))
        )
        #expect(await site.verify(with: reader) == .matched)
        #expect(site.calls.suffix(2) == ["VerifyStop", "Release"])
    }

    @Test(
        "answers of other types than the interface's are none",
        arguments: [
            (
                "xml = xml.replace('type=\"o\"', 'type=\"s\"')\n"
                    + "methods['GetDefaultDevice'] = lambda call: answer(call, GLib.Variant('(s)', (DEVICE,)))",
                FingerprintObstacle.misbehaving
            ),
            (
                "xml = xml.replace('type=\"as\"', 'type=\"s\"')\n"
                    + "methods['ListEnrolledFingers'] = lambda call: answer(call, GLib.Variant('(s)', ('left-thumb',)))",
                .misbehaving
            ),
            (
                "methods['ListEnrolledFingers'] = lambda call: answer(call, GLib.Variant('(as)', ([],)))",
                .nothingEnrolled
            ),
            (
                "methods['GetDefaultDevice'] = lambda call: answer(call, GLib.Variant('(o)', ('/' + 'x' * 100000,)))",
                .misbehaving
            ),
            (
                "methods['GetDefaultDevice'] = lambda call: call.return_dbus_error('x.' + 'y' * 200, 'z' * 1000000)",
                .failed
            ),
        ]
    )
    func oddAnswers(lines: String, obstacle: FingerprintObstacle) async throws {
        try await begin(lines)
        #expect(await site.availability() == .obstacle(obstacle))
    }

    @Test("a hundred thousand fingers are some")
    func manyFingers() async throws {
        try await begin(
            "methods['ListEnrolledFingers'] = "
                + "lambda call: answer(call, GLib.Variant('(as)', (['f' * 100] * 100000,)))"
        )
        #expect(await site.availability() == .ready(.press))
    }

    @Test("a kind that nobody knows is pressed, and swiping is told")
    func kinds() async throws {
        try await begin("scan_type = 'swipe'")
        #expect(await site.availability() == .ready(.swipe))
        let other = try FingerprintSite()
        try await other.startBus()
        try await other.startService("scan_type = 'lick'")
        #expect(await other.availability() == .ready(.press))
    }

    @Test("a service that does not run is started, and one that does not start is none")
    func activation() async throws {
        try site.installService("start(lambda: status('verify-match', True))")
        try await site.startBus()
        #expect(await site.verify() == .matched)
        let other = try FingerprintSite()
        try other.installService("sys.exit(1)")
        try await other.startBus()
        #expect(await other.verify() == .obstacle(.noService))
    }

    @Test("a service that ends instead of an answer is lost", arguments: ["GetDefaultDevice", "Claim", "VerifyStart"])
    func ending(method: String) async throws {
        try await begin("methods['\(method)'] = lambda call: os._exit(0)")
        #expect(await site.verify() == .obstacle(.serviceLost))
    }

    @Test("what the bus does not let through is not permitted")
    func busPolicy() async throws {
        try await site.startBus("<deny send_interface=\"net.reactivated.Fprint.Device\"/>")
        try await site.startService("start(lambda: status('verify-match', True))")
        #expect(await site.availability() == .obstacle(.notPermitted))
        #expect(await site.verify() == .obstacle(.notPermitted))
        #expect(site.calls.allSatisfy { $0 == "GetDefaultDevice" })
    }

    @Test("an answer from another connection is none")
    func forgedAnswer() async throws {
        // A bus lets nobody answer whom nobody has asked, unless it is told to.
        try await site.startBus(
            "<allow send_requested_reply=\"false\"/><allow receive_requested_reply=\"false\"/>"
        )
        try await site.startService(
            """
            second = connect()
            def forge(call):
                for cookie in range(1, 50):
                    message = Gio.DBusMessage()
                    message.set_message_type(Gio.DBusMessageType.METHOD_RETURN)
                    message.set_destination(call.get_sender()); message.set_reply_serial(cookie)
                    message.set_body(GLib.Variant("(o)", ("/forged",)))
                    second.send_message(message, Gio.DBusSendMessageFlags.NONE)
                second.flush_sync()
                later(lambda: call.return_dbus_error(NAME + ".Error.NoSuchDevice", ""))
            methods["GetDefaultDevice"] = forge
            """
        )
        #expect(await site.verify() == .obstacle(.noReader))
    }

    @Test("an attempt ends when the reader has been given back, also where nobody waits for a finger any longer")
    func givenBack() async throws {
        try await begin(
            """
            def slowly(word):
                return lambda call: GLib.timeout_add(100, lambda: (print(word), answer(call)) and False)
            methods["VerifyStop"] = slowly("stopped"); methods["Release"] = slowly("released")
            """
        )
        let stop = Stop()
        #expect(await site.verify(until: stop.descriptor) { _ in stop.now() } == .cancelled)
        #expect(site.calls.suffix(4) == ["VerifyStop", "stopped", "Release", "released"])
    }

    @Test("a second attempt meanwhile is not even made")
    func oneAtATime() async throws {
        try await begin("")
        let reader = site.makeReader()
        let stop = Stop()
        let second = Verdicts()
        let first = await site.verify(with: reader, until: stop.descriptor) { _ in
            second.add(reader.verify(user: "alice", patience: .milliseconds(100), hear: { _ in }))
            stop.now()
        }
        #expect(first == .cancelled)
        #expect(second.all == [.obstacle(.busy)])
        #expect(site.calls.filter { $0 == "Claim alice" }.count == 1)
    }

    @Test("a bus that says nothing is not waited for")
    func silentBus() async throws {
        // A listener that nobody accepts from.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = site.folder + "/bus"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
        listen(descriptor, 8)
        let reader = site.makeReader(
            FingerprintLimits(start: .milliseconds(300), answer: .milliseconds(300), end: .milliseconds(300))
        )
        #expect(await site.verify(with: reader) == .obstacle(.noAnswer))
        let stop = Stop()
        stop.now()
        #expect(await site.verify(until: stop.descriptor) == .cancelled)
    }
}

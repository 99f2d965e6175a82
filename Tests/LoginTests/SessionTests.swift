import EnclaveInterface
import Foundation
import Glibc
import KeychainTestSupport
import Logging
import LoginSessions
import Synchronization
import Testing

/// What logind tells by its own interface, on a bus of the tests' own.
@Suite(
    .serialized,
    .enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"),
    .timeLimit(.minutes(3))
)
struct SessionTests {
    private let site: LoginSite
    private let heard: Heard
    private let sessions: LoginSessions

    private static let alice = LoginSite.alice
    private static let c1 = "/org/freedesktop/login1/session/c1"

    private final class Heard: Sendable {
        private let events = Mutex<[LoginSessions.Event]>([])
        var all: [LoginSessions.Event] { events.withLock { $0 } }
        func add(_ event: LoginSessions.Event) { events.withLock { $0.append(event) } }
    }

    init() throws {
        site = try LoginSite()
        try site.startBus()
        // sd-bus looks there, and no other test uses the system's bus.
        setenv("DBUS_SYSTEM_BUS_ADDRESS", site.bus, 1)
        let heard = Heard()
        self.heard = heard
        sessions = try LoginSessions(log: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }) { heard.add($0) }
    }

    private func begin() throws {
        try site.startLogind()
        try sessions.start()
        try site.waitUntilHeard()
    }

    /// Everything that was sent before this has been heard.
    private func expectAll(_ events: [LoginSessions.Event], thenUntil isSo: () throws -> Void = {}) throws {
        try site.emit("PrepareForSleep", "b", "[<false>]")
        try site.wait(for: "the last event") { heard.all.last == .wake }
        #expect(heard.all == events + [.wake])
        try isSo()
        sessions.stop()
    }

    @Test func `a screen that is to be locked or unlocked`() throws {
        try begin()
        #expect(try site.session("Lock").status == 0)
        #expect(try site.session("Unlock").status == 0)
        try expectAll([.screenLocked(uid: Self.alice), .screenUnlocked(uid: Self.alice)])
    }

    @Test func `a desktop that says its screen is locked is believed, once`() throws {
        try begin()
        for state in ["true", "true", "false"] { #expect(try site.session("SetLockedHint \(state)").status == 0) }
        try expectAll([.screenLocked(uid: Self.alice), .screenUnlocked(uid: Self.alice)])
    }

    @Test func `a screen that was locked while nobody listened is told at once`() throws {
        try site.startLogind()
        #expect(try site.session("SetLockedHint true").status == 0)
        try sessions.start()
        try site.waitUntilHeard()
        try expectAll([.screenLocked(uid: Self.alice)])
    }

    @Test func `the machine sleeps when who hears of it is done, and is held up again after that`() throws {
        try begin()
        try site.emit("PrepareForSleep", "b", "[<true>]")
        try site.wait(for: "the machine's leave to sleep") { try site.inhibitors == 0 }
        #expect(heard.all == [.sleep])
        try expectAll([.sleep], thenUntil: site.waitUntilHeard)
    }

    @Test func `the end of a session counts when it is the last, and the end of all when the user is gone`() throws {
        try begin()
        _ = try site.mock("/org/freedesktop/login1", "AddSession", "c2 seat0 \(Self.alice) alice true")
        try site.emit("SessionNew", "so", "[<'c2'>, <objectpath '\(Self.c1.dropLast())2'>]")
        for session in ["c1", "c2"] {
            _ = try site.mock("/org/freedesktop/login1", "RemoveObject", "\(Self.c1.dropLast(2))\(session)")
            try site.emit("SessionRemoved", "so", "[<'\(session)'>, <objectpath '\(Self.c1.dropLast(2))\(session)'>]")
        }
        try site.emit("UserRemoved", "uo", "[<uint32 \(Self.alice)>, <objectpath '/org/freedesktop/login1/user/1'>]")
        try expectAll([.lastSessionEnded(uid: Self.alice), .userGone(uid: Self.alice)])
    }

    @Test func `a signal of somebody else's is not believed`() throws {
        try begin()
        // Straight to the connection, past the rules of the bus; as any user of the machine can.
        let names = try site.run(
            "gdbus call --system -d org.freedesktop.DBus -o /org/freedesktop/DBus -m org.freedesktop.DBus.ListNames"
        ).output
        for name in names.split(separator: "'").filter({ $0.hasPrefix(":") }) {
            for signal in [
                "\(Self.c1) -s org.freedesktop.login1.Session.Lock",
                "/org/freedesktop/login1 -s org.freedesktop.login1.Manager.UserRemoved 'uint32 \(Self.alice)' 'objectpath \"/x\"'",
                "/org/freedesktop/DBus -s org.freedesktop.DBus.NameOwnerChanged org.freedesktop.login1 x \(name)",
            ] { _ = try site.run("gdbus emit --system -d \(name) -o \(signal)") }
        }
        try expectAll([])
    }

    @Test func `a flood of signals, and signals of other shapes, keep nobody from hearing`() throws {
        try begin()
        _ = try site.run(
            """
            for number in 1 2 3 4 5 6 7 8; do
                { for turn in 1 2 3 4 5; do
                    gdbus emit --system -o \(Self.c1) -s org.freedesktop.login1.Session.Lock
                    gdbus emit --system -o /x -s org.freedesktop.login1.Manager.PrepareForSleep "'no boolean'"
                done; } &
            done; wait
            """
        )
        // logind's own name does not make them better.
        try site.emit("SessionRemoved", "s", "[<'c1'>]")
        try site.emit("UserRemoved", "s", "[<'nobody'>]")
        try site.emit("SessionNew", "u", "[<uint32 7>]")
        #expect(try site.session("Lock").status == 0)
        try site.wait(for: "the lock") { heard.all.contains(.screenLocked(uid: Self.alice)) }
        sessions.stop()
    }

    @Test func `logind that is started again is heard again`() throws {
        let logind = try site.startLogind()
        try sessions.start()
        try site.waitUntilHeard()
        logind.terminate()
        logind.waitForExit()
        try site.startLogind()
        try site.waitUntilHeard()
        #expect(try site.session("Lock").status == 0)
        try expectAll([.screenLocked(uid: Self.alice)])
    }

    @Test func `a bus that is started again is heard again`() throws {
        try begin()
        try site.stopBus()
        try site.startBus()
        try site.startLogind()
        try site.waitUntilHeard()
        #expect(try site.session("Lock").status == 0)
        try expectAll([.screenLocked(uid: Self.alice)])
    }

    @Test func `the real service locks with the screen, and before the machine sleeps`() throws {
        try site.startLogind()
        try site.startService()
        try site.setPasscode()
        try site.waitUntilHeard()
        #expect(try site.session("Lock").status == 0)
        try site.wait(for: "the lock") { try site.lock == .locked }
        let unlocked = try site.asAlice("chatelaine unlock --stdin", input: LoginSite.password + "\n")
        #expect(unlocked.status == 0, "\(unlocked.errors)")
        try site.emit("PrepareForSleep", "b", "[<true>]")
        try site.wait(for: "the machine's leave to sleep") { try site.inhibitors == 0 }
        #expect(try site.lock == .locked)
        try site.emit("UserRemoved", "uo", "[<uint32 \(Self.alice)>, <objectpath '/org/freedesktop/login1/user/1'>]")
        try site.wait(for: "the log-out") { try site.lock == .beforeFirstUnlock }
    }
}

package import Foundation
import Glibc
import Synchronization

/// A message bus of a test's own, and whoever reads fingers on it.
///
/// `@unchecked`: a test speaks to it from the thread that verifies and from its own, never from both at once.
package final class FingerprintSite: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// What stands in the way; nil where nothing does.
    package static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root's service is believed" }
        for path in ["/usr/bin/dbus-daemon", "/usr/bin/python3", "/usr/bin/setpriv"] + [fprintd]
        where !FileManager.default.isExecutableFile(atPath: path) {
            return "\(path) is not here"
        }
        for module in ["gi", "dbusmock"]
        where !FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/" + module) {
            return "\(module) is not here"
        }
        return nil
    }()

    private static let fprintd: String =
        ["/usr/libexec/fprintd", "/usr/lib/fprintd/fprintd"].first { FileManager.default.fileExists(atPath: $0) }
        ?? "/usr/libexec/fprintd"

    package let folder: String
    private let processes = Mutex<[Process]>([])

    package var bus: String { "unix:path=\(folder)/bus" }
    package var hasBus: Bool { FileManager.default.fileExists(atPath: folder + "/bus") }

    /// How often the real fprintd has begun to wait for a finger so far. What is sent before that is lost.
    package var verifications: Int {
        // Asked for again and again while it grows.
        let log = FileManager.default.contents(atPath: folder + "/fprintd") ?? Data()
        return log.places(of: "start verification device".utf8).count
    }

    /// Where fprintd keeps what it knows of fingers.
    package var templates: String { folder + "/state" }
    private var reader: String { folder + "/reader" }

    package init() throws {
        // The name of a socket has to be short.
        folder = "/tmp/finger-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
        chmod(folder, 0o755)
    }

    deinit {
        let processes = processes.withLock { $0 }
        for process in processes.reversed() where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for process in processes { process.waitForExit() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: - Running programs

    private func environment(_ more: [String: String]) -> [String: String] {
        ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": bus]
            .merging(more) { $1 }
    }

    @discardableResult
    package func start(_ words: [String], log: String, environment more: [String: String] = [:]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = environment(more)
        let path = folder + "/" + log
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: path)
        process.standardError = process.standardOutput
        try process.runHearingSignals()
        processes.withLock { $0.append(process) }
        return process
    }

    package func log(_ name: String) -> String {
        (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
    }

    /// Waits until something is so; without a thread, since there are few of these.
    package func wait(for what: String, until isSo: () throws -> Bool) async throws {
        for _ in 0..<1_500 {
            if try isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failure(description: "waited in vain for \(what)\n" + log("fprintd") + log("service") + log("bus.log"))
    }

    /// Runs a program to its end.
    package func run(_ words: [String]) async throws {
        let name = UUID().uuidString
        let process = try start(words, log: name)
        try await wait(for: words.prefix(2).joined(separator: " ")) { !process.isRunning }
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(words): \(log(name))\n\(log("fprintd"))")
        }
    }

    // MARK: - The bus

    /// - Parameter policy: more lines of the bus's configuration, after all has been allowed.
    package func startBus(_ policy: String = "") async throws {
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>system</type><listen>\(bus)</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
        <allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/>
        \(policy)</policy><servicedir>\(folder)/services</servicedir></busconfig>
        """.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        try start(
            ["dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile"],
            log: "bus.log"
        )
        try await wait(for: "the bus") { takesConnections(folder + "/bus") }
    }

    // MARK: - The real fprintd

    package enum Reader: String {
        /// Compares by itself, and keeps its templates in files.
        case simple = "FP_VIRTUAL_DEVICE"
        /// Keeps prints on its chip.
        case storing = "FP_VIRTUAL_DEVICE_STORAGE"
        /// Takes pictures.
        case image = "FP_VIRTUAL_IMAGE"
    }

    package static let allActions = ["verify", "enroll", "setusername"]

    /// fprintd with one of libfprint's virtual readers, and a polkit that allows what it is told to.
    @discardableResult
    package func startFprintd(_ reader: Reader? = .simple, allowing actions: [String] = allActions) async throws
        -> Process
    {
        try await startBus()
        try start(["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "polkitd"], log: "polkit")
        try await allow(actions)
        return try await startFprintdAlone(reader)
    }

    /// On a bus that is there, with polkit.
    @discardableResult
    package func startFprintdAlone(_ reader: Reader? = .simple) async throws -> Process {
        let drivers = "virtual_device:virtual_device_storage:virtual_image"
        var environment = [
            "STATE_DIRECTORY": templates, "G_MESSAGES_DEBUG": "all", "FP_DRIVERS_WHITELIST": drivers,
            "FP_DRIVERS_ALLOWLIST": drivers,
        ]
        if let reader { environment[reader.rawValue] = self.reader }
        let process = try start([Self.fprintd, "-t"], log: "fprintd", environment: environment)
        try await run([
            "/usr/bin/python3", "-c", Self.waiter, "net.reactivated.Fprint",
        ])
        return process
    }

    private static let waiter = """
        import sys, time
        from gi.repository import Gio, GLib
        bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        for _ in range(1000):
            if bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
                             GLib.Variant("(s)", (sys.argv[1],)), None, 0, -1)[0]: sys.exit()
            time.sleep(.01)
        sys.exit(sys.argv[1] + " is not there")
        """

    private func allow(_ actions: [String]) async throws {
        try await run(["/usr/bin/python3", "-c", Self.waiter, "org.freedesktop.PolicyKit1"])
        try await run([
            "dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.PolicyKit1",
            "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.DBus.Mock.SetAllowed",
            "array:string:" + actions.map { "net.reactivated.fprint.device." + $0 }.joined(separator: ","),
        ])
    }

    /// Speaks with fprintd as a user's settings do.
    private static let client = """
        import math, os, random, socket, struct, sys, time
        from gi.repository import Gio, GLib
        bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        def call(path, interface, member, *texts):
            return bus.call_sync("net.reactivated.Fprint", path, "net.reactivated.Fprint." + interface, member,
                                 GLib.Variant("(" + "s" * len(texts) + ")", texts), None, 0, 10000)
        device = call("/net/reactivated/Fprint/Manager", "Manager", "GetDefaultDevice")[0]
        def ask(member, *texts): return call(device, "Device", member, *texts)
        def send(words):
            peer = socket.socket(socket.AF_UNIX); peer.connect(sys.argv[1]); peer.sendall(words)
            peer.shutdown(socket.SHUT_WR); peer.recv(1024); peer.close()
        # A picture of ridges with some points where they end or fork, as the virtual reader takes it: width, height, pixels.
        # Another number is another finger.
        def picture(number, width=256, height=256):
            numbers = random.Random(number)
            points = [(numbers.uniform(40, width - 40), numbers.uniform(40, height - 40), numbers.choice((-1, 1)))
                      for _ in range(24)]
            pixels = bytearray()
            for y in range(height):
                for x in range(width):
                    phase = 2 * math.pi * y / 9 + (x - width / 2) ** 2 / 3000
                    for px, py, turn in points: phase += turn * math.atan2(y - py, x - px)
                    pixels.append(int(128 + 100 * math.cos(phase)))
            return struct.pack("ii", width, height) + bytes(pixels)
        context = GLib.MainContext.default()
        def enrol(finger, scan):
            events = []
            which = bus.signal_subscribe(None, "net.reactivated.Fprint.Device", "EnrollStatus", device, None, 0,
                                         lambda *words: events.append(words[5].unpack()))
            ask("EnrollStart", finger)
            seen = -1
            end = time.time() + 10
            while not any(done for _, done in events):
                if time.time() > end: sys.exit("no end: %r" % events)
                while context.iteration(False): pass
                if len(events) > seen:
                    seen = len(events)
                    if not any(done for _, done in events): scan(seen)
                time.sleep(.005)
            ask("EnrollStop"); bus.signal_unsubscribe(which)
            if events[-1][0] != "enroll-completed": sys.exit(repr(events))
        """

    /// Runs lines of Python that may `ask` the reader, `send` to the virtual one, and `enrol`.
    package func asClient(_ lines: String) async throws {
        try await run(["/usr/bin/python3", "-c", Self.client + "\n" + lines, reader])
    }

    package func enrol(_ finger: String = "right-index-finger", of user: String = "alice", as scan: String) async throws
    {
        try await asClient(
            """
            ask("Claim", "\(user)")
            enrol("\(finger)", lambda _: send(b"SCAN \(scan)"))
            ask("Release")
            """
        )
    }

    /// With pictures, for the reader that takes these.
    package func enrol(_ finger: String = "right-index-finger", of user: String = "alice", asPicture number: Int)
        async throws
    {
        try await asClient(
            """
            image = picture(\(number))
            ask("Claim", "\(user)")
            enrol("\(finger)", lambda _: send(image))
            ask("Release")
            """
        )
    }

    package func delete(_ finger: String, of user: String = "alice") async throws {
        try await asClient("ask('Claim', '\(user)'); ask('DeleteEnrolledFinger', '\(finger)'); ask('Release')")
    }

    /// Claims the reader, and keeps it until the process ends.
    package func holdReader() async throws {
        try start(
            [
                "/usr/bin/python3", "-u", "-c",
                Self.client + "\nask('Claim', 'alice'); print('held'); time.sleep(1000)", reader,
            ],
            log: "holder"
        )
        try await wait(for: "the holder") { log("holder").hasPrefix("held") }
    }

    /// The names that fprintd tells.
    package func enrolledNames(of user: String = "alice") async throws -> String {
        let name = "names"
        let process = try start(
            [
                "/usr/bin/python3", "-c", Self.client + "\nprint(sorted(ask('ListEnrolledFingers', '\(user)')[0]))",
                reader,
            ],
            log: name
        )
        try await wait(for: "the names") { !process.isRunning }
        return log(name)
    }

    /// Has the virtual reader do something.
    package func send(_ command: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: reader.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { return }
        let bytes = Array(command.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
        shutdown(descriptor, Int32(SHUT_WR))
        var end = [UInt8](repeating: 0, count: 64)
        _ = read(descriptor, &end, end.count)
    }

    // MARK: - Somebody in fprintd's place

    /// Acts fprintd out as it should be; `lines` change what it does before it takes the name.
    ///
    /// A method of the interface is a function in `methods`, from the call to nothing; `later` runs something when the
    /// answer has gone.
    package func startService(_ lines: String, as user: UInt32 = 0) async throws {
        try start(
            [
                "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "/usr/bin/python3", "-u", "-c",
                Self.service(lines),
            ],
            log: "service"
        )
        try await wait(for: "the service") { log("service").contains("ready\n") }
    }

    /// Has the bus start such a service when it is asked for.
    package func installService(_ lines: String) throws {
        let program = folder + "/service.py"
        try ("import sys; sys.stdout = open('\(folder)/service', 'w', 1)\n" + Self.service(lines))
            .write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: folder + "/services", withIntermediateDirectories: true)
        try """
        [D-BUS Service]
        Name=net.reactivated.Fprint
        User=root
        Exec=/usr/bin/python3 -u \(program)

        """.write(toFile: folder + "/services/net.reactivated.Fprint.service", atomically: true, encoding: .utf8)
    }

    private static func service(_ lines: String) -> String {
        """
        import os
        from gi.repository import Gio, GLib
        NAME = "net.reactivated.Fprint"; DEVICE = "/net/reactivated/Fprint/Device/0"
        INTERFACE = NAME + ".Device"
        def connect():
            return Gio.DBusConnection.new_for_address_sync(
                os.environ["DBUS_SYSTEM_BUS_ADDRESS"], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        bus = connect()
        def own(bus): bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
                                    GLib.Variant("(su)", (NAME, 4)), None, 0, -1)
        def disown(bus): bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReleaseName",
                                       GLib.Variant("(s)", (NAME,)), None, 0, -1)
        xml = '''<node>
        <interface name="net.reactivated.Fprint.Manager">
          <method name="GetDefaultDevice"><arg type="o" direction="out"/></method></interface>
        <interface name="net.reactivated.Fprint.Device">
          <method name="ListEnrolledFingers"><arg type="s" direction="in"/><arg type="as" direction="out"/></method>
          <method name="Claim"><arg type="s" direction="in"/></method><method name="Release"/>
          <method name="VerifyStart"><arg type="s" direction="in"/></method><method name="VerifyStop"/>
          <property name="scan-type" type="s" access="read"/></interface></node>'''
        def answer(call, value=None): call.return_value(value)
        def silent(call): pass
        def status(text, done, path=DEVICE, interface=INTERFACE, member="VerifyStatus", bus=bus, to=None,
                   value=None):
            bus.emit_signal(to, path, interface, member, value or GLib.Variant("(sb)", (text, done)))
        def later(what): GLib.idle_add(lambda: what() and False)
        def start(what):
            def started(call): answer(call); bus.flush_sync(); later(what)
            methods["VerifyStart"] = started
        scan_type = "press"
        methods = {
            "GetDefaultDevice": lambda call: answer(call, GLib.Variant("(o)", (DEVICE,))),
            "ListEnrolledFingers": lambda call: answer(call, GLib.Variant("(as)", (["left-thumb"],))),
            "Claim": answer, "Release": answer, "VerifyStart": answer, "VerifyStop": answer,
        }
        \(lines)
        def called(connection, sender, path, interface, member, arguments, call):
            print(member, *arguments.unpack()); methods[member](call)
        node = Gio.DBusNodeInfo.new_for_xml(xml)
        bus.register_object("/net/reactivated/Fprint/Manager", node.interfaces[0], called, None, None)
        bus.register_object(DEVICE, node.interfaces[1], called,
                            lambda *words: GLib.Variant("s", scan_type), None)
        own(bus)
        print("ready")
        GLib.MainLoop().run()
        """
    }

    /// What the service was called for.
    package var calls: [String] {
        log("service").split(separator: "\n").map(String.init).filter { $0 != "ready" }
    }
}

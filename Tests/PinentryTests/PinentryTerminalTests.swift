import KeychainPinentry
import Testing

/// Terminals as asking programs name them.
@Suite struct PinentryTerminalTests {
    @Test func `an honest terminal is taken`() {
        let terminal = PinentryTerminal(
            ttyName: "/dev/pts/12",
            ttyType: "xterm-256color",
            display: ":0",
            waylandDisplay: "wayland-0",
            lcCtype: "de_DE.UTF-8@euro",
            lcMessages: "C"
        )
        #expect(terminal.ttyName == "/dev/pts/12")
        #expect(terminal.ttyType == "xterm-256color")
        #expect(terminal.display == ":0")
        #expect(terminal.waylandDisplay == "wayland-0")
        #expect(terminal.lcCtype == "de_DE.UTF-8@euro")
        #expect(terminal.lcMessages == "C")
    }

    @Test(arguments: ["/dev/tty1", "/dev/ttyS0", "/dev/console", "/dev/pts/0", "/dev/hvc0"])
    func `a device of a terminal is a name`(_ name: String) {
        #expect(PinentryTerminal(ttyName: name).ttyName == name)
    }

    @Test(arguments: [
        "", "/dev", "/dev/", "pts/3", "dev/pts/3", "/etc/passwd", "/dev/../etc/passwd", "/dev/pts/../../etc/passwd",
        "/dev//pts/3",
        "/dev/pts/", "/dev/./pts/3", "/dev/pts/3\nGETPIN", "/dev/pts/3 ", "/dev/pts/3\0", "/dev/pts/３", "/dev/%70ts/3",
        // Something else for each process, and what anybody may put a link into.
        "/dev/tty", "/dev/stdin", "/dev/fd/0", "/dev/shm/x", "/dev/mqueue/x", "/dev/ptmx", "/dev/pts/ptmx",
        "/dev/" + String(repeating: "x", count: 60),
    ])
    func `a path that is no terminal's is left out`(_ name: String) {
        #expect(PinentryTerminal(ttyName: name).ttyName == nil)
    }

    @Test(arguments: [":0", ":99", ":0.0", ":12.1", "localhost:10.0", "unix:0"])
    func `a display of this machine is a display`(_ display: String) {
        #expect(PinentryTerminal(display: display).display == display)
    }

    @Test(arguments: [
        "", ":", "0", ":x", ":0.", ":0.0.0", ":123456", "evil.example:0", "192.0.2.1:0", "tcp/evil:0", ":0\nGETPIN",
        ":0 ", "/tmp/x:0",
        "[::1]:0", ":٣",
    ])
    func `a display elsewhere is left out`(_ display: String) {
        #expect(PinentryTerminal(display: display).display == nil)
    }

    @Test(arguments: [
        "", "../../tmp/evil", "/tmp/evil", ".", "..", "a b", "a\nGETPIN", "a\0", "ä", "-x", "a=b", "a%0A",
        String(repeating: "x", count: 65),
    ])
    func `a name with anything else in it is left out`(_ name: String) {
        let terminal = PinentryTerminal(ttyType: name, waylandDisplay: name, lcCtype: name, lcMessages: name)
        #expect(terminal == PinentryTerminal())
    }
}

/// The system's pinentry.
@Suite struct PinentrySystemTests {
    @Test func `the system's pinentry is found`() {
        #expect(Pinentry.find() == "/usr/bin/pinentry")
    }

    @Test(arguments: ["", ".", "usr/bin", "/nonexistent", "/tmp", "/dev/shm", "/usr/bin/../../tmp"])
    func `a folder without one has none`(_ folder: String) {
        #expect(Pinentry.find(in: [folder]) == nil)
    }

    @Test func `one that somebody else could change is not found`() throws {
        // In a folder under one that everybody writes.
        let script = try ScriptedPinentry("exit 0")
        let folder = String(script.path.dropLast("/pinentry".count))
        #expect(Pinentry.find(in: [folder]) == nil)
        #expect(Pinentry.find(in: [folder, "/usr/bin"]) == "/usr/bin/pinentry")
    }
}

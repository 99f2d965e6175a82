import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Somebody who has used gnome-keyring so far, and types the line that README shows.
@Suite(.timeLimit(.minutes(5)))
struct NewUserTests {
    static let line = "chatelaine secrets import && chatelaine secrets enable"

    @Test func `without systemd: from the next log-in on the bus starts this service, and disable takes that back`()
        throws
    {
        let site = try SecretsSite(.session, starts: false)
        let keyring = try GnomeKeyring(site)
        #expect(try site.store("hunter two", label: "Mail", "server mail.example user alice").status == 0)
        let moved = try site.run(Self.line)
        #expect(moved.status == 0, "\(moved.output)")
        #expect(moved.output.contains("1 items of 1 collections were taken and read back.\nFrom the next log-in on"))
        #expect(moved.output.contains("Until then it is served by /usr/bin/gnome-keyring-daemon"), "\(moved.output)")
        // Still the other program's.
        #expect(try site.store("later", "server later.example").status == 0)
        try keyring.stop()
        try site.logInAgain()
        // Nobody has the name, and gnome-keyring's own file in /usr/share would start it for this one.
        #expect(try site.lookup("server mail.example user alice").output == "hunter two")
        #expect(try site.run("chatelaine secrets status").output.contains("is served by this keychain: "))
        #expect(try site.lookup("server later.example").status == 1)
        #expect(try site.store("new", "server new.example").status == 0)
        let removed = try site.run("chatelaine secrets disable")
        #expect(removed.status == 0 && removed.output.contains("This service keeps the name until the log-out."))
        try site.logInAgain()
        try site.run("gdbus call --session --dest org.freedesktop.secrets --object-path / --method org.none.None.None")
        let back = try site.run("chatelaine secrets status")
        #expect(back.status == 1 && back.output.contains("by /usr/bin/gnome-keyring-daemon (process"), "\(back.output)")
        // The items stayed in the keychain.
        try site.logInAgain()
        try site.start()
        #expect(try site.lookup("server new.example").output == "new")
    }

    @Test(.enabled(if: isThere("dex"), "needs dex, which scripts/setup.sh --tests installs"))
    func `what a desktop starts at a log-in has gnome-keyring for secrets no more, and its other parts still`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        func starts(_ component: String) throws -> Bool {
            try site.run("dex --autostart --environment GNOME --dry-run --verbose").output
                .contains("Executing command: /usr/bin/gnome-keyring-daemon --start --components=\(component)\n")
        }
        #expect(try starts("secrets") && starts("pkcs11"))
        #expect(try site.run("chatelaine secrets enable").status == 0)
        #expect(try !starts("secrets") && starts("pkcs11"))
        #expect(try site.run("chatelaine secrets disable").status == 0)
        #expect(try starts("secrets") && starts("pkcs11"))
    }

    @Test func `enable writes nothing where one of its files is somebody else's`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        let autostart = site.folder + "/home/.config/autostart/gnome-keyring-secrets.desktop"
        try site.run("mkdir -p home/.config/autostart; echo '[Desktop Entry]' >\(autostart)")
        let refused = try site.run("chatelaine secrets enable")
        #expect(refused.status == 1 && refused.output.contains("\(autostart) is there already"), "\(refused.output)")
        #expect(try site.run("find home -name '*.service' -o -name '*.conf'").output.isEmpty)
        #expect(try String(contentsOfFile: autostart, encoding: .utf8) == "[Desktop Entry]\n")
    }

    @Test func `a program in a folder with blanks, quotes and backslashes in its name is started from there`() throws {
        let site = try SecretsSite(.session, starts: false)
        let folder = #"an app's \n"folder""#
        let quoted = folder.replacingOccurrences(of: "'", with: "'\\''")
        try site.run("mkdir '\(quoted)'; cp --reflink=auto $PROGRAMS/chatelaine-secrets '\(quoted)/'")
        #expect(try site.run("'\(quoted)/chatelaine-secrets' enable").status == 0)
        try site.logInAgain()
        #expect(try site.store("geheim", "a 1").status == 0)
        let status = try site.run("'\(quoted)/chatelaine-secrets' status")
        #expect(
            status.output.contains("keychain: \(site.folder)/\(folder)/chatelaine-secrets (process"),
            "\(status.output)"
        )
    }

    @Test(.enabled(if: ManagedSession.obstacle == nil, "\(ManagedSession.obstacle ?? "")"))
    func `in a session of systemd's, gnome-keyring's unit leaves the name to this service's`() throws {
        let session = try ManagedSession()
        let status = "chatelaine secrets status"
        // As most desktops start it.
        #expect(try session.run("systemctl --user is-active gnome-keyring-daemon.service").output == "active\n")
        try session.waitUntil("gnome-keyring serves") {
            try session.run(status).output.contains("is served by /usr/bin/gnome-keyring-daemon")
        }
        let made = try session.python(GnomeKeyring.makes("Work"))
        #expect(made.status == 0, "\(made.output)")
        let store = "secret-tool store --label=Mail server mail.example user alice"
        #expect(try session.run(store, input: "hunter two").status == 0)
        let moved = try session.run(NewUserTests.line)
        #expect(moved.status == 0, "\(moved.output)")
        try session.logInAgain()
        #expect(try session.run("systemctl --user is-active gnome-keyring-daemon.service").output == "active\n")
        let starts = try session.run("systemctl --user show --property ExecStart gnome-keyring-daemon.service").output
        #expect(starts.contains("--components=pkcs11 "), "\(starts)")
        let found = try session.run("secret-tool lookup server mail.example user alice")
        #expect(found.output == "hunter two", "\(found.output)\(session.log)")
        #expect(try session.run("systemctl --user is-active chatelaine-secrets.service").output == "active\n")
        let after = try session.run(status)
        #expect(after.status == 0 && after.output.contains("is served by this keychain: "), "\(after.output)")
        #expect(try session.run("chatelaine secrets disable").status == 0)
        try session.logInAgain()
        try session.waitUntil("gnome-keyring serves") {
            try session.run(status).output.contains("is served by /usr/bin/gnome-keyring-daemon")
        }
    }
}

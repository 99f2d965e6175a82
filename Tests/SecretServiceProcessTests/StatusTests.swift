import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// `chatelaine secrets status`: whether programs come to this keychain, and if not, why.
@Suite("chatelaine secrets status", .timeLimit(.minutes(5)))
struct StatusTests {
    private static let status = "chatelaine secrets status"

    private func activation(of site: SecretsSite) -> String {
        site.folder + "/home/.local/share/dbus-1/services/org.freedesktop.secrets.service"
    }

    @Test func `all is well where this service is enabled and has the name`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        let found = try site.run(Self.status)
        #expect(found.status == 0)
        let program = ServiceProcess.program("chatelaine-secrets")
        #expect(
            found.output
                == "org.freedesktop.secrets is served by this keychain: \(program) (process \(site.processIdentifier)).\n"
        )
    }

    @Test func `it says that the service runs, and is not enabled`() throws {
        let site = try SecretsSite(.session)
        let found = try site.run(Self.status)
        #expect(found.status == 0 && found.output.contains("It is not enabled:"), "\(found.output)")
    }

    @Test(arguments: ["chatelaine secrets bad", "chatelaine secrets status --bad"])
    func `a command line that is not understood ends with 2, as with the other commands`(line: String) throws {
        let site = try SecretsSite(.embedded, starts: false)
        let found = try site.run(line)
        #expect(found.status == 2 && found.output.contains("Usage: chatelaine secrets"), "\(found)")
    }

    @Test(.enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"))
    func `a file that cannot be removed is named, and the status is 1`() throws {
        let site = try SecretsSite(.session, starts: false)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        let file = activation(of: site)
        let folder = (file as NSString).deletingLastPathComponent
        let disable =
            "mount --bind \(folder) \(folder) && mount -o remount,bind,ro \(folder) && chatelaine secrets disable"
        let found = try site.run("unshare -rm sh -c '\(disable)'")
        #expect(found.status == 1, "\(found)")
        let reason = "chatelaine-secrets: \(file) cannot be removed: Read-only file system"
        #expect(found.output.contains(reason), "\(found.output)")
    }

    @Test func `it names the program that has the name, and its process`() throws {
        let site = try SecretsSite(.session, starts: false)
        let keyring = try GnomeKeyring(site)
        let named = "is served by /usr/bin/gnome-keyring-daemon (process \(keyring.processIdentifier)), and not by"
        let before = try site.run(Self.status)
        #expect(before.status == 1 && before.output.contains(named), "\(before.output)")
        #expect(before.output.contains("This service is not enabled."), "\(before.output)")
        #expect(try site.run("chatelaine secrets enable").output.contains("Until then it is served by /usr/bin/gnome"))
        let after = try site.run(Self.status)
        #expect(after.status == 1 && after.output.contains(named), "\(after.output)")
        #expect(after.output.contains("This service is enabled. It takes the name when that program is gone"))
    }

    @Test func `another program of this one's name is another program`() throws {
        let site = try SecretsSite(.session, starts: false)
        let copy = site.folder + "/chatelaine-secrets"
        try FileManager.default.copyItem(atPath: ServiceProcess.program("chatelaine-secrets"), toPath: copy)
        _ = try site.launch([copy, "serve"])
        try site.waitForName("org.freedesktop.secrets")
        let found = try site.run(Self.status)
        #expect(found.status == 1, "\(found.output)")
        #expect(found.output.contains("is served by \(copy) (process "), "\(found.output)")
        #expect(found.output.contains(", and not by"), "\(found.output)")
    }

    @Test func `it says that there is no session bus, and where it looked`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        let nowhere = try site.run("env -u DBUS_SESSION_BUS_ADDRESS -u XDG_RUNTIME_DIR \(Self.status)")
        #expect(nowhere.status == 1)
        #expect(
            nowhere.output.contains("there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR"),
            "\(nowhere.output)"
        )
        let absent = try site.run("env -u DBUS_SESSION_BUS_ADDRESS \(Self.status)")
        #expect(absent.status == 1)
        #expect(absent.output.contains("\(site.folder)/run/bus cannot be used: "), "\(absent.output)")
        let gone = try site.run("DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere \(Self.status)")
        #expect(gone.status == 1 && gone.output.contains("the session's bus at unix:path=/nowhere"), "\(gone.output)")
    }

    @Test func `nobody serves and nothing is enabled: it says both, and who would be started`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        try site.neverStart("org.freedesktop.secrets")
        let found = try site.run(Self.status)
        #expect(found.status == 1)
        #expect(found.output.contains("Nobody serves org.freedesktop.secrets.\nThis service is not enabled."))
        #expect(found.output.contains("The bus starts /bin/false for the name, by \(activation(of: site)), "))
    }

    @Test func `it names the file of another keyring that comes before this service's`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        let services = site.folder + "/run/dbus-1/services"
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        let file = services + "/org.freedesktop.secrets.service"
        try "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=\"/opt/other keyring/bin/daemon\" --now\n".write(
            toFile: file,
            atomically: true,
            encoding: .utf8
        )
        let found = try site.run(Self.status)
        #expect(found.status == 1)
        #expect(
            found.output
                == "The bus starts /opt/other keyring/bin/daemon for the name, by \(file), which comes "
                + "first.\n"
        )
    }

    @Test func `enabled and not running: the bus starts it, as for any program`() throws {
        let site = try SecretsSite(.session, starts: false)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        try site.reloadBus()
        let found = try site.run(Self.status)
        #expect(found.status == 0 && found.output.contains("is served by this keychain: "), "\(found.output)")
    }

    @Test func `enabled and not able to start: it says that the program is gone, or that its unit is masked`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        let file = activation(of: site)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let program = ServiceProcess.program("chatelaine-secrets")
        try text.replacingOccurrences(of: program, with: "/gone/chatelaine-secrets").write(
            toFile: file,
            atomically: true,
            encoding: .utf8
        )
        try site.reloadBus()
        let gone = try site.run(Self.status)
        #expect(gone.status == 1 && gone.output.contains("is enabled and not running"), "\(gone.output)")
        #expect(gone.output.contains("/gone/chatelaine-secrets, which \(file) names, is not there."), "\(gone.output)")
        // What a bus that systemd has started would be refused. This one starts a program that fails.
        try site.run("printf '#!/bin/sh\\nexit 1\\n' >chatelaine-secrets; chmod +x chatelaine-secrets")
        try
            (text.replacingOccurrences(of: program, with: site.folder + "/chatelaine-secrets")
            .split(separator: "\n").filter { !$0.hasPrefix("SystemdService") }.joined(separator: "\n")
            + "\nSystemdService=chatelaine-secrets.service\n").write(toFile: file, atomically: true, encoding: .utf8)
        try site.reloadBus()
        let units = site.folder + "/home/.config/systemd/user"
        try FileManager.default.createDirectory(atPath: units, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: units + "/chatelaine-secrets.service",
            withDestinationPath: "/dev/null"
        )
        let masked = try site.run(Self.status)
        #expect(masked.status == 1)
        #expect(
            masked.output.contains("The unit is disabled by \(units)/chatelaine-secrets.service: systemctl --user"),
            "\(masked.output)"
        )
    }

    @Test func `a keychain that cannot be reached keeps the service from starting, and it says so`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        // The bus's own environment, which the service is started with.
        try site.run(
            "gdbus call --session --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus --method "
                + "org.freedesktop.DBus.UpdateActivationEnvironment \"{'CHATELAINE_KEYCHAIN': 'unix:/nowhere'}\""
        )
        try site.reloadBus()
        let found = try site.run("CHATELAINE_KEYCHAIN=unix:/nowhere \(Self.status)")
        #expect(found.status == 1 && found.output.contains("is enabled and not running"), "\(found.output)")
        #expect(found.output.contains("The keychain cannot be used: "), "\(found.output)")
    }

    @Test func `a keychain that is locked is served, and its secrets are not given`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.run("chatelaine secrets enable").status == 0)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run(Self.status).status == 0)
        try site.restartKeychain()
        try waitUntil("the lock is noticed") { try site.run(Self.status).output.contains("The keychain is locked:") }
        let found = try site.run(Self.status)
        #expect(found.status == 1 && found.output.contains("is served by this keychain: "), "\(found.output)")
        #expect(try site.run("chatelaine unlock --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run(Self.status).status == 0)
    }

    @Test func `a collection that a program has locked is named`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        try waitUntil("the passcode is noticed") {
            try site.run("secret-tool lock; \(Self.status)").output.contains("“Login” was locked by a program.")
        }
        #expect(try site.run(Self.status).status == 0)
    }

    @Test func `what other programs are called cannot forge a line`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        try site.neverStart("org.freedesktop.secrets")
        let services = site.folder + "/run/dbus-1/services"
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        try "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/x/\u{1b}[2J\n".write(
            toFile: services + "/a.service",
            atomically: true,
            encoding: .utf8
        )
        let found = try site.run(Self.status)
        #expect(found.output.contains("The bus starts /x/\\e[2J for"), "\(found.output)")
    }
}

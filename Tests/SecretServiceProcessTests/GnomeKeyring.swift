import Foundation
import Glibc
import KeychainTestSupport

/// gnome-keyring on a site's bus, unlocked, with its keyrings in the site's home folder.
final class GnomeKeyring {
    private let site: SecretsSite
    private let process: Process

    init(_ site: SecretsSite) throws {
        self.site = site
        let control = site.folder + "/run/keyring"
        try FileManager.default.createDirectory(
            atPath: control,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try Data("password".utf8).write(to: URL(filePath: site.folder + "/keyring.password"))
        // The password of its login keyring comes from standard input.
        let line =
            "exec gnome-keyring-daemon --unlock --foreground --components=secrets --control-directory=\(control) "
            + "<keyring.password"
        process = try site.launch(["sh", "-c", line]).process
        try site.waitForName("org.freedesktop.secrets")
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Returns when the name is free.
    func stop() throws {
        kill(process.processIdentifier, SIGTERM)
        process.waitForExit()
        try site.waitUntil("gnome-keyring's end") {
            try !self.site.hasOwner("org.freedesktop.secrets")
        }
    }
}

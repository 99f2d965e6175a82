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

    /// Makes a collection with a password of its own, as its settings do, and has programs use it that name none.
    func makeDefault(_ label: String) throws {
        let made = try site.python(Self.makes(label))
        guard made.status == 0 else { throw NeverHappened(description: "the collection: " + made.output) }
    }

    /// - Returns: Python that makes such a collection. Nobody is asked for the password.
    static func makes(_ label: String) -> String {
        """
        from jeepney import DBusAddress, new_method_call
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection('SESSION')
        def call(interface, member, signature, *body):
            to = DBusAddress('/org/freedesktop/secrets', 'org.freedesktop.secrets', interface)
            return bus.send_and_get_reply(new_method_call(to, member, signature, body), timeout=30).body
        service = 'org.freedesktop.Secret.Service'
        session = call(service, 'OpenSession', 'sv', 'plain', ('s', ''))[1]
        properties = {'org.freedesktop.Secret.Collection.Label': ('s', '\(label)')}
        path, = call('org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface', 'CreateWithMasterPassword',
                     'a{sv}(oayays)', properties, (session, b'', b'password', 'text/plain'))
        assert call(service, 'SetAlias', 'so', 'default', path) == ()
        """
    }

    /// Returns when the name is free.
    func stop() throws {
        kill(process.processIdentifier, SIGTERM)
        process.waitForExit()
        try waitUntil("gnome-keyring has ended") {
            try !self.site.hasOwner("org.freedesktop.secrets")
        }
    }
}

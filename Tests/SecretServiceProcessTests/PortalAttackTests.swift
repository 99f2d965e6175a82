import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Programs that ask the portal's backend for other applications' secrets.
@Suite(.timeLimit(.minutes(5)))
struct PortalAttackTests {
    /// Asks the backend itself, as the portal does.
    private static let asks = """
        import os, secretstorage, select
        from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call
        from jeepney.io.blocking import open_dbus_connection
        # With descriptors, which the library passes only where it is told.
        bus = open_dbus_connection('SESSION', enable_fds=True)
        def ask(application, path='/org/freedesktop/portal/desktop'):
            reading, writing = os.pipe()
            to = DBusAddress(path, 'org.freedesktop.secrets', 'org.freedesktop.impl.portal.Secret')
            handle = '/org/freedesktop/portal/desktop/request/1_1/t'
            message = new_method_call(to, 'RetrieveSecret', 'osha{sv}', (handle, application, writing, {}))
            reply = bus.send_and_get_reply(message, timeout=30)
            os.close(writing)
            ready, _, _ = select.select([reading], [], [], 5)
            given = os.read(reading, 100) if ready else b''
            code = reply.header.fields.get(HeaderFields.error_name) or reply.body[0]
            return len(given), code

        """

    @Test func `whoever is not the portal gets nothing of its backend, though a portal is there`() throws {
        let site = try SecretsSite(.session)
        let outcome = try site.python(
            Self.asks
                + """
                print(ask('org.example.Victim'))
                from jeepney import message_bus
                def own(connection):
                    return connection.send_and_get_reply(message_bus.RequestName('org.freedesktop.portal.Desktop')).body[0]
                portal = open_dbus_connection('SESSION')
                assert own(portal) == 1
                # The name has another owner than the one who asks.
                print(ask('org.example.Victim'))
                portal.close()
                # The control: as the owner of the name it would be given.
                assert own(bus) == 1
                print(ask('org.example.Victim'))
                # Not for an application that is not named, and nowhere else.
                print(ask(''))
                print(ask('org.example.Victim', '/org/freedesktop/secrets'))
                """
        )
        let denied = "(0, 'org.freedesktop.DBus.Error.AccessDenied')\n"
        #expect(
            outcome.output == denied + denied + "(64, 0)\n(0, 'org.freedesktop.DBus.Error.InvalidArgs')\n"
                + "(0, 'org.freedesktop.DBus.Error.UnknownMethod')\n",
            "\(outcome.output)"
        )
    }

    @Test(.enabled(if: Sandbox.obstacle == nil, "\(Sandbox.obstacle ?? "")"))
    func `a sandbox with a forged marker gets nothing of the portal's backend`() throws {
        let site = try SecretsSite(.session)
        try Data((Self.asks + "print(ask('org.example.Victim'))").utf8).write(
            to: URL(filePath: site.folder + "/ask.py")
        )
        let sandbox = try Sandbox(of: "org.example.Victim", in: site.folder)
        let outcome = try site.run(sandbox.line("grep -c name=org.example.Victim /.flatpak-info; python3 ask.py"))
        #expect(outcome.output == "1\n(0, 'org.freedesktop.DBus.Error.AccessDenied')\n", "\(outcome.output)")
        #expect(!FileManager.default.fileExists(atPath: "/.flatpak-info"))
    }
}

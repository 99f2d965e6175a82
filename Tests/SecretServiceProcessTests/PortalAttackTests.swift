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

    @Test func `a descriptor that is full, has no reader, or is no pipe gets nothing, and others are served`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.store("geheim", "a 1").status == 0)
        let outcome = try site.python(
            Self.asks
                + """
                import fcntl, socket
                from jeepney import message_bus
                assert bus.send_and_get_reply(message_bus.RequestName('org.freedesktop.portal.Desktop')).body[0] == 1
                to = DBusAddress('/org/freedesktop/portal/desktop', 'org.freedesktop.secrets',
                                 'org.freedesktop.impl.portal.Secret')
                def give(descriptor):
                    body = ('/org/freedesktop/portal/desktop/request/1_1/t', 'org.example.Victim', descriptor, {})
                    return bus.send_and_get_reply(new_method_call(to, 'RetrieveSecret', 'osha{sv}', body), timeout=10).body[0]
                def filled(left):
                    reading, writing = os.pipe()
                    fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
                    try:
                        while True: os.write(writing, b'x' * 4096)
                    except BlockingIOError: pass
                    # A reader takes some: there is room, and not for all.
                    if left: os.read(reading, left)
                    fcntl.fcntl(writing, fcntl.F_SETFL, 0)
                    return reading, writing
                full, little = filled(0), filled(10)
                print(give(full[1]), give(little[1]))
                reading, writing = os.pipe(); os.close(reading)
                print(give(writing))
                one, other = socket.socketpair(); other.close()
                print(give(one.fileno()))
                print(give(os.open('file', os.O_CREAT | os.O_RDWR)), os.path.getsize('file'))
                # The controls.
                one, other = socket.socketpair()
                print(give(one.fileno()), len(other.recv(100)))
                print(ask('org.example.Victim'))
                """
        )
        #expect(outcome.output == "2 2\n2\n2\n2 0\n0 64\n(64, 0)\n", "\(outcome.output)")
        #expect(try site.lookup("a 1").output == "geheim")
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

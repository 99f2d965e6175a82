import Foundation
import KeychainTestSupport
import Testing

/// Programs on the bus that mean harm, and what others notice of them.
@Suite struct HostileBusTests {
    @Test func `floods, wrong types, huge messages and clients that never read leave others served, in bounded memory`()
        throws
    {
        let site = try SecretsSite(.session)
        #expect(try site.store("geheim", "a 1").status == 0)
        let outcome = try site.python(
            """
            import sys
            from jeepney import DBusAddress, new_method_call, MessageType
            from jeepney.io.blocking import open_dbus_connection
            from jeepney.io.common import RouterClosed
            root = '/org/freedesktop/secrets'
            def address(interface, path=root):
                return DBusAddress(path, bus_name='org.freedesktop.secrets', interface='org.freedesktop.Secret.' + interface)
            c = open_dbus_connection('SESSION')
            def call(a, member, signature=None, body=()):
                return c.send_and_get_reply(new_method_call(a, member, signature, body), timeout=30)
            def error(reply): return reply.header.fields.get(4) if reply.header.message_type == MessageType.error else None
            codes = [error(call(address('Service'), 'OpenSession', 'sv', ('plain', ('s', '')))) for _ in range(10000)]
            assert set(codes) == {None}, set(codes)
            big = {'x': 'y' * (1 << 20)}
            assert error(call(address('Service'), 'SearchItems', 'a{ss}', (big,))).endswith('LimitsExceeded')
            many = {str(n): '' for n in range(300000)}
            assert error(call(address('Service'), 'SearchItems', 'a{ss}', (many,))).endswith('LimitsExceeded')
            for signature, body in [('s', ('x',)), ('ai', ([1] * 1000,)), ('a{sv}', ({},)), ('h', None)]:
                if body is None: continue
                assert error(call(address('Service'), 'SearchItems', signature, body)).endswith('InvalidArgs'), signature
            for path in ['/', root + '/collection/none', root + '/a/b/c', '/org/freedesktop/other']:
                assert error(call(address('Collection', path), 'SearchItems', 'a{ss}', ({},))).endswith('UnknownMethod')
            # Answers that nobody reads.
            deaf = open_dbus_connection('SESSION')
            for n in range(20000): deaf.send(new_method_call(address('Service'), 'SearchItems', 'a{ss}', ({},)))
            # A client that dies in the middle of a message.
            import socket, os
            raw = socket.socket(socket.AF_UNIX); raw.connect(os.environ['DBUS_SESSION_BUS_ADDRESS'].split('=')[1])
            raw.send(b'\\0AUTH EXTERNAL 30\\r\\n'); raw.close()
            print('all well')
            """
        )
        #expect(outcome.output == "all well\n", "\(outcome.output)")
        #expect(try site.lookup("a 1").output == "geheim")
        let status = try String(contentsOfFile: "/proc/\(site.processIdentifier)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?.split(separator: " ").dropFirst()
            .first
        #expect(peak.flatMap { Int($0) }.map { $0 < 400_000 } ?? false, "\(status)")
    }

    @Test func `who asks for more secrets than an answer may have is told so, and others are served in bounded memory`()
        throws
    {
        let site = try SecretsSite(.session)
        let outcome = try site.python(
            """
            import secretstorage
            from jeepney import DBusAddress, new_method_call
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_default_collection(bus)
            items = [collection.create_item('large', {'n': str(n)}, b'x' * (8 << 20)) for n in range(5)]
            session = secretstorage.util.open_session(bus)
            service = DBusAddress('/org/freedesktop/secrets', 'org.freedesktop.secrets', 'org.freedesktop.Secret.Service')
            def ask(paths):
                call = new_method_call(service, 'GetSecrets', 'aoo', (paths, session.object_path))
                reply = bus.send_and_get_reply(call, timeout=60)
                return reply.header.fields.get(4) or len(reply.body[0])
            paths = [item.item_path for item in items]
            print(ask(paths))
            print(ask(paths[:1] * 10000))
            print(ask(paths[:3]))
            """
        )
        #expect(outcome.output == "org.freedesktop.DBus.Error.LimitsExceeded\n1\n3\n", "\(outcome.output)")
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.lookup("a 1").output == "geheim")
    }

    @Test func `another process of the same user reads what is kept through the bus: this is not promised`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.store("geheim", "a 1").status == 0)
        // A copy of a client, in a place that anybody can write to: the bus cannot tell it from the other.
        let stolen = try site.run("cp $(command -v secret-tool) ./evil && ./evil lookup a 1")
        #expect(stolen.output == "geheim")
    }

    @Test func `an item of another program is not reached through the bus`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.run("security add-generic-password -s mail -a alice -w 'hunter 2'").status == 0)
        #expect(try site.store("geheim", "a 1").status == 0)
        let all = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            for collection in secretstorage.get_all_collections(bus):
                for item in collection.get_all_items(): print(item.get_secret())
            """
        )
        #expect(all.output == "b'geheim'\n", "\(all.output)")
    }
}

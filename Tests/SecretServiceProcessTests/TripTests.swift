import Testing

/// How often the Secret Service goes to the keychain for one call.
@Suite("Trips to the keychain", .timeLimit(.minutes(2)))
struct TripTests {
    @Test func `GetSecrets is one trip for a hundred items, and for one`() throws {
        let site = try SecretsSite(.session)
        try prepare(site)
        let before = try site.requests()
        #expect(try site.python(Self.script("paths")).output == "120\n")
        // Parts of a hundred do not keep others waiting.
        #expect(try site.requests() - before == 2)
        #expect(try site.python(Self.script("paths[:100]")).output == "100\n")
        #expect(try site.requests() - before == 3)
        #expect(try site.python(Self.script("paths[:1]")).output == "1\n")
        #expect(try site.requests() - before == 4)
    }

    @Test func `secrets that are too large for one trip come one by one`() throws {
        let site = try SecretsSite(.session)
        let outcome = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_default_collection(bus)
            for n in range(4): collection.create_item('large', {'n': str(n)}, b'x' * ((8 << 20) - 100))
            """
        )
        #expect(outcome.status == 0, "\(outcome.output)")
        let before = try site.requests()
        #expect(try site.python(Self.script("paths")).output == "4\n")
        #expect(try site.requests() - before == 5)
    }

    private func prepare(_ site: SecretsSite) throws {
        let outcome = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_default_collection(bus)
            for n in range(120): collection.create_item('label', {'n': str(n)}, b'secret %d' % n)
            """
        )
        try #require(outcome.status == 0, "\(outcome.output)")
    }

    private static func script(_ paths: String) -> String {
        """
        import secretstorage
        from jeepney import DBusAddress, new_method_call
        bus = secretstorage.dbus_init()
        paths = [item.item_path for item in secretstorage.get_default_collection(bus).get_all_items()]
        session = secretstorage.util.open_session(bus)
        service = DBusAddress('/org/freedesktop/secrets', 'org.freedesktop.secrets', 'org.freedesktop.Secret.Service')
        call = new_method_call(service, 'GetSecrets', 'aoo', (\(paths), session.object_path))
        reply = bus.send_and_get_reply(call, timeout=60)
        print(reply.header.fields.get(4) or len(reply.body[0]))
        """
    }
}

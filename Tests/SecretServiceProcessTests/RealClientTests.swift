import Foundation
import KeychainTestSupport
import Testing

/// Programs that know nothing of this keychain: libsecret's, Python's, and what is built on them.
@Suite struct RealClientTests {
    @Test(arguments: SecretsSite.Keychain.allCases)
    func `secret-tool stores, finds, replaces and clears, also after the service was started anew`(
        keychain: SecretsSite.Keychain
    ) throws {
        let site = try SecretsSite(keychain)
        #expect(try site.store("geheim", label: "Mail é", "server mail.example user alice").status == 0)
        #expect(try site.store("zwei", "server mail.example user bob").status == 0)
        #expect(try site.lookup("server mail.example user alice").output == "geheim")
        site.stop(SIGKILL)
        try site.start()
        #expect(try site.lookup("user bob").output == "zwei")
        #expect(try site.store("neu", "server mail.example user alice").status == 0)
        #expect(try site.lookup("server mail.example user alice").output == "neu")
        let found = try site.run("secret-tool search --all server mail.example").output
        #expect(found.contains("secret = neu") && found.contains("secret = zwei") && !found.contains("geheim"))
        #expect(try site.run("secret-tool clear user bob").status == 0)
        #expect(try site.lookup("user bob").status == 1)
        #expect(try site.run("secret-tool clear user bob").status == 1)
    }

    @Test(arguments: SecretsSite.Keychain.allCases)
    func `python's SecretStorage keeps secrets that are large, empty and binary`(keychain: SecretsSite.Keychain) throws
    {
        let site = try SecretsSite(keychain)
        let outcome = try site.python(
            """
            import secretstorage, os
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_default_collection(bus)
            assert not collection.is_locked()
            secrets = [b'', b'\\0\\n\\xff binary \\0', b'line\\nline\\n', os.urandom(1 << 20)]
            for number, secret in enumerate(secrets):
                item = collection.create_item('item %d' % number, {'number': str(number), 'kind': 'test'}, secret,
                                              content_type='application/octet-stream')
                assert item.get_secret() == secret, number
            bus2 = secretstorage.dbus_init()
            again = secretstorage.get_default_collection(bus2)
            found = list(again.search_items({'kind': 'test'}))
            assert len(found) == 4
            for item in found:
                number = int(item.get_attributes()['number'])
                assert item.get_secret() == secrets[number]
                assert item.get_secret_content_type() == 'application/octet-stream'
                assert item.get_attributes() == {'number': str(number), 'kind': 'test'}
            item = found[0]
            item.set_attributes({'other': 'x'}); item.set_label('new'); item.set_secret(b'changed')
            assert next(again.search_items({'other': 'x'})).get_label() == 'new'
            assert item.get_secret() == b'changed' and item.get_created() <= item.get_modified()
            item.delete()
            assert not list(again.search_items({'other': 'x'}))
            extra = secretstorage.create_collection(bus, 'Extra Keys', alias='extra')
            extra.create_item('in extra', {'a': 'b'}, b'x')
            assert secretstorage.get_collection_by_alias(bus2, 'extra').get_label() == 'Extra Keys'
            assert [c.get_label() for c in secretstorage.get_all_collections(bus2)].count('Extra Keys') == 1
            extra.delete()
            assert not list(secretstorage.search_items(bus2, {'a': 'b'}))
            temporary = secretstorage.get_collection_by_alias(bus, 'session')
            temporary.create_item('gone later', {'t': '1'}, b'x')
            print('all well')
            """
        )
        #expect(outcome.status == 0 && outcome.output == "all well\n", "\(outcome.output)")
        site.stop()
        try site.start()
        #expect(try site.lookup("t 1").status == 1)
        #expect(try site.run("secret-tool search number 2").output.contains("attribute.number = 2"))
    }

    @Test func `python's keyring sets, gets and deletes a password`() throws {
        let site = try SecretsSite(.session)
        let outcome = try site.python(
            """
            import keyring, keyring.backends.SecretService
            keyring.set_keyring(keyring.backends.SecretService.Keyring())
            keyring.set_password('service', 'alice', 'pässword')
            assert keyring.get_password('service', 'alice') == 'pässword'
            keyring.set_password('service', 'alice', 'other')
            assert keyring.get_credential('service', None).password == 'other'
            keyring.delete_password('service', 'alice')
            assert keyring.get_password('service', 'alice') is None
            print('all well')
            """
        )
        #expect(outcome.status == 0 && outcome.output == "all well\n", "\(outcome.output)")
    }

    @Test func `docker's helper for the Secret Service stores, lists, gets and erases`() throws {
        let site = try SecretsSite(.session)
        let helper = "docker-credential-secretservice"
        let account = #"{"ServerURL":"https://r.example/v1/","Username":"alice","Secret":"geheim"}"#
        #expect(try site.run("\(helper) store", input: account).status == 0)
        #expect(try site.run("\(helper) get", input: "https://r.example/v1/").output.contains("geheim"))
        #expect(try site.run("\(helper) list").output.contains(#""https://r.example/v1/":"alice""#))
        #expect(try site.run("\(helper) erase", input: "https://r.example/v1/").status == 0)
        let missing = try site.run("\(helper) get", input: "https://r.example/v1/")
        #expect(missing.status == 1 && missing.output.contains("credentials not found in native keychain"))
    }

    @Test func `what another process changes is found, and listeners hear of it`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.store("geheim", "a 1").status == 0)
        // The same program, so the same items; and not by the bus.
        let outcome = try site.python(
            """
            import secretstorage, subprocess, os, signal
            from jeepney.io.blocking import open_dbus_connection
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_default_collection(bus)
            assert len(list(collection.search_items({'a': '1'}))) == 1
            print('all well')
            """
        )
        #expect(outcome.output == "all well\n", "\(outcome.output)")
        let changed = try site.run("chatelaine-secrets protect login")
        #expect(changed.status == 0 && changed.output.contains("1 item"), "\(changed.output)")
        // Nobody is there to be asked, so the secret is refused, and the item is still listed.
        try waitUntil("the protection holds") { try site.lookup("a 1").status != 0 }
        #expect(try site.run("secret-tool search a 1").output.contains("attribute.a = 1"))
    }

    @Test func `a Python program reads three hundred items on one connection, each in a session of its own`() throws {
        let site = try SecretsSite(.session)
        let outcome = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            # In memory: it is the reading that is tried. Each session costs both sides a key agreement.
            collection = secretstorage.get_collection_by_alias(bus, 'session')
            for number in range(300):
                collection.create_item('item %d' % number, {'number': str(number)}, b'secret %d' % number)
            bus = secretstorage.dbus_init()
            items = list(secretstorage.get_collection_by_alias(bus, 'session').get_all_items())
            assert len(items) == 300
            for item in items:
                assert item.get_secret() == b'secret ' + item.get_attributes()['number'].encode()
            print('all well')
            """,
            seconds: 180
        )
        #expect(outcome.status == 0 && outcome.output == "all well\n", "\(outcome.output)")
    }

    @Test func `a program that lives long sees through libsecret what others add, delete and lock`() throws {
        let site = try SecretsSite(.session)
        #expect(try site.store("one", label: "first", "a 1").status == 0)
        let outcome = try site.python(
            """
            import gi, subprocess, time
            gi.require_version('Secret', '1')
            from gi.repository import Secret, GLib
            service = Secret.Service.get_sync(Secret.ServiceFlags.LOAD_COLLECTIONS, None)
            collection = Secret.Collection.for_alias_sync(service, 'default', Secret.CollectionFlags.LOAD_ITEMS, None)
            def labels(): return sorted(item.get_label() for item in collection.get_items())
            def wait(what, condition):
                end = time.monotonic() + 30
                context = GLib.MainContext.default()
                while not condition():
                    assert time.monotonic() < end, what
                    context.iteration(False)
                    time.sleep(0.01)
            assert labels() == ['first']
            first = collection.get_items()[0]
            subprocess.run(['secret-tool', 'store', '--label', 'second', 'a', '2'], input=b'x', check=True)
            wait('added', lambda: labels() == ['first', 'second'])
            import secretstorage
            other = secretstorage.get_default_collection(secretstorage.dbus_init())
            other.lock()
            wait('locked', lambda: first.get_locked() and collection.get_locked())
            other.unlock()
            wait('open', lambda: not first.get_locked() and not collection.get_locked())
            subprocess.run(['secret-tool', 'clear', 'a', '1'], check=True)
            wait('deleted', lambda: labels() == ['second'])
            print('all well')
            """,
            seconds: 180
        )
        #expect(outcome.status == 0 && outcome.output == "all well\n", "\(outcome.output)")
    }

    @Test func `busctl shows the tree of what there is`() throws {
        let site = try SecretsSite(.embedded)
        #expect(try site.store("geheim", "a 1").status == 0)
        let outcome = try site.run("busctl --user tree --list org.freedesktop.secrets")
        let paths = outcome.output.split(separator: "\n").map(String.init)
        let root = "/org/freedesktop/secrets"
        for path in ["", "/aliases/default", "/collection/login", "/collection/session"] {
            #expect(paths.contains(root + path), "\(outcome.output)")
        }
        #expect(paths.contains { $0.hasPrefix(root + "/collection/login/") })
        #expect(!outcome.output.contains("Failed"))
    }

    @Test func `a rename by a service that has not heard of a protection leaves it`() throws {
        // Nobody tells the service of changes there.
        let site = try SecretsSite(.embedded)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine-secrets protect login").status == 0)
        func rename(to label: String) throws -> SecretsSite.Outcome {
            try site.python(
                """
                import secretstorage
                secretstorage.get_default_collection(secretstorage.dbus_init()).set_label('\(label)')
                """
            )
        }
        #expect(try rename(to: "New").status == 0)
        site.stop()
        try site.start()
        let refused = try rename(to: "Other")
        #expect(refused.status != 0 && refused.output.contains("the collection is protected"), "\(refused.output)")
        let label = "import secretstorage as s; print(s.get_default_collection(s.dbus_init()).get_label())"
        #expect(try site.python(label).output == "New\n")
    }

    @Test func `two of them at once have one owner, and the second says so`() throws {
        let site = try SecretsSite(.embedded)
        let second = try site.run("chatelaine-secrets serve", seconds: 20)
        #expect(second.status == 1 && second.output.contains("another program serves org.freedesktop.secrets"))
        #expect(try site.run("chatelaine-secrets status").output.contains("chatelaine-secrets (process "))
        #expect(try site.store("x", "a 1").status == 0)
    }

    @Test func `enable makes the bus start it, and disable takes that back`() throws {
        let site = try SecretsSite(.embedded, starts: false)
        #expect(try site.run("chatelaine-secrets enable").status == 0)
        let file = site.folder + "/home/.local/share/dbus-1/services/org.freedesktop.secrets.service"
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("chatelaine-secrets serve"))
        #expect(try site.run("chatelaine-secrets disable").output.contains(file))
        #expect(!FileManager.default.fileExists(atPath: file))
        try "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/other\n".write(
            toFile: file,
            atomically: true,
            encoding: .utf8
        )
        #expect(try site.run("chatelaine-secrets enable").status == 1)
        #expect(try site.run("chatelaine-secrets disable").output == "It was not enabled.\n")
    }
}

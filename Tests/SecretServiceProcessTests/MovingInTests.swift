import Foundation
import KeychainTestSupport
import Testing

/// Moving in from gnome-keyring, KWallet, and whatever else serves the same interface.
@Suite(.timeLimit(.minutes(5)))
struct MovingInTests {
    @Test func `everything of gnome-keyring's is taken with its attributes, and stays there`() throws {
        let site = try SecretsSite(.session, starts: false)
        let keyring = try GnomeKeyring(site)
        #expect(
            try site.store("eins", label: "Müller", "server a.example user alice xdg:schema org.example.S").status == 0
        )
        #expect(try site.store("zwei\nzeilen", "service s username u").status == 0)
        let taken = try site.run("chatelaine-secrets import")
        #expect(taken.status == 0 && taken.output.contains("2 items of 1 collections"), "\(taken.output)")
        // Once more: nothing is there twice.
        #expect(try site.run("chatelaine-secrets import").status == 0)
        #expect(try site.lookup("user alice").output == "eins")
        try keyring.stop()
        try site.start()
        let found = try site.run("secret-tool search --all server a.example").output
        #expect(found.contains("label = Müller") && found.contains("attribute.user = alice"), "\(found)")
        #expect(found.contains("schema = org.example.S") || found.contains("org.example.S"))
        #expect(found.components(separatedBy: "secret = ").count == 2)
        #expect(try site.lookup("service s username u").output == "zwei\nzeilen")
        let own = try site.run("chatelaine-secrets import")
        #expect(own.status == 1 && own.output.contains("already"))
    }

    @Test func `a default collection that is not the login one stays both, and so does the name default`() throws {
        let site = try SecretsSite(.session, starts: false)
        let keyring = try GnomeKeyring(site)
        #expect(try site.store("in login", "where login").status == 0)
        try keyring.makeDefault("Work")
        #expect(try site.store("in work", "where work").status == 0)
        let taken = try site.run("chatelaine secrets import")
        #expect(taken.status == 0 && taken.output.contains("2 items of 2 collections"), "\(taken.output)")
        #expect(taken.output.contains("“Work” has the name default."), "\(taken.output)")
        try keyring.stop()
        try site.start()
        let found = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            for collection in sorted(secretstorage.get_all_collections(bus), key=lambda one: one.get_label()):
                items = list(collection.get_all_items())
                if items: print(collection.get_label(), [item.get_secret() for item in items])
            print(secretstorage.get_default_collection(bus).get_label())
            print(secretstorage.get_collection_by_alias(bus, 'login').get_label())
            """
        )
        #expect(found.output == "Login [b'in login']\nWork [b'in work']\nWork\nLogin\n", "\(found.output)")
    }

    /// A Secret Service with three items: one that can be read, one that is listed once and gone when it is asked for, and
    /// one that stays and cannot be read.
    private static let passing = """
        from jeepney import MessageType, new_error, new_method_return, new_method_call, DBusAddress
        from jeepney.io.blocking import open_dbus_connection
        root = '/org/freedesktop/secrets'
        items = [root + '/collection/login/' + name for name in ('1', '501', '9')]
        c = open_dbus_connection('SESSION')
        bus = DBusAddress('/org/freedesktop/DBus', 'org.freedesktop.DBus', 'org.freedesktop.DBus')
        c.send_and_get_reply(new_method_call(bus, 'RequestName', 'su', ('org.freedesktop.secrets', 4)))
        listed = 0
        while True:
            m = c.receive()
            if m.header.message_type != MessageType.method_call: continue
            path, member = m.header.fields[1], m.header.fields[3]
            reply = None
            if member == 'OpenSession': reply = new_method_return(m, 'vo', (('s', ''), root + '/session/1'))
            elif member == 'ReadAlias':
                found = root + '/collection/login' if m.body[0] in ('default', 'login') else '/'
                reply = new_method_return(m, 'o', (found,))
            elif member == 'Introspect': reply = new_method_return(m, 's', ('<node/>',))
            elif member == 'Get':
                name = m.body[1]
                value = {'Collections': ('ao', [root + '/collection/login']), 'Label': ('s', 'one'),
                         'Locked': ('b', False), 'Attributes': ('a{ss}', {'a': '1'})}.get(name)
                if name == 'Items':
                    value = ('ao', items if listed == 0 else [items[0], items[2]])
                    listed += 1
                if path not in items or path == items[0]: reply = new_method_return(m, 'v', (value,))
            elif member == 'GetSecret' and path == items[0]:
                reply = new_method_return(m, '(oayays)', ((m.body[0], b'', b'geheim', 'text/plain'),))
            c.send(reply or new_error(m, 'org.freedesktop.DBus.Error.UnknownObject', 's', ('no such object',)))
        """

    @Test func `an item that is gone meanwhile is not missed, and one that cannot be read is named before the failure`()
        throws
    {
        let site = try SecretsSite(.session, starts: false)
        try Data(Self.passing.utf8).write(to: URL(filePath: site.folder + "/passing.py"))
        _ = try site.launch(["/usr/bin/python3", "passing.py"])
        try site.waitForName("org.freedesktop.secrets")
        let outcome = try site.run("chatelaine-secrets import 2>&1 >/dev/null")
        #expect(outcome.status == 1)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2, "\(outcome.output)")
        #expect(lines.first?.hasPrefix("not taken: /org/freedesktop/secrets/collection/login/9: ") ?? false)
        #expect(lines.last?.hasSuffix("something was left; it is named above") ?? false)
        #expect(try site.run("chatelaine-secrets import").output.contains("1 items of 1 collections were taken"))
    }

    @Test func `a second import finds each item again by its label, where attributes tell no difference`() throws {
        let site = try SecretsSite(.session, starts: false)
        let lists = """
            import secretstorage
            for item in secretstorage.get_default_collection(secretstorage.dbus_init()).get_all_items():
                print(item.get_label(), item.item_path, item.get_secret())
            """
        var found: [[Substring]] = []
        for _ in 0..<2 {
            let keyring = try GnomeKeyring(site)
            let made = try site.python(
                """
                import secretstorage
                collection = secretstorage.get_default_collection(secretstorage.dbus_init())
                if not list(collection.get_all_items()):
                    for number in range(3):
                        collection.create_item('same %d' % number, {'same': 'x'}, b'%d' % number)
                        collection.create_item('none %d' % number, {}, b'%d' % number)
                """
            )
            #expect(made.status == 0, "\(made.output)")
            let taken = try site.run("chatelaine secrets import")
            #expect(taken.status == 0 && taken.output.contains("6 items of 1 collections"), "\(taken.output)")
            try keyring.stop()
            try site.start()
            found.append(try site.python(lists).output.split(separator: "\n").sorted())
            site.stop()
        }
        #expect(found[0].count == 6 && found[0] == found[1], "\(found)")
        // What has no attributes and another label is another item, and takes nobody's place.
        let keyring = try GnomeKeyring(site)
        let changed = try site.python(
            """
            import secretstorage
            collection = secretstorage.get_default_collection(secretstorage.dbus_init())
            for item in collection.get_all_items():
                if item.get_label() == 'none 0': item.delete()
            collection.create_item('none 3', {}, b'3')
            """
        )
        #expect(changed.status == 0, "\(changed.output)")
        #expect(try site.run("chatelaine secrets import").status == 0)
        try keyring.stop()
        try site.start()
        let after = try site.python(lists).output.split(separator: "\n").sorted()
        #expect(after.filter { !$0.hasPrefix("none 3 ") } == found[0] && after.count == 7, "\(after)")
    }

    @Test func `other names of collections are kept where they are asked for, and what is none is said`() throws {
        let site = try SecretsSite(.session, starts: false)
        // Another keyring that has such names: this one, under another name, with a keychain of its own.
        _ = try site.run("cp --reflink=auto $PROGRAMS/chatelaine-secrets other-keyring")
        let other = try site.launch(
            [site.folder + "/other-keyring", "serve"],
            ["CHATELAINE_KEYCHAIN": "embedded:\(site.folder)/other"]
        ).process
        try site.waitForName("org.freedesktop.secrets")
        let made = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            collection = secretstorage.create_collection(bus, 'Build Keys', alias='build')
            collection.create_item('key', {'a': '1'}, b'geheim')
            """
        )
        #expect(made.status == 0, "\(made.output)")
        let taken = try site.run("chatelaine secrets import --alias build --alias none")
        #expect(taken.status == 1 && taken.output.contains("not taken: the alias none: there is none"))
        #expect(taken.output.contains("“Build Keys” has the name build."), "\(taken.output)")
        kill(other.processIdentifier, SIGTERM)
        other.waitForExit()
        try site.start()
        let found = try site.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            collection = secretstorage.get_collection_by_alias(bus, 'build')
            print(collection.get_label(), [item.get_secret() for item in collection.get_all_items()])
            """
        )
        #expect(found.output == "Build Keys [b'geheim']\n", "\(found.output)")
    }

    @Test func `a collection that is protected here is left as it is, and that is said`() throws {
        let person = try ScriptedPinentry(.secret("correct horse"))
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run("chatelaine secrets protect login").status == 0)
        site.stop()
        let keyring = try GnomeKeyring(site)
        #expect(try site.store("neu", "a 2").status == 0)
        let taken = try site.run("chatelaine secrets import")
        #expect(taken.status == 1 && taken.output.contains("is protected here; chatelaine secrets unprotect login"))
        #expect(taken.output.contains("0 items of 0 collections"), "\(taken.output)")
        try keyring.stop()
        try site.start()
        #expect(try site.lookup("a 2").status == 1)
        // It is still protected: the owner is asked.
        let dialogs = person.dialogs
        #expect(try site.lookup("a 1").output == "geheim")
        #expect(person.dialogs > dialogs)
    }

    @Test(.enabled(if: KWallet.obstacle == nil, "\(KWallet.obstacle ?? "")"))
    func `everything of KWallet's is taken, and what KDE's own programs keep there has no attributes`() throws {
        let site = try SecretsSite(.session, starts: false)
        let wallet = try KWallet(site)
        #expect(
            try site.store("eins", label: "Müller", "server a.example user alice xdg:schema org.example.S").status == 0
        )
        try wallet.write("hunter two", to: "mail", in: "Passwords")
        try wallet.write("hunter three", to: "chat", in: "Passwords")
        for _ in 0..<2 {
            let taken = try site.run("chatelaine secrets import")
            #expect(taken.status == 0 && taken.output.contains("3 items of 1 collections"), "\(taken.output)")
        }
        try wallet.stop()
        try site.start()
        #expect(try site.lookup("user alice").output == "eins")
        let all = try site.python(
            """
            import secretstorage
            for item in secretstorage.get_default_collection(secretstorage.dbus_init()).get_all_items():
                print(item.get_label(), len(item.get_attributes()), item.get_secret())
            """
        )
        #expect(
            all.output.split(separator: "\n").sorted() == [
                "Müller 3 b'eins'", "Passwords/chat 0 b'hunter three'", "Passwords/mail 0 b'hunter two'",
            ],
            "\(all.output)"
        )
    }
}

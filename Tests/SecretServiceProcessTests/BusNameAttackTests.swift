import Foundation
import KeychainTestSupport
import Testing

/// Programs that have the bus name another one in their place. The name is for people to read; it opens nothing.
@Suite(.timeLimit(.minutes(5)))
struct BusNameAttackTests {
    /// Connects, forks, and has the parent become another program. The child goes on with the connection.
    ///
    /// - Parameter words: the other program and its arguments, as Python's list.
    private static func forks(_ words: String) -> String {
        """
        import os, signal, subprocess, sys, time, secretstorage
        from jeepney import DBusAddress, new_method_call
        bus = secretstorage.dbus_init()
        parent, words = os.getpid(), \(words)
        # The other program reads what never comes, and so runs until it is ended.
        reader, writer = os.pipe()
        if os.fork():
            os.dup2(reader, 0)
            os.execv(words[0], words)
        # The file that a signed program runs cannot be read, its name can.
        def program(process): return open('/proc/%d/comm' % process).read().strip()
        while program(parent) != os.path.basename(words[0]): time.sleep(0.01)
        driver = DBusAddress('/org/freedesktop/DBus', 'org.freedesktop.DBus', 'org.freedesktop.DBus')
        asked = new_method_call(driver, 'GetConnectionUnixProcessID', 's', (bus.unique_name,))
        print('the bus names', program(bus.send_and_get_reply(asked).body[0]), flush=True)

        """
    }

    private static let ends = "\nsys.stdout.flush(); os.kill(parent, signal.SIGKILL)\n"

    @Test func `the child of what became a trusted program is taken for it, and reads: this is not promised`() throws {
        let person = try ScriptedPinentry(.secret("correct horse"))
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run("chatelaine-secrets protect login").status == 0)
        let shownBefore = person.shown
        let outcome = try site.python(
            Self.forks("['/usr/bin/sleep', '100']")
                + "print(next(secretstorage.search_items(bus, {'a': '1'})).get_secret())" + Self.ends
        )
        #expect(outcome.output.hasPrefix("the bus names sleep\nb'geheim'\n"), "\(outcome.output)")
        // The owner was asked all the same, and read what the bus claims.
        let shown = person.shown.dropFirst(shownBefore.count)
        #expect(shown.contains("sleep' reads the collection login ('Login')"), "\(shown)")
        #expect(!shown.contains("python"), "\(shown)")
    }

    @Test(.enabled(if: SystemSecretsSite.obstacle == nil, "\(SystemSecretsSite.obstacle ?? "")"))
    func `an item of a signed program is not reached through the bus, whoever the bus says is asking`() throws {
        let site = try SystemSecretsSite()
        let mail = site.signedProgram
        let stored = try site.run("\(mail) add-generic-password -s mail -a alice -l 'Mail label' -w 'hunter two'")
        #expect(stored.status == 0, "\(stored.output)")
        #expect(try site.run("secret-tool store --label=bus a 1", input: "geheim").status == 0)
        // The controls: the program has its item, and the bus its own.
        #expect(try site.run("\(mail) find-generic-password -s mail -w").output == "hunter two\n")
        #expect(try site.run("secret-tool lookup a 1").output == "geheim")
        let outcome = try site.python(
            Self.forks("['\(mail)', '-i']")
                + """
                from jeepney import MessageType
                root = '/org/freedesktop/secrets'
                def call(path, interface, member, signature, body):
                    to = DBusAddress(path, 'org.freedesktop.secrets', 'org.freedesktop.Secret.' + interface)
                    return bus.send_and_get_reply(new_method_call(to, member, signature, body), timeout=30)
                session = call(root, 'Service', 'OpenSession', 'sv', ('plain', ('s', ''))).body[1]
                # All that there is, by each way to list it.
                found = {c.get_label(): [i.get_secret() for i in c.get_all_items()]
                         for c in secretstorage.get_all_collections(bus)}
                print(sorted(sum(found.values(), [])))
                everything = call(root, 'Service', 'SearchItems', 'a{ss}', ({},)).body
                print(len(everything[0]), len(everything[1]))
                # By the attributes that the keychain itself knows it by.
                for attributes in [{'svce': 'mail'}, {'service': 'mail'}, {'acct': 'alice'}, {'agrp': 'T0TEAM0001.mail'},
                                   {'service': 'mail', 'account': 'alice'}, {'label': 'Mail label'}]:
                    assert call(root, 'Service', 'SearchItems', 'a{ss}', (attributes,)).body == ([], []), attributes
                # By paths that it could have.
                for collection in ['mail', 'T0TEAM0001_2email', 'T0TEAM0001', 'login', 'alice']:
                    for item in ['mail', 'alice', 'Mail_20label', '1', 'mail_2falice']:
                        path = root + '/collection/' + collection + '/' + item
                        assert call(path, 'Item', 'GetSecret', 'o', (session,)).header.message_type == MessageType.error
                        assert call(root, 'Service', 'GetSecrets', 'aoo', ([path], session)).body == ({},), path
                # By a collection of the group's name, and by an alias of it.
                label = {'org.freedesktop.Secret.Collection.Label': ('s', 'T0TEAM0001.mail')}
                made = call(root, 'Service', 'CreateCollection', 'a{sv}s', (label, 'mail')).body[0]
                assert call(made, 'Collection', 'SearchItems', 'a{ss}', ({},)).body == ([],)
                assert call(root + '/aliases/mail', 'Collection', 'SearchItems', 'a{ss}', ({},)).body == ([],)
                assert call(made, 'Collection', 'Delete', '', ()).header.message_type != MessageType.error
                print('not reached')
                """ + Self.ends
        )
        #expect(
            outcome.output.hasPrefix("the bus names mail\n[b'geheim']\n1 0\nnot reached\n"),
            "\(outcome.output)"
        )
        // What was deleted there is not the program's, either.
        #expect(try site.run("\(mail) find-generic-password -s mail -w").output == "hunter two\n")
    }
}

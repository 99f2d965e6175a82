import Foundation
import KeychainTestSupport
import Testing

/// A keychain with a passcode, and somebody who is asked for it.
@Suite struct LockedSecretsTests {
    @Test func `a client locks a collection, and the passcode at the enclave's prompt opens it`() throws {
        let person = try ScriptedPinentry(.secret("wrong"), .secret("correct horse"))
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        try waitUntil("the passcode locks") {
            try site.run("secret-tool lock; secret-tool search a 1").output.contains("attribute.a")
        }
        let lock =
            "gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets --method "
            + "org.freedesktop.Secret.Service.Lock \"['/org/freedesktop/secrets/collection/login']\""
        #expect(try site.run(lock).status == 0)
        #expect(try site.lookup("a 1").output == "geheim")
        #expect(person.dialogs == 1 || person.dialogs == 2)
        #expect(person.shown.contains("secret-tool' unlocks the collection login ('Login')"), "\(person.shown)")
    }

    @Test func `an owner who says no leaves it locked, and the client ends at once`() throws {
        let person = try ScriptedPinentry(.no)
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        let lock =
            "gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets --method "
            + "org.freedesktop.Secret.Service.Lock \"['/org/freedesktop/secrets/collection/login']\""
        #expect(try site.run(lock).status == 0)
        let refused = try site.lookup("a 1")
        #expect(refused.status == 1 && !refused.output.contains("geheim"))
    }

    @Test func `the audit log says which program the bus claims, for each secret that is stored, read and deleted`()
        throws
    {
        let site = try SecretsSite(.session)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.lookup("a 1").output == "geheim")
        #expect(try site.run("secret-tool clear a 1").status == 0)
        let log = try site.run("chatelaine audit --json --directory keychain").output
        struct Entry: Decodable {
            let operation: String
            let onBehalfOf: String?
        }
        let entries = try log.split(separator: "\n").map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
        let claimed = entries.filter { $0.onBehalfOf?.hasSuffix("/secret-tool") == true }.map(\.operation)
        #expect(claimed == ["add", "add", "find", "find", "delete", "delete"], "\(log)")
        #expect(!log.contains("geheim"))
    }

    @Test func `a protected collection asks once for each client, and its items are guarded by the enclave`() throws {
        let person = try ScriptedPinentry(.secret("correct horse"))
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run("chatelaine-secrets protect Login").status == 0)
        let dialogs = person.dialogs
        try waitUntil("the protection holds") { try site.lookup("a 1").output == "geheim" && person.dialogs > dialogs }
        #expect(person.shown.contains("reads"))
        let stored = try site.store("neu", "b 2")
        #expect(stored.status == 0, "\(stored.output)")
        person.answer(.no)
        let refused = try site.lookup("b 2")
        #expect(refused.status != 0 && !refused.output.contains("neu"))
        // Replacing a secret needs nobody, and reads nothing.
        #expect(try site.store("newer", "b 2").status == 0)
        person.answer(.secret("correct horse"))
        #expect(try site.lookup("b 2").output == "newer")
    }

    @Test func `what the owner confirms for one collection opens no other, and an unlock opens no protected one`()
        throws
    {
        let person = try ScriptedPinentry()
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.store("geheim", "a 1").status == 0)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run("chatelaine-secrets protect login").status == 0)
        // One client, that makes a collection, has it opened, and reads the other.
        let attack = """
            import secretstorage
            bus = secretstorage.dbus_init()
            mine = secretstorage.create_collection(bus, 'Mail')
            mine.lock()
            print('refused' if mine.unlock() else 'opened')
            try: print(next(secretstorage.search_items(bus, {'a': '1'})).get_secret())
            except Exception as error: print(type(error).__name__)
            """
        person.answer(.secret("correct horse"))
        person.answer(.no)
        let outcome = try site.python(attack)
        #expect(outcome.output.hasPrefix("opened\n") && !outcome.output.contains("geheim"), "\(outcome.output)")
        #expect(person.dialogs == 2)
        #expect(person.shown.contains("reads the collection login ('Login')"), "\(person.shown)")
        // The control: the owner confirms both.
        person.answer(.secret("correct horse"))
        person.answer(.secret("correct horse"))
        #expect(try site.python(attack).output == "opened\nb'geheim'\n")
    }

    @Test func `a client that was declined twice has nobody asked, and other clients still have`() throws {
        let person = try ScriptedPinentry()
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        let attack = """
            import secretstorage
            bus = secretstorage.dbus_init()
            mine = secretstorage.create_collection(bus, 'Mail')
            mine.create_item('item', {'a': '1'}, b'geheim')
            mine.lock()
            for _ in range(20): print('refused' if mine.unlock() else 'opened')
            """
        for _ in 0..<2 { person.answer(.no) }
        #expect(try site.python(attack).output == String(repeating: "refused\n", count: 20))
        #expect(person.dialogs == 2)
        let log = try String(contentsOfFile: site.folder + "/secrets.log", encoding: .utf8)
        let told = log.split(separator: "\n").filter { $0.contains("it has asked too often") }
        #expect(told.count == 1 && told.first?.contains("/python3") == true, "\(log)")
        // The control.
        person.answer(.secret("correct horse"))
        #expect(try site.lookup("a 1").output == "geheim")
        #expect(person.dialogs == 3)
    }

    @Test func `protection is taken away when its owner confirms it, also from a collection without items`() throws {
        let person = try ScriptedPinentry()
        let site = try SecretsSite(.session, pinentry: person)
        #expect(try site.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.run("chatelaine-secrets protect login").status == 0)
        person.answer(.no)
        #expect(try site.run("chatelaine-secrets unprotect login").status == 1)
        #expect(person.dialogs == 1)
        // It still is: what is stored asks.
        #expect(try site.store("geheim", "a 1").status == 0)
        person.answer(.no)
        #expect(try !site.lookup("a 1").output.contains("geheim"))
        #expect(person.dialogs == 2)
        // The control.
        person.answer(.secret("correct horse"))
        #expect(try site.run("chatelaine-secrets unprotect login").status == 0)
        #expect(person.dialogs == 3)
        #expect(try site.lookup("a 1").output == "geheim")
        #expect(person.dialogs == 3)
    }
}

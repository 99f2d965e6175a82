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
        #expect(person.shown.contains("secret-tool unlocks 'Login'"), "\(person.shown)")
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
}

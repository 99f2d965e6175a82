import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Keychains that are locked, and items that their owner is asked for.
@Suite struct LockedProgramTests {
    @Test(arguments: HelperSite.Keychain.allCases)
    func `with a locked keychain each program hears so at once, in its own way`(_ keychain: HelperSite.Keychain) throws
    {
        let site = try HelperSite(keychain)
        let chatelaine = HelperSite.program("chatelaine")
        let credential = "protocol=https\nhost=a.example\nusername=alice\npassword=p\n\n"
        #expect(try site.run("git-credential-chatelaine store", input: credential).status == 0)
        let document = #"{"ServerURL":"https://a.example","Username":"alice","Secret":"s"}"#
        #expect(try site.run("docker-credential-chatelaine store", input: document).status == 0)
        #expect(try site.run("keyring set s u", input: "p\n").status == 0)
        let registry = #""registry":{"index-url":"https://a.example"},"args":[]}"#
        let login = #"{"v":1,"kind":"login","token":"t","# + registry + "\n"
        #expect(try site.run("cargo-credential-chatelaine --cargo-plugin", input: login).output.contains("Ok"))
        let set = try site.run("\(chatelaine) passcode set --stdin", input: "open sesame\n")
        #expect(set.status == 0, "\(set.errors)")
        let locked = try site.run("\(chatelaine) lock")
        #expect(locked.status == 0, "\(locked.errors)")

        let git = try site.run(
            "git-credential-chatelaine get",
            input: "protocol=https\nhost=a.example\n\n",
            seconds: 10
        )
        #expect(git.status == 1 && git.output.isEmpty && git.errors.contains("locked"), "\(git)")
        let docker = try site.run("docker-credential-chatelaine get", input: "https://a.example", seconds: 10)
        #expect(docker.status == 1 && docker.errors.isEmpty && docker.output.contains("locked"), "\(docker)")
        // Docker would take this sentence as leave to ask for another password.
        #expect(!docker.output.contains("credentials not found"))
        let request = #"{"v":1,"kind":"get","operation":"read","# + registry
        let cargo = try site.run("cargo-credential-chatelaine --cargo-plugin", input: request + "\n", seconds: 10)
        #expect(cargo.output.contains(#"{"Err":{"kind":"other","message":""#), "\(cargo)")
        let keyring = try site.run("keyring get s u", seconds: 10)
        #expect(keyring.status == 1 && keyring.output.isEmpty && keyring.errors.contains("locked"), "\(keyring)")

        #expect(try site.run("\(chatelaine) unlock --stdin", input: "open sesame\n").status == 0)
        let found = try site.run("git-credential-chatelaine get", input: "protocol=https\nhost=a.example\n\n")
        #expect(found.output == "username=alice\npassword=p\n", "\(found)")
    }

    @Test func `an item that its owner is asked for is given when the owner says so, and not otherwise`() throws {
        let site = try HelperSite(.embedded)
        let person = try ScriptedPinentry(.secret("open sesame"), .no)
        let request = "protocol=https\nhost=guarded.example\n\n"
        // The helper's own group, and an item that asks.
        let group = "program." + URL(filePath: HelperSite.program("chatelaine-credential")).path
        let keychain = EmbeddedKeychain(
            .embedded(directory: site.folder + "/keychain"),
            caller: Caller(name: group, groups: AccessGroups([group]))
        )
        var item = AddRequest(itemClass: .internetPassword)
        item.attributes[.server] = .string("guarded.example")
        item.attributes[.networkProtocol] = .string("htps")
        item.attributes[.account] = .string("alice")
        item.attributes[.kindText] = .string("git credential")
        item.secrets = [.valueData: SecretBytes("guarded".utf8)]
        item.accessControl = try AccessControl(protection: Accessibility.whenUnlocked.rawValue, flags: .userPresence)
        let chatelaine = HelperSite.program("chatelaine")
        let set = try site.run("\(chatelaine) passcode set --stdin", input: "open sesame\n")
        #expect(set.status == 0, "\(set.errors)")
        #expect(try site.run("\(chatelaine) unlock --stdin", input: "open sesame\n").status == 0)
        _ = try keychain.add(item)

        let helper = "CHATELAINE_PINENTRY=\(person.path) git-credential-chatelaine get"
        let allowed = try site.run(helper, input: request)
        #expect(allowed.output == "username=alice\npassword=guarded\n", "\(allowed)")
        let refused = try site.run(helper, input: request)
        #expect(refused.status == 1 && refused.output.isEmpty && !refused.errors.isEmpty, "\(refused)")
        #expect(person.dialogs == 2)
    }
}

import Foundation
import KeychainTestSupport
import Testing

@Suite(
    "The commands about passkeys",
    .timeLimit(.minutes(5)),
    .enabled(if: PasskeyClient.isThere, PasskeyClient.reason)
)
struct CommandTests {
    @Test func `passkeys are listed, shown, renamed and deleted`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let made = try site.client("register", "example.com", "ada", "--display", "Ada\u{1b}[31m")
        let number = try #require(made["credential"], "\(made.text)\(site.log)")
        try #require(try site.client("register", "example.org", "grace").flag("verified") == true)

        site.allow()
        let list = try site.run("chatelaine", ["passkeys", "list"])
        #expect(list.lines.count == 2, "\(list.errors)")
        #expect(list.output.contains("\(number.prefix(12))  this device  example.com  ada\n"), "\(list.output)")
        site.allow(5)
        #expect(try site.passkeys("list", "example.org").lines.count == 1)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(site.passkeys("list", "--json").output.utf8))
                as? [[String: Any]]
        )
        #expect(json.map { $0["site"] as? String } == ["example.com", "example.org"])
        #expect(json[0]["number"] as? String == number && json[0]["allDevices"] as? Bool == false)
        #expect(json[0]["displayName"] as? String == "Ada\u{1b}[31m")
        let shown = try site.passkeys("show", "example.com")
        #expect(shown.output.contains("number: \(number)\n"), "\(shown.output)\(shown.errors)")
        #expect(!shown.output.contains("\u{1b}"))
        #expect(try site.passkeys("show", "example.net").status == 1)
        #expect(try site.passkeys("show", "").status == 1)

        site.allow()
        let renamed = try site.passkeys("rename", "example.com", "countess")
        #expect(renamed.status == 0, "\(renamed.errors)")
        #expect(site.person.shown.contains("rename the passkey for example.com as ada to countess"))
        #expect(try site.listed().contains("countess"))
        #expect(try site.passkeys("rename", "example.com", "").status == 2)
        #expect(try site.passkeys("rename", "example.com", "a\u{202E}b").status == 2)
        site.allow()
        let login = try site.client("login", "example.com", "ada")
        #expect(login.flag("verified") == true, "\(login.text)\(site.log)")

        site.person.answer(.no)
        #expect(try site.passkeys("delete", String(number.prefix(8))).status == 1)
        site.allow()
        #expect(try site.passkeys("delete", String(number.prefix(8))).status == 0)
        #expect(try site.listed().split(separator: "\n").count == 1)
        #expect(site.person.shown.contains("delete the passkey for example.com as countess for good"))
    }

    @Test
    func `nothing is said of a reader that went away, and what starts the security key is named where nothing does`()
        throws
    {
        let site = try PasskeySite()
        site.allow()
        let words = "chatelaine-passkeys list --json 2>errors | true; exec chatelaine-passkeys status 2>>errors"
        let status = try site.run("bash", ["-c", words])
        #expect(try String(contentsOfFile: site.folder + "/errors", encoding: .utf8) == "")
        #expect(status.output.contains("in this session: off; no systemd serves it\n"), "\(status.output)")
        #expect(status.output.contains("keychain: the service's, at \(site.folder)"), "\(status.output)")
        let enabled = try site.passkeys("enable")
        #expect(enabled.status == 1 && enabled.errors.contains("no systemd serves this session"), "\(enabled.errors)")
        #expect(enabled.errors.split(separator: "\n").count == 1)
    }

    @Test func `passkeys move to another keychain in a file, log in there, and have the same secrets`() throws {
        let first = try PasskeySite(options: ["--keep", "circle"])
        first.allow(2)
        let made = try first.client("register", "example.com", "ada", "--prf", "--cred-blob", "c0ffee")
        try #require(made.flag("verified") == true, "\(made.text)\(first.log)")
        let secret = try first.client("login", "example.com", "ada", "--prf", "aa").map("prf")["first"] as? String
        let file = first.folder + "/passkeys.json"
        #expect(try first.passkeys("export", file).status == 2)
        first.allow(2)
        let exported = try first.passkeys("export", "--plain", file)
        #expect(exported.output.hasPrefix("Wrote 1 of 1 to "), "\(exported.errors)")
        #expect(first.person.shown.contains("write the private keys of 1 passkey into a file that is not encrypted"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try first.passkeys("export", "--plain", file)
        #expect(again.status == 1 && again.errors.contains("is there already"), "\(again.errors)")
        #expect(try first.passkeys("export", "--plain", "-").status == 2)

        let second = try PasskeySite()
        second.person.answer(.no)
        #expect(try second.passkeys("import", file).status == 1)
        second.allow()
        let imported = try second.passkeys("import", file)
        #expect(imported.output == "Added 1 of 1; 0 were there already.\n", "\(imported.errors)")
        second.allow()
        #expect(try second.passkeys("import", file).output == "Added 0 of 1; 1 were there already.\n")
        try FileManager.default.copyItem(atPath: first.folder + "/sites.json", toPath: second.folder + "/sites.json")
        second.allow()
        let login = try second.client("login", "example.com", "ada", "--prf", "aa", "--get-cred-blob")
        #expect(login.flag("verified") == true, "\(login.text)\(second.log)")
        #expect(login.map("prf")["first"] as? String == secret && secret != nil)
        #expect(login["credBlob"] == "c0ffee")
    }

    @Test func `who does not agree does not learn whether there is a passkey, and several are named by their numbers`()
        throws
    {
        let site = try PasskeySite()
        site.allow(2)
        for name in ["ada", "grace"] {
            try #require(try site.client("register", "example.com", name).flag("verified") == true)
        }
        for words in [["delete", "example.com"], ["delete", "absent.example"], ["rename", "absent.example", "x"]] {
            let asked = site.person.dialogs
            site.person.answer(.no)
            let declined = try site.run("chatelaine-passkeys", words)
            #expect(declined.status == 1 && !declined.errors.contains("passkey has"), "\(declined.errors)")
            #expect(site.person.dialogs == asked + 1)
        }
        #expect(site.person.shown.contains("“list the passkeys of this keychain”"), "\(site.person.shown)")
        site.allow()
        let several = try site.passkeys("delete", "EXAMPLE.com")
        #expect(several.status == 1 && several.errors.contains("ada") && several.errors.contains("grace"))
    }

    @Test func `a security key whose file was replaced ends before it asks the keychain anything`() throws {
        let site = try PasskeySite(isCopied: true)
        site.allow()
        try #require(try site.client("register", "example.com", "ada").flag("verified") == true)
        let file = site.folder + "/serving"
        try FileManager.default.copyItem(atPath: file, toPath: file + "-new")
        try #require(rename(file + "-new", file) == 0)
        // The one that is there now is another program to the keychain.
        #expect(try site.client("register", "example.org", "ada").error != nil)
        #expect(try site.waitForEnd() == 75)
        #expect(site.log.contains("this program's file was replaced"), "\(site.log)")
        #expect(site.person.dialogs == 1)
    }

    @Test func `a passkey of this device is not exported, and a file that is none is refused`() throws {
        let site = try PasskeySite()
        site.allow()
        try #require(try site.client("register", "example.com", "ada").flag("verified") == true)
        site.allow(2)
        let exported = try site.passkeys("export", "--plain", site.folder + "/passkeys.json")
        #expect(exported.output.hasPrefix("Wrote 0 of 1 to "), "\(exported.errors)")
        #expect(exported.errors.contains("it never leaves this device: example.com"))
        for text in ["", "{", "[]", #"{"accounts": 1}"#] {
            try Data(text.utf8).write(to: URL(filePath: site.folder + "/broken.json"))
            #expect(try site.passkeys("import", site.folder + "/broken.json").status == 1)
        }
        #expect(try site.passkeys("import", site.folder).status == 1)
        // Without a passcode there is nobody to allow it.
        let open = try PasskeySite(hasPasscode: false)
        #expect(try open.passkeys("export", "--plain", open.folder + "/passkeys.json").status == 1)
        #expect(!FileManager.default.fileExists(atPath: open.folder + "/passkeys.json"))
        #expect(try open.passkeys("import", site.folder + "/passkeys.json").errors.contains("no passcode"))
        #expect(try site.passkeys("import", site.folder + "/absent.json").status == 1)
    }
}

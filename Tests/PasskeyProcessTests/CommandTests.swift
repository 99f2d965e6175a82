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
        #expect(list.output.contains("\(number.prefix(12)) (this device) example.com ada\n"), "\(list.output)")
        site.allow(4)
        #expect(try site.passkeys("list", "example.org").lines.count == 1)
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
}

import KeychainTestSupport
import Testing

@Suite(
    "Passkeys and their owner",
    .timeLimit(.minutes(5)),
    .enabled(if: PasskeyClient.isThere, PasskeyClient.reason)
)
struct OwnerTests {
    private static let site = "example.com"

    private func siteWithPasskey(_ options: String...) throws -> (PasskeySite, credential: String) {
        let site = try PasskeySite()
        site.allow()
        let made = try site.client("register", Self.site, "ada")
        return (site, try #require(made["credential"], "\(made.text)\(site.log)"))
    }

    @Test func `who declines is not logged in, and after two times is not asked for the site`() throws {
        let (site, _) = try siteWithPasskey()
        for _ in 1...2 {
            site.person.answer(.no)
            let login = try site.client("login", Self.site, "ada")
            #expect(login.error == "OPERATION_DENIED", "\(login.text)")
        }
        let dialogs = site.person.dialogs
        #expect(try site.client("login", Self.site, "ada").error == "OPERATION_DENIED")
        #expect(site.person.dialogs == dialogs)
        site.allow()
        #expect(try site.client("register", "other.example", "ada").flag("verified") == true)
    }

    @Test func `who declines for many sites is not asked for any`() throws {
        let site = try PasskeySite()
        for number in 1...4 {
            site.person.answer(.no)
            let made = try site.client("register", "site\(number).example", "ada")
            #expect(made.error == "OPERATION_DENIED", "\(made.text)")
        }
        let dialogs = site.person.dialogs
        #expect(try site.client("register", "site5.example", "ada").error == "OPERATION_DENIED")
        #expect(site.person.dialogs == dialogs)
    }

    @Test func `wrong passcodes prove nothing`() throws {
        let (site, _) = try siteWithPasskey()
        for _ in 1...3 { site.person.answer(.secret("wrong")) }
        #expect(try site.client("login", Self.site, "ada").error == "UV_INVALID")
    }

    @Test func `a request that is cancelled takes its question back`() throws {
        let (site, _) = try siteWithPasskey()
        let cancelled = try site.client("cancel", Self.site, "--after", "1")
        #expect(cancelled.flag("cancelled") == true, "\(cancelled.text)\(site.log)")
        #expect(site.person.allClose())
        site.allow()
        #expect(try site.client("login", Self.site, "ada").flag("verified") == true)
    }

    @Test func `a client that goes away takes its question with it`() throws {
        let (site, _) = try siteWithPasskey()
        let client = try site.startClient("login", Self.site, "ada")
        #expect(site.person.waitForDialog(2))
        client.kill()
        #expect(site.person.allClose())
    }

    @Test func `while a client waits for the owner, nobody else has them asked`() throws {
        let (site, _) = try siteWithPasskey()
        let client = try site.startClient("login", Self.site, "ada")
        #expect(site.person.waitForDialog(2))
        #expect(try site.client("login", Self.site, "ada").error == "OPERATION_DENIED")
        #expect(site.person.dialogs == 2)
        site.allow()
        #expect(try client.finish().flag("verified") == true)
    }

    @Test func `a locked keychain is unlocked by the answer to the question`() throws {
        let (site, credential) = try siteWithPasskey()
        #expect(try site.run("chatelaine", ["lock"]).status == 0)
        #expect(try site.client("probe", Self.site, credential).error == "NO_CREDENTIALS")
        site.allow()
        let login = try site.client("login", Self.site, "ada")
        #expect(login.flag("verified") == true, "\(login.text)\(site.log)")
        #expect(try site.run("chatelaine", ["lock"]).status == 0)
        site.allow()
        let unverified = try site.client("login", Self.site, "--uv", "discouraged")
        #expect(unverified.flag("verified") == true, "\(unverified.text)\(site.log)")
    }

    @Test func `a keychain without a passcode makes no passkeys, and says that it cannot verify its owner`() throws {
        let site = try PasskeySite(hasPasscode: false)
        #expect(try site.client("info").map("options")["uv"] as? Bool == false)
        #expect(try site.client("register", Self.site, "ada").error != nil)
        let unverified = try site.client(
            "register",
            Self.site,
            "ada",
            "--uv",
            "discouraged",
            "--resident",
            "discouraged"
        )
        #expect(unverified.error == "OPERATION_DENIED", "\(unverified.text)")
        #expect(site.log.contains("the keychain has no passcode"), "\(site.log)")
        #expect(try site.passkeys("list").output == "")
    }

    // MARK: - Attacks

    @Test func `a silent question is answered for a known passkey, and nothing is signed by it`() throws {
        let (site, credential) = try siteWithPasskey()
        let found = try site.client("probe", Self.site, credential)
        #expect(found.flag("found") == true, "\(found.text)")
        #expect(found.number("flags") == 0)
        #expect(found.flag("signed") == false)
        #expect(try site.client("probe", Self.site, "00").error == "NO_CREDENTIALS")
        #expect(try site.client("probe", "other.example", credential).error == "NO_CREDENTIALS")
        #expect(try site.client("probe-discoverable", Self.site).error == "NO_CREDENTIALS")
        #expect(site.person.dialogs == 1)
    }

    @Test func `a passkey that demands a verified owner does not show itself before`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let made = try site.client("register", Self.site, "ada", "--cred-protect", "3")
        let credential = try #require(made["credential"], "\(made.text)\(site.log)")
        #expect(try site.client("probe", Self.site, credential).error == "NO_CREDENTIALS")
        #expect(try site.client("login", Self.site, "ada", "--uv", "required").flag("verified") == true)
    }

    @Test func `a page that names another site's domain gets nothing for its own`() throws {
        let (site, _) = try siteWithPasskey()
        site.allow(2)
        let login = try site.client("login", "evil.example", "ada", "--rp-id", Self.site)
        // The browser refuses it. Who goes round the browser is shown at the prompt.
        #expect(login.error != nil, "\(login.text)")
        let other = try site.client("login", "evil.example", "--uv", "discouraged")
        #expect(other.error == "NO_CREDENTIALS", "\(other.text)")
    }

    @Test(arguments: ["1", "2"])
    func `a token is good for one site and one operation`(_ version: String) throws {
        let (site, credential) = try siteWithPasskey()
        site.allow()
        let token = try site.client(
            "token",
            Self.site,
            "--permissions",
            "2",
            "--protocol",
            version,
            "--credential",
            credential,
            "--use-for",
            "other.example",
            "--use-for",
            Self.site,
            "--use-for",
            Self.site
        )
        let uses = token.list("uses").map { ($0 as? [String: Any])?["error"] as? String }
        #expect(uses == ["PIN_AUTH_INVALID", nil, "PIN_AUTH_INVALID"], "\(token.text)\(site.log)")
        #expect(site.person.dialogs == 2)
    }

    @Test func `passkeys are listed, renamed and deleted by a token of the owner's, who confirms a deletion`() throws {
        let (site, credential) = try siteWithPasskey()
        site.allow(2)
        let list = try site.client("manage", "list")
        #expect(list.text.contains(credential), "\(list.text)\(site.log)")
        #expect(list.text.contains(Self.site))
        let update = try site.client("manage", "update", credential, "countess")
        #expect(update.error == nil, "\(update.text)\(site.log)")
        #expect(site.person.dialogs == 3)
        #expect(try site.listed().contains("countess"))
        site.allow()
        site.person.answer(.no)
        #expect(try site.client("manage", "delete", credential).error != nil)
        #expect(try !site.listed().isEmpty)
        site.allow(2)
        let deleted = try site.client("manage", "delete", credential)
        #expect(deleted.error == nil, "\(deleted.text)\(site.log)")
        #expect(try site.listed().isEmpty)
    }

    @Test func `no program deletes all passkeys at once`() throws {
        let (site, _) = try siteWithPasskey()
        #expect(try site.client("reset").error == "NOT_ALLOWED")
        #expect(try site.listed().split(separator: "\n").count == 1)
    }

    @Test func `which sites have passkeys is told to nobody without the owner`() throws {
        let (site, credential) = try siteWithPasskey()
        for arguments in [["list"], ["show", "example.com"], ["rename", "example.com", "x"], ["delete", credential]] {
            site.person.answer(.no)
            let refused = try site.run("chatelaine-passkeys", arguments)
            #expect(refused.status == 1 && !refused.output.contains("ada"), "\(refused.output)")
        }
        #expect(try site.client("probe", Self.site, credential).flag("found") == true)
    }
}

import Foundation
import KeychainTestSupport
import Testing

@Suite(
    "Passkeys by a browser's own FIDO2 client, verified by a web site",
    .timeLimit(.minutes(5)),
    .enabled(if: PasskeyClient.isThere, PasskeyClient.reason)
)
struct CeremonyTests {
    private static let site = "example.com"

    @Test func `a passkey is made and logs in, with one question each that names the site`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let made = try site.client("register", Self.site, "ada")
        #expect(made.flag("verified") == true, "\(made.text)\(site.log)")
        #expect(made["format"] == "packed")
        #expect(made.flag("userVerified") == true)
        #expect(made.flag("multiDevice") == false)
        #expect(made.number("signCount") == 0)
        #expect(site.person.dialogs == 1)
        #expect(site.person.shown.contains("make a passkey for example.com"), "\(site.person.shown)")
        let login = try site.client("login", Self.site, "ada")
        #expect(login.flag("verified") == true, "\(login.text)\(site.log)")
        #expect(login["credential"] == made["credential"])
        #expect(site.person.dialogs == 2)
        #expect(site.person.shown.contains("log in to example.com"), "\(site.person.shown)")
    }

    @Test func `without a verified owner, the question names the account, and the site is told so`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let made = try site.client(
            "register",
            Self.site,
            "ada@example.org",
            "--uv",
            "discouraged",
            "--resident",
            "discouraged"
        )
        #expect(made.flag("verified") == true, "\(made.text)\(site.log)")
        #expect(made.flag("userVerified") == false)
        #expect(site.person.shown.contains("make a passkey for example.com as ada@example.org"))
        let login = try site.client("login", Self.site, "ada@example.org", "--uv", "discouraged")
        #expect(login.flag("verified") == true, "\(login.text)\(site.log)")
        #expect(login.flag("userVerified") == false)
        #expect(site.person.shown.contains("log in to example.com as ada@example.org"), "\(site.person.shown)")
    }

    @Test func `a passkey is found without a name, and of several accounts the person chooses`() throws {
        let site = try PasskeySite()
        site.allow(4)
        for name in ["ada", "grace"] {
            let made = try site.client("register", Self.site, name, "--resident", "required")
            try #require(made.flag("verified") == true, "\(made.text)\(site.log)")
        }
        var users: Set<String> = []
        for choice in ["0", "1"] {
            let login = try site.client("login", Self.site, "--choose", choice)
            #expect(login.flag("verified") == true, "\(login.text)\(site.log)")
            #expect(login.list("accounts").count == 2)
            if let user = login["user"] { users.insert(user) }
        }
        #expect(users == ["ada", "grace"])
        #expect(site.person.dialogs == 4)
    }

    @Test func `an account that registers again has one passkey`() throws {
        let site = try PasskeySite()
        site.allow(3)
        for _ in 1...2 {
            let made = try site.client("register", Self.site, "ada", "--user-id", "0a0b")
            try #require(made.flag("verified") == true, "\(made.text)\(site.log)")
        }
        #expect(site.person.dialogs == 3)
        #expect(site.person.shown.contains("replace the passkey for example.com as ada by a new one"))
        #expect(try site.listed().split(separator: "\n").count == 1)
    }

    @Test(arguments: ["1", "2"])
    func `a site's secret is the same at each log-in, and another for other salts`(_ version: String) throws {
        let site = try PasskeySite()
        site.allow(4)
        let made = try site.client("register", Self.site, "ada", "--prf", "--protocol", version)
        #expect(made.map("prf")["enabled"] as? Bool == true, "\(made.text)\(site.log)")
        let salts = ["aa", "bb"]
        let first = try site.client("login", Self.site, "ada", "--prf", salts[0], salts[1], "--protocol", version)
        let second = try site.client("login", Self.site, "ada", "--prf", salts[1], "--protocol", version)
        let (one, two) = (first.map("prf")["first"] as? String, first.map("prf")["second"] as? String)
        #expect(one?.count == 64 && two?.count == 64 && one != two, "\(first.text)\(site.log)")
        #expect(second.map("prf")["first"] as? String == two, "\(second.text)")
        let unverified = try site.client(
            "login",
            Self.site,
            "ada",
            "--prf",
            salts[1],
            "--uv",
            "discouraged",
            "--protocol",
            version
        )
        let other = unverified.map("prf")["first"] as? String
        #expect(other?.count == 64 && other != two, "\(unverified.text)")
    }

    @Test func `a site keeps a small blob with a passkey`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let made = try site.client("register", Self.site, "ada", "--cred-blob", "c0ffee")
        try #require(made.flag("verified") == true, "\(made.text)\(site.log)")
        let login = try site.client("login", Self.site, "ada", "--get-cred-blob")
        #expect(login["credBlob"] == "c0ffee", "\(login.text)")
    }

    @Test func `an account that has a passkey here gets no other, however long the list of known ones is`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let made = try site.client("register", Self.site, "ada", "--resident", "discouraged")
        try #require(made.flag("verified") == true, "\(made.text)\(site.log)")
        let again = try site.client("register", Self.site, "ada", "--exclude", "--exclude-many", "60")
        #expect(again.error == "CREDENTIAL_EXCLUDED", "\(again.text)")
        #expect(try site.listed().split(separator: "\n").count == 1)
    }

    @Test func `a passkey is found in a long list of others`() throws {
        let site = try PasskeySite()
        site.allow(2)
        try #require(try site.client("register", Self.site, "ada").flag("verified") == true)
        let login = try site.client("login", Self.site, "ada", "--allow-many", "60")
        #expect(login.flag("verified") == true, "\(login.text)\(site.log)")
    }

    @Test func `a passkey for all devices says so, and whether there is a circle that has it`() throws {
        let site = try PasskeySite(options: ["--keep", "circle"])
        site.allow(3)
        let made = try site.client("register", Self.site, "ada", "--prf")
        #expect(made.flag("multiDevice") == true && made.flag("backedUp") == false, "\(made.text)\(site.log)")
        let login = try site.client("login", Self.site, "ada", "--prf", "aa")
        #expect(login.flag("verified") == true && login.flag("backedUp") == false, "\(login.text)\(site.log)")
        #expect(try site.listed().contains("  all devices  example.com  ada\n"))
        let unverified = try site.client("login", Self.site, "ada", "--uv", "discouraged")
        #expect(unverified.flag("verified") == true, "\(unverified.text)")

        let folder = site.folder + "/circle"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let passcode = PasskeySite.passcode + "\n"
        let circle = try site.run("chatelaine", ["sync", "create", folder, "--stdin"], input: passcode)
        try #require(circle.status == 0, "\(circle.errors)")
        site.allow()
        let shared = try site.client("login", Self.site, "ada")
        #expect(shared.flag("multiDevice") == true && shared.flag("backedUp") == true, "\(shared.text)\(site.log)")
    }

    @Test func `algorithms that the enclave lacks are refused`() throws {
        let site = try PasskeySite()
        site.allow(2)
        let refused = try site.client("register", Self.site, "ada", "--algorithm", "EdDSA", "--algorithm", "RS256")
        #expect(refused.error == "UNSUPPORTED_ALGORITHM", "\(refused.text)")
        let made = try site.client("register", Self.site, "ada", "--algorithm", "EdDSA", "--algorithm", "ES256")
        #expect(made.number("algorithm") == -7, "\(made.text)")
    }
}

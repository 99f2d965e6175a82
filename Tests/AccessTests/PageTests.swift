import AccessPages
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// What the pages show, and what they never do.
struct PageTests {
    private let site: PagesSite
    private let cookie: String

    init() throws {
        site = try PagesSite()
        cookie = try site.open()
    }

    private func add(_ name: String, account: String = "a", secret: String = "canary-7781", comment: String? = nil)
        throws
        -> PersistentReference
    {
        try site.connection.add(account, service: "service of \(UUID())", value: secret) { request in
            request.attributes[.label] = .string(name)
            if let comment { request.attributes[.comment] = .string(comment) }
        }
    }

    /// All pages about an item.
    private func pages(of reference: PersistentReference) throws -> [String] {
        ["/", "/items", "/items?query=x", reference.path, "\(reference.path)/edit"].map { site.get($0, cookie).text }
            + [try site.post("\(reference.path)/delete", cookie).text]
    }

    @Test(
        arguments: [
            "<img src=x onerror=alert(1)>", "\"><script>alert(1)</script>", "' onfocus='alert(1)",
            "\"\u{301} formaction=//attacker.example x=\"", "{{formToken}}", "</title><script>", "<!--", "&lt;b&gt;",
        ]
    )
    func `a hostile name is text on every page`(_ name: String) throws {
        let reference = try add(name, account: name, comment: name)
        let token = try site.token(cookie)
        for page in try pages(of: reference) {
            for marked in ["<img", "<script>", "<!--\"", " onfocus='", "\"\u{301} formaction", "><script"] {
                #expect(!page.utf8Contains(marked), "\(marked)")
            }
            #expect(page.components(separatedBy: token).count <= 8)
        }
    }

    @Test func `a character that turns text around, and one that cannot be seen, are made visible`() throws {
        let reference = try add("invoice\u{202E}gpj.exe", account: "a\u{200B}b")
        for page in [site.get("/items", cookie).text, site.get(reference.path, cookie).text] {
            #expect(page.contains(#"invoice\u{202e}gpj.exe"#))
            #expect(!page.unicodeScalars.contains("\u{202E}"))
        }
        #expect(site.get(reference.path, cookie).text.contains(#"a\u{200b}b"#))
    }

    @Test func `a name of a mebibyte makes no page large`() throws {
        let long = String(repeating: "x<", count: 60_000)
        let reference = try add(long, account: long, comment: long)
        for page in try pages(of: reference) { #expect(page.utf8.count < 100_000) }
    }

    @Test func `no page has a secret before it is revealed`() throws {
        let reference = try add("mail", secret: "canary-55190")
        for page in try pages(of: reference) { #expect(!page.contains("canary-55190")) }
        #expect(site.get("\(reference.path)/reveal", cookie).status == 404)
        let shown = try site.post("\(reference.path)/reveal", cookie)
        #expect(shown.text.plainText.contains("canary-55190"))
        #expect(shown.header("Cache-Control") == "no-store")
        for page in try pages(of: reference) { #expect(!page.contains("canary-55190")) }
    }

    @Test func `a revealed secret is in no title and no address, and its page leaves by itself`() throws {
        let reference = try add("mail", secret: "canary-55191")
        let response = try site.post("\(reference.path)/reveal", cookie)
        let page = response.text
        let title = try #require(page.firstMatch(of: #/<title>(.*)<\/title>/#)?.1)
        #expect(title == "Password – Chatelaine")
        #expect(response.header("Refresh") == "30; url=\(reference.path)")
        for match in page.matches(of: #/(?:href|action|value|content)="([^"]*)"/#) {
            #expect(!match.1.contains("canary"))
        }
    }

    @Test func `a secret that is no text is shown as digits`() throws {
        let reference = try site.connection.add("bytes") { $0.secrets[.valueData] = SecretBytes([0, 255, 16]) }
        #expect(try site.post("\(reference.path)/reveal", cookie).text.plainText.contains("00ff10"))
        // A text that would look like another one is no text to read.
        let turned = try site.connection.add("turned") {
            $0.secrets[.valueData] = SecretBytes(Array("a\u{202E}b".utf8))
        }
        #expect(try site.post("\(turned.path)/reveal", cookie).text.plainText.contains("61e280ae62"))
    }

    @Test func `an item is added, changed and deleted by forms`() throws {
        let added = try site.post(
            "/items/new",
            cookie,
            [("kind", "password"), ("name", "Mail"), ("service", "imap"), ("account", "ann"), ("password", "first")]
        )
        #expect(added.status == 303)
        let path = try #require(added.header("Location"))
        #expect(site.get(path, cookie).text.contains("The item was added."))
        #expect(!site.get(path, cookie).text.contains("The item was added."))
        #expect(try site.connection.all() == ["ann=first"])

        let changed = try site.post(
            "\(path)/edit",
            cookie,
            [("name", "Post"), ("service", "imap"), ("account", "ann"), ("comment", "two\r\nlines"), ("password", "")]
        )
        #expect(changed.header("Location") == path)
        #expect(site.get(path, cookie).text.contains("two\nlines"))
        #expect(try site.connection.all() == ["ann=first"])
        _ = try site.post("\(path)/edit", cookie, [("password", "second")])
        #expect(try site.connection.all() == ["ann=second"])

        #expect(try site.post("\(path)/delete", cookie).status == 200)
        #expect(try site.connection.all() == ["ann=second"])
        #expect(try site.post("\(path)/delete", cookie, [("confirmed", "yes")]).status == 303)
        #expect(try site.connection.all() == [])
        #expect(site.get(path, cookie).status == 404)
        #expect(try site.post("\(path)/edit", cookie, [("name", "x")]).status == 404)
        #expect(try site.post("\(path)/reveal", cookie).status == 404)
    }

    @Test func `a form with a mistake comes back with what was typed, and with no password`() throws {
        let form = [
            ("kind", "internet"), ("name", "Shop"), ("server", "shop.example"), ("port", "eighty"),
            ("password", "canary-1"),
        ]
        let page = try site.post("/items/new", cookie, form)
        #expect(page.status == 422)
        #expect(page.text.contains("The port is a number up to 65535."))
        #expect(page.text.contains("value=\"shop.example\""))
        #expect(!page.text.contains("canary-1"))
        #expect(try site.connection.all() == [])
    }

    @Test func `a second item of the same service and account is refused, and the first one stays`() throws {
        let form = [("kind", "password"), ("name", "A"), ("service", "s"), ("account", "a"), ("password", "one")]
        #expect(try site.post("/items/new", cookie, form).status == 303)
        let second = try site.post("/items/new", cookie, form.dropLast() + [("password", "two")])
        #expect(second.status == 422)
        #expect(second.text.contains("There is a password for this service and account already."))
        let other = try #require(second.text.firstMatch(of: #/href="(\/item\/[^"]*)">Open the item that is there/#)?.1)
        #expect(site.get(String(other), cookie).text.contains("<h1><bdi>A</bdi></h1>"))
        #expect(second.text.contains("Type the password again") && !second.text.contains("two"))
        // Another program's item of the same name leads nobody to it.
        var planted = AddRequest(itemClass: .genericPassword)
        planted.accessGroup = "org.example.attacker"
        planted.attributes[.service] = .string("s")
        planted.attributes[.account] = .string("a")
        planted.secrets[.valueData] = SecretBytes([1])
        _ = try site.connection.add(planted)
        let third = try site.post("/items/new", cookie, form)
        #expect(third.status == 422 && !third.text.contains("Open the item that is there"))
        #expect(try site.connection.all().sorted() == ["a=\u{1}", "a=one"])
    }

    @Test func `selected items are deleted together, after a question`() throws {
        let references = try (0..<5).map { try add("item \($0)", account: "\($0)") }
        let selected = references.prefix(3).map { ("reference", $0.pageName) }
        let question = try site.post("/items/delete", cookie, selected)
        #expect(question.text.contains("Delete 3 items?"))
        #expect(try site.connection.accounts().count == 5)
        #expect(try site.post("/items/delete", cookie, [("confirmed", "yes")] + selected).status == 303)
        #expect(try site.connection.accounts() == ["3", "4"])
        let page = site.get("/items", cookie).text
        #expect(page.contains("3 items were deleted.") && page.contains("href=\"/deleted\">Recently Deleted"))
    }

    @Test func `who deletes what cannot be restored is told so`() throws {
        let kept = try add("kept", account: "a")
        let question = try site.post("/items/delete", cookie, [("reference", kept.pageName)]).text.plainText
        #expect(question.contains("It can be restored for 90 days") && !question.contains("for Good"))
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes[.account] = .string("lost")
        request.secrets[.valueData] = SecretBytes([1])
        request.accessControl = try AccessControl(protection: "ak", flags: .userPresence)
        request.returns = .persistentReference
        let lost = try #require(try site.connection.add(request)).reference
        let both = try site.post("/items/delete", cookie, [kept, lost].map { ("reference", $0.pageName) }).text
            .plainText
        #expect(both.contains("1 of them cannot be restored: they are marked below."))
        #expect(both.contains("Password – cannot be restored") && both.contains("Delete for Good"))
        let one = try site.post("\(lost.path)/delete", cookie).text.plainText
        #expect(one.contains("it cannot be restored") && one.contains("Delete for Good"))
    }

    @Test func `a new password is for a website unless something else is said, and an address may be pasted`() throws {
        #expect(site.get("/items/new", cookie).text.contains("name=\"kind\" value=\"internet\""))
        #expect(site.get("/items/new?kind=password", cookie).text.contains("name=\"kind\" value=\"password\""))
        let form = [
            ("kind", "internet"), ("name", ""), ("server", " imaps://Mail.example.com:9930/in "), ("account", "ann"),
            ("port", ""), ("path", ""), ("password", "canary"),
        ]
        let path = try #require(try site.post("/items/new", cookie, form).header("Location"))
        let reference = try #require(PersistentReference(pageName: String(path.dropFirst("/item/".count))))
        let item = try #require(try site.item(reference))
        #expect(item.attributes[.server] == .string("mail.example.com"))
        #expect(item.attributes[.port] == .integer(9930))
        #expect(item.attributes[.path] == .string("/in") && item.attributes[.networkProtocol] == .string("imps"))
        let page = site.get(path, cookie).text
        #expect(page.contains("imaps://mail.example.com:9930/in") && page.contains("Server"))
        #expect(page.contains("<h1><bdi>mail.example.com</bdi></h1>"))

        let edit = [("server", "https://www.example.com:8443/login")]
        #expect(try site.post("\(path)/edit", cookie, edit).status == 303)
        let edited = try #require(try site.item(reference))
        #expect(edited.attributes[.server] == .string("www.example.com") && edited.attributes[.port] == .integer(8443))
        #expect(edited.attributes[.path] == .string("/login") && edited.attributes[.networkProtocol] == .string("htps"))
        // What cannot be read may have a password in it, and is not stored.
        for server in ["https://ann:pw@host:99999/", "made-up://host/", "ann@host name"] {
            #expect(try site.post("\(path)/edit", cookie, [("server", server)]).status == 422)
            let form = [("kind", "internet"), ("server", server), ("password", "x")]
            #expect(try site.post("/items/new", cookie, form).status == 422)
        }
    }

    @Test(arguments: [
        [("kind", "internet"), ("password", "x")], [("kind", "internet"), ("server", "a.example"), ("password", "")],
        [("kind", "password"), ("password", "x")], [("kind", "password"), ("name", "a")],
        [("kind", "internet"), ("server", " "), ("password", "x")],
        [("kind", "password"), ("name", "  "), ("password", "x")],
    ])
    func `a password without a purpose, or a purpose without a password, is not added`(form: [(String, String)]) throws
    {
        let page = try site.post("/items/new", cookie, form)
        #expect(page.status == 422 && page.text.contains("role=\"alert\""))
        #expect(try site.connection.all() == [])
    }

    @Test func `passwords that are the same have the same letter, and what is empty or weak is named`() throws {
        for (name, secret) in [
            ("one", "Kettle-orbit-61"), ("two", "Kettle-orbit-61"), ("three", "velvet-Harbour-9"),
            ("four", "velvet-Harbour-9"), ("five", "velvet-Harbour-9"), ("six", "short"), ("seven", ""),
        ] {
            _ = try add(name, account: name, secret: secret)
        }
        _ = try site.post("/passwords/check", cookie)
        let rows = site.get("/passwords", cookie).text.split(separator: "<tr>").map(String.init)
        func reasons(_ name: String) -> String {
            rows.filter { $0.contains("<bdi>\(name)</bdi>") }.map(\.plainText).joined(separator: " ")
        }
        for name in ["three", "four", "five"] { #expect(reasons(name).contains("Password A")) }
        for name in ["one", "two"] { #expect(reasons(name).contains("Password B")) }
        #expect(reasons("six").contains("Shorter than 8 characters"))
        #expect(reasons("seven").contains("Empty"))
    }

    @Test func `an access group names the programs that have used it, as the service knew them`() throws {
        let record = FileManager.default.temporaryDirectory.path + "/chatelaine-record-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: record) }
        func line(_ caller: String, _ kind: String, _ group: String, outcome: String = "ok") -> String {
            #"{"time":"2026-11-30T01:00:00.000Z","uid":1000,"caller":"\#(caller)","kind":"\#(kind)","operation":"find","#
                + #""class":"genp","groups":["\#(group)"],"outcome":"\#(outcome)","count":1,"rows":[]}"#
        }
        let lines = [
            line("ABCDE12345.org.example.mail", "installed", "ABCDE12345.mail"),
            line("ABCDE12345.org.example.copy", "signed", "ABCDE12345.mail"),
            line("program./usr/bin/<b>tool", "unsigned", "security"),
            line("program./usr/bin/refused", "unsigned", "security", outcome: "missingEntitlement"), "half a li",
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: record))
        let site = try PagesSite(record: record)
        let cookie = try site.open()
        for group in ["ABCDE12345.mail", "security"] {
            var request = AddRequest(itemClass: .genericPassword)
            request.accessGroup = group
            request.secrets[.valueData] = SecretBytes([1])
            _ = try site.connection.add(request)
        }
        let rows = site.get("/groups", cookie).text.split(separator: "<tr>").map(String.init)
        func row(_ text: String) -> String { rows.filter { $0.contains(text) }.map(\.plainText).joined() }
        #expect(
            row("org.example.mail").contains("Signed and installed") && row("org.example.mail").contains("ABCDE12345")
        )
        #expect(row("org.example.copy").contains("Signed, not installed"))
        #expect(row("/usr/bin/&lt;b&gt;tool").contains("Not signed") && row("&lt;b&gt;tool").contains("No team"))
        #expect(row("refused").isEmpty)
    }

    @Test func `what has only a name is found by it`() throws {
        let form = [("kind", "password"), ("name", "Cellar"), ("service", ""), ("password", "x")]
        let path = try #require(try site.post("/items/new", cookie, form).header("Location"))
        let reference = try #require(PersistentReference(pageName: String(path.dropFirst("/item/".count))))
        #expect(try #require(try site.item(reference)).attributes[.service] == .string("Cellar"))
    }

    @Test func `a made password goes into the form of a new item`() throws {
        let made = try site.post("/passwords", cookie, [("kind", "words"), ("length", "20"), ("words", "5")]).text
        let value = try #require(made.firstMatch(of: #/name="value" value="([^"]*)"/#)?.1)
        #expect(value.split(separator: "-").count == 5)
        #expect(try site.post("/items/fill", cookie, [("value", String(value))]).text.contains("value=\"\(value)\""))
        let refused = try site.post("/passwords", cookie, [("kind", "words"), ("length", "20"), ("words", "20")])
        #expect(
            refused.status == 422 && refused.text.contains("It can have 4 to 12.")
                && refused.text.contains("value=\"6\"")
        )
    }

    @Test func `an item's page leads back to the list, and a deletion too`() throws {
        let reference = try add("here", account: "a")
        _ = try add("other", account: "b")
        let search = try #require(try site.post("/items", cookie, [("query", "here")]).header("Location"))
        var request = PagesSite.request(.post, "\(reference.path)/delete", cookie: cookie)
        request.form = try site.form([("token", site.token(cookie)), ("confirmed", "yes")])
        _ = site.get(search, cookie)
        #expect(site.get(reference.path, cookie).text.contains("href=\"\(search)\""))
        let done = site.pages.answer(request)
        #expect(done.header("Location") == search)
    }

    @Test func `a search finds notes, paths and kinds, and a name of spaces gives way to the service`() throws {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes[.label] = .string(" \t ")
        request.attributes[.service] = .string("org.example.wine")
        request.attributes[.comment] = .string("The key is under the STONE")
        request.secrets[.valueData] = SecretBytes([1])
        _ = try site.connection.add(request)
        for word in ["stone", "wine", "password"] {
            #expect(
                site.get("/items?query=\(word)", cookie).text.contains("<bdi>org.example.wine</bdi></a>"),
                "\(word)"
            )
        }
        #expect(!site.get("/items?query=gravel", cookie).text.contains("org.example.wine"))
    }

    @Test(arguments: [
        "genp-", "genp-00", "genp-zz00000000000000000000000000000000", "xxxx-00000000000000000000000000000000", "..",
        "%2e%2e",
    ])
    func `an address of no item is not there`(_ name: String) {
        #expect(site.get("/item/\(name)", cookie).status == 404)
    }

    @Test func `no name is in a title or an address, which a browser keeps in its history`() throws {
        let reference = try add("canary-name", account: "canary-account", comment: "canary-comment")
        for path in ["/", "/items", reference.path, "\(reference.path)/edit"] {
            let title = try #require(site.get(path, cookie).text.firstMatch(of: #/<title>(.*)<\/title>/#)?.1)
            #expect(!title.contains("canary"))
        }
        let found = try site.post("/items", cookie, [("query", "canary-account"), ("sort", "modified")])
        let address = try #require(found.header("Location"))
        #expect(!address.contains("canary"))
        let page = site.get(address, cookie).text
        #expect(page.contains("canary-account") && page.contains("1–1 of 1"))
        for match in page.matches(of: #/(?:href|action)="([^"]*)"/#) { #expect(!match.1.contains("canary")) }
        #expect(site.get("/items?search=7", cookie).text.contains("1–1 of 1"))
    }

    @Test func `a text that a browser would change is left as it is`() throws {
        let odd = try site.connection.add("a\nb", service: "x\r\ny") { request in
            request.attributes[.label] = .string("odd")
            request.attributes[.comment] = .string("one\r\ntwo\n")
        }
        let form = site.get("\(odd.path)/edit", cookie).text
        #expect(!form.contains("name=\"account\"") && !form.contains("name=\"service\""))
        let sent = [
            ("name", "odd"), ("comment", "one\r\ntwo\r\n"), ("account", "ab"), ("service", "xy"), ("password", ""),
        ]
        _ = try site.post("\(odd.path)/edit", cookie, sent)
        #expect(site.get(odd.path, cookie).text.contains("Nothing was changed."))
        #expect(try site.connection.accounts() == ["a\nb"])
    }

    @Test(arguments: ["\u{3164}", "\u{2800}", "\u{115F}", "\u{200B}", "\u{2067}", "\u{0}"])
    func `a name that nobody could see is made visible`(_ name: String) throws {
        let reference = try add("a\(name)b")
        #expect(site.get(reference.path, cookie).text.contains(#"a\u{"#))
    }

    @Test func `what another program changes is on the next page`() throws {
        #expect(site.get("/items", cookie).text.contains("The keychain has no items."))
        let other = site.keychain.connection(groups: ["other.app"])
        try other.add("new account", service: "svc")
        #expect(site.get("/items", cookie).text.contains("new account"))
        #expect(site.get("/items", cookie).text.contains("other.app"))
    }
}

extension String {
    /// Byte by byte: to Swift, a sign with an accent is another character.
    func utf8Contains(_ part: String) -> Bool { Array(utf8).firstRange(of: Array(part.utf8)) != nil }

    /// A page without its elements, as a person reads it.
    var plainText: String {
        replacing(#/<[^>]*>/#, with: "").replacingOccurrences(of: "&amp;", with: "&")
            .replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
            .replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(of: "&#39;", with: "'")
    }
}

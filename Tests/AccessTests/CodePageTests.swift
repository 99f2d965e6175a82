import AccessPages
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// One-time codes on the pages.
struct CodePageTests {
    private let site: PagesSite
    private let cookie: String
    private let reference: PersistentReference
    /// RFC 6238's own secret.
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    init() throws {
        site = try PagesSite()
        cookie = try site.open()
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes[.label] = .string("Bank")
        request.attributes[.server] = .string("bank.example")
        request.attributes[.account] = .string("me")
        request.accessGroup = "other"
        request.secrets[.valueData] = SecretBytes([1])
        request.returns = .persistentReference
        reference = try #require(try site.connection.add(request)).reference
    }

    private func addCode() throws -> PersistentReference {
        let added = try site.post("\(reference.path)/code/new", cookie, [("code", Self.secret)])
        try #require(added.header("Location") == reference.path)
        return try #require(try code())
    }

    /// A code of the same site and account that another program has stored.
    private func plant(in group: String, _ accessControl: AccessControl? = nil) throws -> PersistentReference {
        var request = AddRequest(itemClass: .genericPassword)
        request.accessGroup = group
        request.attributes[.service] = .string("otpauth:bank.example")
        request.attributes[.account] = .string("me")
        request.attributes[.kindText] = .string("one-time code")
        request.secrets[.valueData] = SecretBytes(Array("otpauth://totp/x?secret=\(Self.secret)".utf8))
        request.accessControl = accessControl
        request.returns = .persistentReference
        return try #require(try site.connection.add(request)).reference
    }

    /// The code's item.
    private func code() throws -> PersistentReference? {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters[.kindText] = .string("one-time code")
        return try site.connection.find(FindRequest(query: query)).first?.reference
    }

    @Test func `a code is added by its secret, and shown with its seconds`() throws {
        #expect(site.get(reference.path, cookie).text.contains("Add One-Time Code"))
        let code = try addCode()
        let page = site.get(reference.path, cookie).text
        #expect(page.contains("The one-time code was added.") && page.contains("Show One-Time Code"))
        #expect(!page.contains("Add One-Time Code") && !page.contains(Self.secret))
        let shown = try site.post("\(code.path)/code", cookie)
        #expect(shown.text.plainText.contains(#/\b\d{3} \d{3}\b/#))
        #expect(!shown.text.contains(Self.secret))
        let refresh = try #require(shown.header("Refresh")?.wholeMatch(of: #/(\d+); url=(.*)/#))
        #expect((10...40).contains(Int(refresh.1) ?? 0) && refresh.2 == reference.path)
        // It is an item of the password's group, with what it is in words.
        let item = try #require(try site.item(code))
        #expect(item.attributes[.accessGroup] == .string("other"))
        #expect(site.get("/items", cookie).text.contains("One-time code"))
        let setup = try site.post("\(code.path)/reveal", cookie).text
        #expect(setup.plainText.contains("otpauth://totp/Bank:me?secret=\(Self.secret)"))
        // There is one code for a password, and none for a code.
        for path in ["\(reference.path)/code/new", "\(code.path)/code/new"] {
            #expect(site.get(path, cookie).status == 404)
            #expect(try site.post(path, cookie, [("code", Self.secret)]).status == 404)
        }
        #expect(try site.post("\(reference.path)/code", cookie).status == 404)
    }

    @Test(arguments: ["", "canary!", "otpauth://hotp/canary?secret=\(secret)", String(repeating: "A", count: 9_000)])
    func `what is no code is refused, says why, and does not come back`(text: String) throws {
        let refused = try site.post("\(reference.path)/code/new", cookie, [("code", text)])
        #expect(refused.status == 422)
        #expect(refused.text.contains("class=\"error\"") || refused.text.contains("role=\"alert\""))
        #expect(!refused.text.contains("canary") && !refused.text.contains(Self.secret))
        #expect(try code() == nil)
    }

    @Test func `a code follows its password to another account, and goes and comes back with it`() throws {
        let code = try addCode()
        _ = try site.post("\(reference.path)/edit", cookie, [("account", "you"), ("name", "Other bank")])
        let item = try #require(try site.item(code))
        #expect(item.attributes[.account] == .string("you") && item.attributes[.label] == .string("Other bank"))
        #expect(site.get(reference.path, cookie).text.contains("Show One-Time Code"))

        #expect(
            try site.post("\(reference.path)/delete", cookie).text.contains("Its one-time code is deleted with it.")
        )
        let token = try site.token(cookie)
        var request = PagesSite.request(.post, "\(reference.path)/delete", cookie: cookie)
        request.form = try site.form([("token", token), ("confirmed", "yes")])
        let done = site.pages.answer(request)
        #expect(try site.item(code) == nil && site.item(reference) == nil)
        let page = site.get(try #require(done.header("Location")), cookie).text
        #expect(page.contains("The item was deleted."))
        let undo = try #require(page.firstMatch(of: #/undo">.*?name="value" value="([^"]*)"/#)?.1)
        _ = try site.post("\(reference.path)/undo", cookie, [("value", String(undo))])
        #expect(try site.item(code) != nil && site.item(reference) != nil)
    }

    @Test func `another program's code is not shown beside a password, nor moved, nor deleted with it`() throws {
        let planted = try plant(in: "org.example.attacker")
        #expect(!site.get(reference.path, cookie).text.contains("Show One-Time Code"))
        _ = try site.post("\(reference.path)/edit", cookie, [("account", "you")])
        let item = try #require(try site.item(planted))
        #expect(item.attributes[.accessGroup] == .string("org.example.attacker"))
        #expect(item.attributes[.account] == .string("me"))
        _ = try site.post("\(reference.path)/edit", cookie, [("account", "me")])
        _ = try site.post("\(reference.path)/delete", cookie, [("confirmed", "yes")])
        #expect(try site.item(reference) == nil && site.item(planted) != nil)
    }

    @Test func `a code is no password: it is listed as what it is, and edited by its name alone`() throws {
        let code = try addCode()
        #expect(site.get("/items?kind=code", cookie).text.contains("1–1 of 1"))
        let form = site.get("\(code.path)/edit", cookie).text
        #expect(
            form.contains("name=\"name\"") && !form.contains("name=\"service\"") && !form.contains("name=\"password\"")
        )
        _ = try site.post("\(code.path)/edit", cookie, [("service", "x"), ("account", "y"), ("password", "z")])
        let item = try #require(try site.item(code))
        #expect(
            item.attributes[.service] == .string("otpauth:bank.example") && item.attributes[.account] == .string("me")
        )
        let page = site.get(code.path, cookie).text
        #expect(!page.contains("otpauth:") && page.contains("bank.example"))
    }

    @Test func `who deletes a password whose code cannot be restored is told so`() throws {
        _ = try plant(in: "other", try AccessControl(protection: "ak", flags: .userPresence))
        let question = try site.post("\(reference.path)/delete", cookie).text.plainText
        #expect(question.contains("Its one-time code is deleted with it, and cannot be restored."))
        #expect(question.contains("Delete for Good"))
    }

    @Test func `looking for weak passwords leaves codes out`() throws {
        _ = try addCode()
        _ = try site.post("/passwords/check", cookie)
        #expect(!site.get("/passwords", cookie).text.contains("<td data-label=\"Kind\">One-time code"))
    }
}

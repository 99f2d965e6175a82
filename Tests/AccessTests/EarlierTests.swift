import AccessPages
import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// What the pages keep of items that are changed or deleted on them.
struct EarlierTests {
    private let site: PagesSite
    private let cookie: String
    private let reference: PersistentReference

    init() throws {
        site = try PagesSite()
        cookie = try site.open()
        reference = try site.add("Mail", password: "first")
    }

    private var path: String { reference.path }

    /// The numbers that the buttons of a page restore.
    private static func versions(in page: String) -> [Int] {
        page.matches(
            of:
                #/restore"><input type="hidden" name="token" value="[^"]*"><input type="hidden" name="value" value="(\d+)"/#
        )
        .compactMap { Int($0.1) }
    }

    private func delete() throws { _ = try site.post(path + "/delete", cookie, [("confirmed", "yes")]) }

    /// Sends a form, and takes back what it did by the button that the next page has.
    private func undo(_ path: String, _ fields: [(String, String)]) throws -> PageResponse {
        let token = try site.token(cookie)
        var request = PagesSite.request(.post, path, cookie: cookie)
        request.form = try site.form([("token", token)] + fields)
        let done = site.pages.answer(request)
        let page = site.get(try #require(done.header("Location")), cookie).text
        let button = try #require(
            page.firstMatch(of: #/action="([^"]*\/undo)".*?name="value" value="(\d+)"/#),
            "\(page)"
        )
        return try site.post(String(button.1), cookie, [("value", String(button.2))])
    }

    @Test func `a deletion can be taken back at once`() throws {
        let response = try undo(path + "/delete", [("confirmed", "yes")])
        #expect(response.header("Location") == path)
        #expect(site.get(path, cookie).text.contains("is as it was before"))
        #expect(try site.value(of: reference) == "first")
        // What is there is not among the deleted.
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
    }

    @Test func `a change can be taken back at once, and what is older stays`() throws {
        _ = try site.post(path + "/edit", cookie, [("password", "second")])
        _ = try undo(path + "/edit", [("password", "third")])
        #expect(try site.value(of: reference) == "second")
    }

    @Test func `nothing older than the change comes back by taking it back`() throws {
        _ = try site.post(path + "/edit", cookie, [("password", "second")])
        let future = Int64((Date().timeIntervalSince1970 + 1) * 1_000)
        _ = try site.post(path + "/undo", cookie, [("value", String(future))])
        #expect(try site.value(of: reference) == "second")
        for value in ["", "x"] {
            #expect(try site.post(path + "/undo", cookie, [("value", value)]).status == 404)
        }
    }

    @Test func `a deleted item is listed for 90 days, and restored with its password`() throws {
        try delete()
        let page = site.get("/deleted", cookie).text
        #expect(page.contains("Mail") && page.contains("Restore"))
        let number = try #require(Self.versions(in: page).first)
        _ = try site.post("/deleted/restore", cookie, [("value", String(number))])
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
        #expect(try site.value(of: reference) == "first")
    }

    @Test func `a deleted item is deleted for good after a question, and then nothing brings it back`() throws {
        try delete()
        let number = try #require(Self.versions(in: site.get("/deleted", cookie).text).first)
        let question = try site.post("/deleted/discard", cookie, [("value", String(number))])
        #expect(question.text.contains("Mail") && question.text.contains("for good?"))
        #expect(Self.versions(in: site.get("/deleted", cookie).text) == [number])
        let form = [("value", String(number)), ("confirmed", "yes")]
        #expect(try site.post("/deleted/discard", cookie, form).header("Location") == "/deleted")
        let page = site.get("/deleted", cookie).text
        #expect(page.contains("It was deleted for good.") && page.contains("Nothing was deleted"))
        for path in ["/deleted/discard", "/deleted/restore"] {
            #expect(try site.post(path, cookie, form).status == 404)
        }
        #expect(try site.value(of: reference) == nil)
        for value in ["", "x", "9999"] {
            #expect(try site.post("/deleted/discard", cookie, [("value", value)]).status == 404)
        }
    }

    @Test func `what is too old is not listed, and a look at the list removes it`() throws {
        try delete()
        let database = try DatabaseQueue(path: site.keychain.path + "/keychain.db")
        func count() throws -> Int? { try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM past") } }
        #expect(try count() == 1)
        try database.write { try $0.execute(sql: "UPDATE past SET time = 0") }
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
        #expect(try count() == 0)
    }

    @Test func `an earlier password is deleted for good, and the present one stays`() throws {
        _ = try site.post(path + "/edit", cookie, [("password", "second")])
        let number = try #require(Self.versions(in: site.get(path, cookie).text).first)
        _ = try site.post(path + "/discard", cookie, [("value", String(number)), ("confirmed", "yes")])
        #expect(!site.get(path, cookie).text.contains("Earlier versions"))
        #expect(try site.value(of: reference) == "second")
    }

    @Test func `an item's page lists its earlier versions, each of which can be restored`() throws {
        #expect(!site.get(path, cookie).text.contains("Earlier versions"))
        _ = try site.post(path + "/edit", cookie, [("password", "second")])
        #expect(try site.value(of: reference) == "second")
        let page = site.get(path, cookie).text
        #expect(page.contains("Earlier versions") && page.contains("Replaced"))
        #expect(!page.contains("first"))
        let number = try #require(Self.versions(in: page).first)
        _ = try site.post(path + "/restore", cookie, [("value", String(number))])
        #expect(try site.value(of: reference) == "first")
        // What was replaced by that is an earlier version, too.
        let last = try #require(Self.versions(in: site.get(path, cookie).text).max())
        _ = try site.post(path + "/restore", cookie, [("value", String(last))])
        #expect(try site.value(of: reference) == "second")
    }

    @Test func `an item of the same name that was added meanwhile is kept, too, when the deleted one comes back`()
        throws
    {
        try delete()
        let other = try site.add("Mail", password: "other")
        let number = try #require(Self.versions(in: site.get("/deleted", cookie).text).first)
        _ = try site.post("/deleted/restore", cookie, [("value", String(number))])
        #expect(try site.value(of: reference) == "first" && site.value(of: other) == nil)
        let page = site.get("/deleted", cookie).text
        #expect(page.contains("Mail"))
        let back = try #require(Self.versions(in: page).first)
        _ = try site.post("/deleted/restore", cookie, [("value", String(back))])
        #expect(try site.value(of: other) == "other")
    }

    @Test func `an earlier version takes no access control away`() throws {
        _ = try site.post(path + "/edit", cookie, [("password", "second")])
        let number = try #require(Self.versions(in: site.get(path, cookie).text).first)
        var update = UpdateRequest(query: ItemCatalogue.query(reference))
        update.changes.accessControl = try AccessControl(protection: "ak", flags: .userPresence)
        #expect(try site.connection.update(update) == 1)
        _ = try site.post(path + "/restore", cookie, [("value", String(number))])
        let item = try #require(try site.item(reference))
        #expect(item.accessControl.flags == .userPresence)
    }

    @Test(arguments: ["", "x", "-1", "99999999999999999999", "9223372036854775807"])
    func `a number that no version has restores nothing`(number: String) throws {
        try delete()
        let response = try site.post("/deleted/restore", cookie, [("value", number)])
        #expect(response.status == 404)
        #expect(site.get(path, cookie).status == 404)
    }

    @Test func `what another program deletes is nowhere any more, whatever it asks for`() throws {
        let program = site.keychain.connection(groups: ["other"])
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes[.label] = .string("Theirs")
        add.secrets[.valueData] = SecretBytes(Array("theirs".utf8))
        _ = try program.add(add)
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters[.label] = .string("Theirs")
        var request = DeleteRequest(query: query)
        request.keepsEarlier = true
        #expect(try program.delete(request) == 1)
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
    }

    @Test func `an item that is bound to its owner is not kept`() throws {
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes[.label] = .string("Guarded")
        add.accessControl = try AccessControl(protection: "ak", flags: .userPresence)
        add.secrets[.valueData] = SecretBytes([1])
        add.returns = .persistentReference
        let guarded = try #require(try site.connection.add(add)).reference
        let token = try site.token(cookie)
        var request = PagesSite.request(.post, guarded.path + "/delete", cookie: cookie)
        request.form = try site.form([("token", token), ("confirmed", "yes")])
        let done = site.pages.answer(request)
        let page = site.get(try #require(done.header("Location")), cookie).text
        #expect(page.contains("The item was deleted.") && !page.contains("/undo"))
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
    }
}

extension PagesSite {
    func add(_ label: String, password: String) throws -> PersistentReference {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes[.label] = .string(label)
        request.attributes[.account] = .string(label)
        request.secrets[.valueData] = SecretBytes(Array(password.utf8))
        request.returns = .persistentReference
        return try #require(try connection.add(request)).reference
    }

    func item(_ reference: PersistentReference) throws -> FoundItem? {
        var request = FindRequest(query: ItemCatalogue.query(reference))
        request.returns = .attributes
        request.authentication.ui = .fail
        return try connection.find(request).first
    }

    func value(of reference: PersistentReference) throws -> String? {
        var request = FindRequest(query: ItemCatalogue.query(reference))
        request.returns = .data
        guard let secret = try connection.find(request).first?.secrets[.valueData] else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

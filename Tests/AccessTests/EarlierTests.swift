import AccessPages
import Foundation
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

    private func secret() throws -> String {
        try site.post(path + "/reveal", cookie).text.contains("value=\"first\"") ? "first" : "other"
    }

    private func delete() throws { _ = try site.post(path + "/delete", cookie, [("confirmed", "yes")]) }

    @Test func `a deletion can be taken back at once`() throws {
        try delete()
        #expect(site.get(path, cookie).status == 404)
        let page = site.get("/items", cookie).text
        // The notice was shown by the request for the token of the form, or by this one.
        #expect(!page.contains("Mail"))
        let response = try site.post(path + "/undo", cookie)
        #expect(response.header("Location") == path)
        #expect(site.get(path, cookie).text.contains("is as it was before"))
        #expect(try site.value(of: reference) == "first")
        // What is there is not among the deleted.
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
    }

    @Test func `the notice of a deletion offers to take it back`() throws {
        let response = try site.post(path + "/delete", cookie, [("confirmed", "yes")])
        let page = site.get(try #require(response.header("Location")), cookie).text
        #expect(page.contains("The item was deleted.") && page.contains("action=\"\(path)/undo\""))
    }

    @Test func `a deleted item is listed for 90 days, and restored with its password`() throws {
        try delete()
        let page = site.get("/deleted", cookie).text
        #expect(page.contains("Mail") && page.contains("Restore"))
        let number = try #require(page.firstMatch(of: #/name="value" value="(\d+)"/#)?.1)
        _ = try site.post("/deleted/restore", cookie, [("value", String(number))])
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
        #expect(try site.value(of: reference) == "first")
    }

    @Test func `an item's page lists its earlier versions, each of which can be restored`() throws {
        #expect(!site.get(path, cookie).text.contains("Earlier versions"))
        _ = try site.post(path + "/edit", cookie, [("password", "second")])
        #expect(try site.value(of: reference) == "second")
        let page = site.get(path, cookie).text
        #expect(page.contains("Earlier versions") && page.contains("Replaced"))
        #expect(!page.contains("first"))
        let number = try #require(page.firstMatch(of: #/name="value" value="(\d+)"/#)?.1)
        _ = try site.post(path + "/restore", cookie, [("value", String(number))])
        #expect(try site.value(of: reference) == "first")
        // What was replaced by that is an earlier version, too.
        _ = try site.post(path + "/undo", cookie)
        #expect(try site.value(of: reference) == "second")
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
        _ = try site.post(guarded.path + "/delete", cookie, [("confirmed", "yes")])
        #expect(site.get("/deleted", cookie).text.contains("Nothing was deleted"))
        _ = try site.post(guarded.path + "/undo", cookie)
        #expect(site.get("/items", cookie).text.contains("The item as it was before is not kept."))
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

    func value(of reference: PersistentReference) throws -> String? {
        var request = FindRequest(query: ItemCatalogue.query(reference))
        request.returns = .data
        guard let secret = try connection.find(request).first?.secrets[.valueData] else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

import AccessPages
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// What of an item is chosen, and not typed: its access group, its protection, and whether it is synchronized.
struct MoveTests {
    private let site: PagesSite
    private let cookie: String
    private let reference: PersistentReference

    init() throws {
        site = try PagesSite()
        cookie = try site.open()
        reference = try site.add("Mail", password: "first")
        var other = AddRequest(itemClass: .genericPassword)
        other.accessGroup = "TEAM.other"
        other.secrets[.valueData] = SecretBytes([1])
        _ = try site.connection.add(other)
    }

    private func choose(_ fields: [(String, String)]) throws -> PageResponse {
        try site.post("\(reference.path)/edit", cookie, [("choices", "yes")] + fields)
    }

    private func attribute(_ key: AttributeKey) throws -> AttributeValue? { try site.item(reference)?.attributes[key] }

    @Test func `an item is moved to a group, a protection and other devices, and back by Undo`() throws {
        let form = site.get("\(reference.path)/edit", cookie).text
        #expect(form.contains("TEAM.other") && form.contains("Synchronize with my other devices"))
        #expect(form.contains("<option value=\"security\" selected>"))
        _ = try choose([("group", "TEAM.other"), ("protection", "ck"), ("synchronized", "yes")])
        #expect(try attribute(.accessGroup) == .string("TEAM.other"))
        #expect(try attribute(.accessible) == .string("ck"))
        #expect(try attribute(.synchronizable) == .integer(1))
        let undo = try #require(
            site.get(reference.path, cookie).text.firstMatch(of: #/undo">.*?name="value" value="([^"]*)"/#)?.1
        )
        _ = try site.post("\(reference.path)/undo", cookie, [("value", String(undo))])
        #expect(try attribute(.accessGroup) == .string("security") && attribute(.accessible) == .string("ak"))
        #expect(try site.value(of: reference) == "first")
    }

    @Test func `a form without choices changes none, and one that was sent back keeps them`() throws {
        _ = try choose([("synchronized", "yes"), ("group", "security"), ("protection", "ak")])
        _ = try site.post("\(reference.path)/edit", cookie, [("comment", "x")])
        #expect(try attribute(.synchronizable) == .integer(1))
        let back = try choose([
            ("group", "TEAM.other"), ("protection", "ck"), ("name", String(repeating: "x", count: 70_000)),
        ])
        #expect(back.status == 422 && back.text.contains("<option value=\"TEAM.other\" selected>"))
        #expect(try attribute(.accessGroup) == .string("security"))
    }

    @Test(arguments: [("group", "made-up"), ("group", ""), ("group", "*"), ("protection", "zz"), ("protection", "")])
    func `what was not offered is refused`(field: (String, String)) throws {
        let refused = try choose([field])
        #expect(refused.status == 422 && refused.text.contains("Choose one of the"))
        #expect(try attribute(.accessGroup) == .string("security") && attribute(.accessible) == .string("ak"))
    }

    @Test func `an item in the way stays, and the form says so`() throws {
        var other = AddRequest(itemClass: .genericPassword)
        other.accessGroup = "TEAM.other"
        other.attributes[.account] = .string("Mail")
        other.secrets[.valueData] = SecretBytes([2])
        _ = try site.connection.add(other)
        let refused = try choose([("group", "TEAM.other"), ("protection", "ak")])
        #expect(refused.status == 422 && refused.text.contains("There is such an item already"))
        #expect(try attribute(.accessGroup) == .string("security"))
    }

    @Test func `an access control is not lost by a choice`() throws {
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes[.label] = .string("Guarded")
        add.accessControl = try AccessControl(protection: "ak", flags: .userPresence)
        add.secrets[.valueData] = SecretBytes([1])
        add.returns = .persistentReference
        let guarded = try #require(try site.connection.add(add)).reference
        #expect(!site.get("\(guarded.path)/edit", cookie).text.contains("Synchronize"))
        _ = try site.post(
            "\(guarded.path)/edit",
            cookie,
            [("choices", "yes"), ("protection", "ck"), ("group", "TEAM.other")]
        )
        let item = try #require(try site.item(guarded))
        #expect(item.accessControl.flags == .userPresence && item.attributes[.accessGroup] == .string("security"))
    }
}

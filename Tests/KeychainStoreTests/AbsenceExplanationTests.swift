import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("Why a query found nothing")
struct AbsenceExplanationTests {
    private let keychain: TestKeychain
    private let connection: EmbeddedKeychain

    init() throws {
        keychain = try TestKeychain()
        connection = keychain.connection()
    }

    private func add(
        _ itemClass: ItemClass = .genericPassword,
        to connection: EmbeddedKeychain? = nil,
        _ change: (inout AddRequest) -> Void = { _ in }
    ) throws {
        var request = AddRequest(itemClass: itemClass)
        request.attributes["acct"] = .string("alice")
        change(&request)
        _ = try (connection ?? self.connection).add(request)
    }

    /// What the log says of a search for alice that finds nothing, without the first line, which repeats the question.
    private func reasons(
        _ itemClass: ItemClass = .genericPassword,
        _ change: (inout ItemQuery) -> Void = { _ in }
    ) throws -> [String] {
        var query = ItemQuery(itemClass: itemClass)
        query.filters["acct"] = .string("alice")
        change(&query)
        #expect(try connection.find(FindRequest(query: query)).isEmpty)
        return Array(keychain.explanations.messages.dropFirst())
    }

    @Test func `the question is repeated: class, groups and synchronizable`() throws {
        _ = try reasons()
        #expect(
            keychain.explanations.messages.first
                == "looked for items of the class 'genp', not synchronizable, in test.default, test.other"
        )
    }

    @Test func `an empty keychain is called empty`() throws {
        #expect(try reasons() == ["there are no items of this class in the program's groups"])
    }

    @Test func `a synchronizable item is pointed out`() throws {
        try add { $0.isSynchronizable = true }
        #expect(
            try reasons() == [
                "a match is synchronizable: it is found with kSecAttrSynchronizable or …SynchronizableAny"
            ]
        )
    }

    @Test func `an item that is not synchronizable is pointed out`() throws {
        try add()
        #expect(
            try reasons { $0.synchronizable = .only(true) }
                == ["a match is not synchronizable, and kSecAttrSynchronizable asks for those that are"]
        )
    }

    @Test func `another group of the program is named`() throws {
        try add { $0.accessGroup = "test.other" }
        #expect(
            try reasons { $0.accessGroup = "test.default" }
                == ["a match is in another of the program's groups: test.other"]
        )
    }

    @Test func `the attribute that excludes an item is named, and not its value`() throws {
        try add { $0.attributes["svce"] = .string("a private service") }
        let reasons = try reasons { $0.filters["svce"] = .string("mail") }
        #expect(reasons == ["a match has another kSecAttrService"])
    }

    @Test func `an item of the other kind of password is pointed out`() throws {
        try add(.internetPassword)
        #expect(try reasons() == ["a match is of the class 'inet'"])
    }

    @Test func `another accessibility is pointed out`() throws {
        try add()
        #expect(try reasons { $0.accessibility = .always } == ["a match has another kSecAttrAccessible"])
    }

    @Test func `a deleted item whose tombstone is left is pointed out`() throws {
        try add { $0.isSynchronizable = true }
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .any
        _ = try connection.delete(DeleteRequest(query: query))
        #expect(
            try reasons { $0.synchronizable = .any } == ["a match was deleted, and its tombstone is left"]
        )
    }

    @Test func `half an identity is pointed out`() throws {
        var request = AddRequest(itemClass: .certificate)
        request.attributes["pkhh"] = .data([1])
        _ = try connection.add(request)
        #expect(try connection.find(FindRequest(query: ItemQuery(itemClass: .identity))).isEmpty)
        #expect(
            keychain.explanations.messages.dropFirst()
                == ["the certificate is there, and no private key in the program's groups belongs to it"]
        )
    }

    @Test func `updates and deletions that match nothing are explained too`() throws {
        try add { $0.isSynchronizable = true }
        let query = ItemQuery(itemClass: .genericPassword)
        #expect(try connection.delete(DeleteRequest(query: query)) == 0)
        #expect(try connection.update(UpdateRequest(query: query)) == 0)
        #expect(keychain.explanations.messages.count { $0.hasPrefix("a match is synchronizable") } == 2)
    }

    @Test func `items of another program's groups are not spoken of, nor their groups`() throws {
        let other = keychain.connection(groups: ["foreign"])
        try add(to: other)
        try add(.internetPassword, to: other)
        try add(to: other) { $0.isSynchronizable = true }
        let withGroup = try reasons()
        #expect(withGroup == ["there are no items of this class in the program's groups"])
        #expect(!keychain.explanations.messages.contains { $0.contains("foreign") })
    }

    @Test func `nothing is explained where something is found`() throws {
        try add()
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string("alice")
        #expect(try connection.find(FindRequest(query: query)).count == 1)
        #expect(keychain.explanations.messages.isEmpty)
    }
}

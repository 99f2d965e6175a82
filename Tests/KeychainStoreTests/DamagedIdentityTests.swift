import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("Identities of which a half is damaged")
struct DamagedIdentityTests {
    private let keychain: TestKeychain
    private let connection: EmbeddedKeychain

    /// Two identities: the rows of the damaged one are the first.
    init() throws {
        keychain = try TestKeychain()
        connection = keychain.connection()
        for number in 1...2 as ClosedRange<UInt8> {
            var certificate = AddRequest(itemClass: .certificate)
            certificate.attributes["slnr"] = .data([number])
            certificate.attributes["pkhh"] = .data([number])
            certificate.secrets[.valueData] = SecretBytes([number])
            _ = try connection.add(certificate)
            var key = AddRequest(itemClass: .key)
            key.attributes["klbl"] = .data([number])
            key.attributes["priv"] = .integer(1)
            key.attributes["type"] = .integer(42)
            key.secrets[.valueData] = SecretBytes([number])
            _ = try connection.add(key)
        }
    }

    private func damage(_ table: String, _ column: String) throws {
        try keychain.sql { database in
            var bytes = try Data.fetchOne(database, sql: "SELECT \(column) FROM \(table) WHERE id = 1") ?? Data([1])
            bytes[bytes.count - 1] ^= 1
            try database.execute(sql: "UPDATE \(table) SET \(column) = ? WHERE id = 1", arguments: [bytes])
        }
    }

    /// The labels of the keys of all identities, found by nothing, by the certificate or by the key.
    private func identities(by filter: AttributeKey?) throws -> [AttributeValue?] {
        var query = ItemQuery(itemClass: .identity)
        if filter == "type" { query.filters["type"] = .integer(42) }
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = [.attributes, .data]
        return try connection.find(request).map { $0.attributes["klbl"] }
    }

    private func firstReference() throws -> PersistentReference {
        try #require(try connection.find(FindRequest(query: ItemQuery(itemClass: .identity))).first).reference
    }

    @Test(arguments: ["cert", "keys"], ["metadata", "secret", "key", "version"])
    func `a damaged half is skipped and reported, and the other identities are found`(
        table: String,
        column: String
    ) throws {
        #expect(try identities(by: nil) == [.data([1]), .data([2])])
        try damage(table, column)
        for filter in [nil, "type"] as [AttributeKey?] {
            #expect(try identities(by: filter) == [.data([2])])
        }
        #expect(keychain.log.messages.contains { $0.contains("of class \(table) is damaged") })
    }

    @Test(arguments: ["cert", "keys"])
    func `a hash that was put into another row makes no identity`(table: String) throws {
        // The tag goes too, so that the keys' primary keys stay apart.
        let change =
            table == "cert"
            ? "b_pkhh = (SELECT b_pkhh FROM cert WHERE id = 2)"
            : "b_klbl = (SELECT b_klbl FROM keys WHERE id = 2), b_atag = zeroblob(16)"
        try keychain.sql("UPDATE \(table) SET \(change) WHERE id = 1")
        for filter in [nil, "type"] as [AttributeKey?] {
            #expect(try identities(by: filter) == [.data([2])])
        }
    }

    @Test func `a reference to an identity whose certificate is damaged says so`() throws {
        let reference = try firstReference()
        try damage("cert", "metadata")
        #expect(failure { () throws(KeychainError) in try connection.find(reference) } == .undecodable)
    }

    @Test func `a reference to an identity whose key is damaged finds nothing, and deletes nothing`() throws {
        let reference = try firstReference()
        try damage("keys", "metadata")
        #expect(try connection.find(reference) == nil)
        var query = ItemQuery(itemClass: .identity)
        query.reference = reference
        query.synchronizable = .any
        #expect(try connection.delete(DeleteRequest(query: query)) == 0)
        #expect(try keychain.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM cert") } == 2)
        #expect(try keychain.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM keys") } == 2)
    }
}

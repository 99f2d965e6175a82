import CoreFoundationAliases
import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Security
import Testing

/// Somebody who can write the file edits rows. No edited row opens, none is deleted, and the others stay readable.
@Suite("Edited, swapped and mixed rows")
struct RowAttackTests {
    private let keychain: TestKeychain
    private let connection: EmbeddedKeychain
    private let references: [String: PersistentReference]

    init() throws {
        keychain = try TestKeychain()
        connection = keychain.connection()
        var references: [String: PersistentReference] = [:]
        for account in ["alice", "bob", "carol"] {
            references[account] = try connection.add(account, value: "value of " + account) { request in
                request.attributes["labl"] = .string("label of " + account)
                request.attributes["gena"] = .data(Array(account.utf8))
                request.attributes["icmt"] = .string("comment on " + account)
            }
        }
        self.references = references
    }

    /// All columns of a row but those that say nothing about the item: its number, and whether it was set aside.
    private static let columns = [
        "uuid", "version", "agrp", "pdmn", "sync", "tomb", "accc", "metadata", "key", "secret",
        "b_cdat", "b_mdat", "b_labl", "b_alis", "b_vwht", "b_tkid", "b_ggrp", "b_musr", "b_sysb", "b_pcss", "b_pcsk",
        "b_pcsi", "b_svce", "b_acct", "b_gena", "b_desc", "b_icmt", "b_crtr", "b_type", "b_scrp", "b_invi", "b_nega",
        "b_cusi", "b_prot",
    ]

    @Test func `the attacks know every column`() throws {
        let columns = try keychain.sql { try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info('genp')") }
        #expect(Set(columns) == Set(Self.columns + ["id", "aside"]))
    }

    /// The number of alice's row: items were added in turn.
    private let alice = 1, bob = 2

    private func rows() throws -> [[DatabaseValue]] {
        try keychain.sql { database in
            try Row.fetchAll(database, sql: "SELECT * FROM genp ORDER BY id").map { Array($0.databaseValues) }
        }
    }

    private func value(_ column: String, of row: Int) throws -> DatabaseValue {
        try keychain.sql { database in
            try DatabaseValue.fetchOne(database, sql: "SELECT \(column) FROM genp WHERE id = ?", arguments: [row])
                ?? .null
        }
    }

    private func set(_ column: String, of row: Int, to value: DatabaseValue) throws {
        try keychain.sql { database in
            try database.execute(sql: "UPDATE genp SET \(column) = ? WHERE id = ?", arguments: [value, row])
        }
    }

    /// Expects that alice's value comes out nowhere, by any query, and that all else is as it was.
    private func expectDamage(
        to accounts: Set<String> = ["alice"],
        attributesOpen: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try rows()
        let readable = ["alice", "bob", "carol"].filter { !accounts.contains($0) }
        let values = readable.map { "\($0)=value of \($0)" }
        // Two programs: the one that was running, and a new one.
        for connection in [connection, keychain.connection()] {
            #expect(try connection.all() == values, sourceLocation: sourceLocation)
            #expect(try connection.all(service: "service") == values, sourceLocation: sourceLocation)
            let accountsSeen = try connection.accounts()
            if attributesOpen {
                let all = accounts.union(["alice", "bob", "carol"]).sorted()
                #expect(accountsSeen.sorted() == all, sourceLocation: sourceLocation)
            } else {
                #expect(accountsSeen == readable, sourceLocation: sourceLocation)
            }
            for account in accounts {
                #expect(try connection.value(of: account) == nil, sourceLocation: sourceLocation)
                guard let reference = references[account] else { continue }
                var found: FoundItem?
                let code = failure { () throws(KeychainError) in found = try connection.find(reference) }
                #expect(code == .undecodable || (code == nil && found == nil), sourceLocation: sourceLocation)
            }
            for account in readable {
                guard let reference = references[account] else { continue }
                #expect(try connection.find(reference)?.value == "value of " + account, sourceLocation: sourceLocation)
            }
        }
        // Nor do a change and a deletion of everything touch it.
        var everything = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        everything.query.synchronizable = .any
        everything.changes.attributes["desc"] = .string("changed")
        #expect(try connection.update(everything) == readable.count, sourceLocation: sourceLocation)
        if !attributesOpen {
            #expect(try connection.delete() == readable.count, sourceLocation: sourceLocation)
            let kept = try rows()
            #expect(kept == before.filter(kept.contains), "a damaged row was changed", sourceLocation: sourceLocation)
            #expect(kept.count == accounts.count, sourceLocation: sourceLocation)
        }
    }

    // MARK: - Edits

    @Test(arguments: columns)
    func `a row with one column edited does not open`(column: String) throws {
        let old = try value(column, of: alice)
        let new: DatabaseValue
        switch old.storage {
        case .blob(let data) where data.isEmpty: new = Data([0x11]).databaseValue
        case .blob(var data):
            data[data.count / 2] ^= 1
            new = data.databaseValue
        case .int64(let number): new = (column == "pdmn" ? 2 : 1 - number).databaseValue
        default: new = Data(repeating: 7, count: 16).databaseValue
        }
        try set(column, of: alice, to: new)
        #expect(try value(column, of: alice) != old)
        try expectDamage(attributesOpen: ["key", "secret"].contains(column))
    }

    @Test(arguments: ["uuid", "version", "agrp", "metadata", "key", "secret", "b_svce", "b_acct", "b_labl", "b_gena"])
    func `a row with one column cut short, emptied or made longer does not open`(column: String) throws {
        guard case .blob(let old) = try value(column, of: alice).storage else {
            Issue.record("not a blob")
            return
        }
        for new in [old.dropLast(), Data(), old + [0]] {
            try set(column, of: alice, to: Data(new).databaseValue)
            #expect(try connection.value(of: "alice") == nil)
            #expect(try connection.all() == ["bob=value of bob", "carol=value of carol"])
        }
    }

    @Test(arguments: ["pdmn", "sync", "tomb"], [2, -1, 256, 257, 4_294_967_297] as [Int64])
    func `a row with a number that no keychain writes does not open`(column: String, number: Int64) throws {
        try set(column, of: alice, to: number.databaseValue)
        try expectDamage()
    }

    @Test func `a synchronizable row whose flag is another truth than 1 does not open`() throws {
        try connection.add("dave") { $0.isSynchronizable = true }
        try keychain.sql("UPDATE genp SET sync = 2 WHERE sync = 1")
        #expect(try !connection.accounts().contains("dave"))
    }

    @Test(arguments: ["uuid", "version", "agrp", "pdmn", "sync", "tomb"])
    func `a row with an empty or missing column does not open`(column: String) throws {
        for value in ["NULL", "''", "x''"] {
            // A file can say what a table's own rules forbid.
            try keychain.sql { database in
                try database.execute(sql: "UPDATE OR IGNORE genp SET \(column) = \(value) WHERE id = 1")
            }
            #expect(try connection.accounts().filter { $0 != "alice" } == ["bob", "carol"])
        }
    }

    @Test(
        arguments: ["accc"],
        [
            [1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], [0], [2],
        ] as [[UInt8]]
    )
    func `a row that was given another access control does not open`(column: String, control: [UInt8]) throws {
        try set(column, of: alice, to: Data(control).databaseValue)
        try expectDamage()
    }

    @Test func `a row that was moved into another of the caller's groups does not open`() throws {
        try set("agrp", of: alice, to: Data("test.other".utf8).databaseValue)
        try expectDamage()
        let reference = try #require(references["alice"])
        #expect(failure { () throws(KeychainError) in try connection.find(reference) } == .undecodable)
    }

    /// The bytes of two neighbouring columns in one of them are the same bytes in a row.
    @Test func `a row whose blind columns were run together does not open`() throws {
        let rows: [(String, String)] = [("b_svce", "b_acct"), ("b_acct", "b_gena"), ("b_labl", "b_svce")]
        for (first, second) in rows {
            let old = (try value(first, of: alice), try value(second, of: alice))
            guard case .blob(let left) = old.0.storage, case .blob(let right) = old.1.storage else {
                Issue.record("not a blob")
                continue
            }
            let key = Data(second.dropFirst(2).utf8)
            try set(first, of: alice, to: (left + key + right).databaseValue)
            try set(second, of: alice, to: Data().databaseValue)
            #expect(try connection.accounts() == ["bob", "carol"], "\(first) and \(second)")
            try set(first, of: alice, to: old.0)
            try set(second, of: alice, to: old.1)
            #expect(try connection.accounts() == ["alice", "bob", "carol"])
        }
    }

    @Test func `a damaged row asked for by its persistent reference is errSecDecode`() throws {
        try set("b_svce", of: alice, to: Data(repeating: 1, count: 16).databaseValue)
        let reference = try #require(references["alice"])
        CurrentKeychain.$override.withValue(connection) {
            let query: [CFString: Any] = [kSecValuePersistentRef: Data(reference.bytes), kSecReturnAttributes: true]
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecDecode)
            #expect(errSecDecode == -26275)
            #expect(result == nil)
            let byAttribute: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice"]
            #expect(SecItemCopyMatching(byAttribute as CFDictionary, nil) == errSecItemNotFound)
        }
        #expect(
            keychain.log.messages.contains { $0.contains("damaged") && $0.contains(reference.uuid?.description ?? "?") }
        )
    }

    // MARK: - Swaps

    /// An item that has other attributes than alice's, and as many as there are.
    ///
    /// - Returns: the number of its row.
    private func addDave() throws -> Int {
        _ = try connection.add("dave", service: "another service", value: "value of dave") { request in
            request.accessGroup = "test.other"
            request.accessibility = .afterFirstUnlock
            request.isSynchronizable = true
            for key: AttributeKey in ["labl", "alis", "gena", "desc", "icmt", "prot", "pcsk", "pcsi"] {
                request.attributes[key] = .data(Array("\(key)".utf8))
            }
            request.attributes["vwht"] = .string("view")
            for key: AttributeKey in ["sysb", "pcss", "crtr", "type", "scrp", "invi", "nega", "cusi"] {
                request.attributes[key] = .integer(7)
            }
        }
        return 4
    }

    /// What both rows have alike, so that exchanging it is no attack. Each of these columns is edited above.
    private static let shared: Set = ["tomb", "accc", "b_tkid", "b_ggrp"]

    @Test func `the rows that exchange their columns differ in all but few`() throws {
        let dave = try addDave()
        let alike = try Self.columns.filter { try value($0, of: alice) == value($0, of: dave) }
        #expect(Set(alike) == Self.shared)
    }

    @Test(arguments: columns.filter { !shared.contains($0) })
    func `two rows that exchanged a column do not open`(column: String) throws {
        let dave = try addDave()
        let (first, second) = (try value(column, of: alice), try value(column, of: dave))
        // No two rows have one name, at no time.
        try set(column, of: alice, to: Data(repeating: 9, count: 16).databaseValue)
        try set(column, of: dave, to: first)
        try set(column, of: alice, to: second)
        try expectDamage(to: ["alice", "dave"], attributesOpen: ["key", "secret"].contains(column))
    }

    @Test func `a row under the name of another opens under neither`() throws {
        // The attack on a program that asks for bob's password: it would get alice's.
        let columns = Self.columns.filter { $0.hasPrefix("b_") } + ["uuid"]
        let (first, second) = (try columns.map { try value($0, of: alice) }, try columns.map { try value($0, of: bob) })
        try keychain.sql("UPDATE genp SET uuid = randomblob(16), b_acct = randomblob(16) WHERE id = \(bob)")
        for (column, value) in zip(columns, second) { try set(column, of: alice, to: value) }
        for (column, value) in zip(columns, first) { try set(column, of: bob, to: value) }
        #expect(try connection.value(of: "alice") == nil)
        #expect(try connection.value(of: "bob") == nil)
        #expect(try connection.all() == ["carol=value of carol"])
    }

    // MARK: - Two states of one row

    @Test(arguments: [
        ["metadata"], ["key"], ["secret"], ["version"], ["key", "secret"], ["metadata", "version"],
        ["key", "secret", "version"], ["metadata", "key", "secret"], ["secret", "version"], ["b_mdat"],
        ["metadata", "b_mdat"], ["metadata", "b_mdat", "version"],
    ])
    func `parts of a row from before a change do not open in the row after it`(parts: [String]) throws {
        let old = try parts.map { try value($0, of: alice) }
        #expect(try connection.update("alice", value: "newer value") == 1)
        for (column, value) in zip(parts, old) { try set(column, of: alice, to: value) }
        #expect(try connection.value(of: "alice") == nil)
        #expect(try connection.all() == ["bob=value of bob", "carol=value of carol"])
        let reference = try #require(references["alice"])
        #expect(failure { () throws(KeychainError) in try connection.find(reference) } == .undecodable)
    }

    // MARK: - Living with damage

    @Test(arguments: ["b_mdat", "metadata", "version", "pdmn"])
    func `an item can be added again over its damaged row, which is set aside`(column: String) throws {
        let changed: DatabaseValue = column == "pdmn" ? 2.databaseValue : Data(repeating: 3, count: 16).databaseValue
        try set(column, of: alice, to: changed)
        let before = try rows()
        try connection.add("alice", value: "added again")
        #expect(try connection.value(of: "alice") == "added again")
        #expect(try connection.all().count == 3)
        let after = try rows()
        #expect(after.count == before.count + 1)
        // All of the damaged row is still there, but for the mark.
        #expect(try keychain.sql { try Int.fetchOne($0, sql: "SELECT aside FROM genp WHERE id = 1") } == 1)
        #expect(zip(before[0], after[0]).count { $0 != $1 } == 1)
        // And the next one that is damaged finds its place, too.
        try keychain.sql("UPDATE genp SET metadata = x'00' WHERE aside = 0")
        try connection.add("alice", value: "third")
        #expect(try connection.value(of: "alice") == "third")
        #expect(try rows().count == before.count + 2)
    }

    @Test func `an item can be renamed onto a damaged row's primary key`() throws {
        try set("metadata", of: alice, to: Data([1]).databaseValue)
        #expect(try connection.update("bob") { $0.attributes["acct"] = .string("alice") } == 1)
        #expect(try connection.value(of: "alice") == "value of bob")
        #expect(try rows().count == 3)
    }

    @Test(arguments: ["key", "secret"])
    func `an item whose secret alone is damaged has its attributes and no value`(column: String) throws {
        try set(column, of: alice, to: Data(repeating: 3, count: 60).databaseValue)
        #expect(try connection.accounts() == ["alice", "bob", "carol"])
        #expect(try connection.value(of: "alice") == nil)
        let reference = try #require(references["alice"])
        #expect(try connection.find(reference, returns: .attributes)?.account == "alice")
        #expect(failure { () throws(KeychainError) in try connection.find(reference) } == .undecodable)
        // Its owner can still delete it, and add it anew.
        #expect(try connection.delete("alice") == 1)
        try connection.add("alice", value: "new")
        #expect(try connection.value(of: "alice") == "new")
    }

    @Test(arguments: ["key", "secret"])
    func `an item can be added or renamed over one whose secret alone is damaged, which is set aside`(
        column: String
    ) throws {
        try set(column, of: alice, to: Data(repeating: 3, count: 60).databaseValue)
        let before = try rows()
        // Changing it says that it is not there, and so does looking for its value: then it can be added.
        #expect(try connection.update("alice", value: "changed") == 0)
        try connection.add("alice", value: "added again")
        #expect(try connection.value(of: "alice") == "added again")
        #expect(try connection.accounts() == ["alice", "bob", "carol"])
        try set(column, of: bob, to: Data(repeating: 4, count: 60).databaseValue)
        #expect(try connection.update("carol") { $0.attributes["acct"] = .string("bob") } == 1)
        #expect(try connection.all() == ["alice=added again", "bob=value of carol"])
        let after = try rows()
        #expect(after.count == before.count + 1)
        #expect(zip(before[0], after[0]).count { $0 != $1 } == 1, "all but the mark is as it was")
        #expect(
            try keychain.sql { try Int.fetchAll($0, sql: "SELECT id FROM genp WHERE aside = id ORDER BY id") } == [
                1, 2,
            ]
        )
        #expect(failure { () throws(KeychainError) in try connection.add("alice") } == .duplicateItem)
    }

    @Test(arguments: ["metadata", "key", "secret", "version", "b_slnr", "accc", "uuid"])
    func `a certificate's row with a column edited does not open either`(column: String) throws {
        var request = AddRequest(itemClass: .certificate)
        request.attributes["slnr"] = .data([1, 2, 3])
        request.secrets[.valueData] = SecretBytes(Array("certificate".utf8))
        _ = try connection.add(request)
        var search = FindRequest(query: ItemQuery(itemClass: .certificate))
        search.returns = .data
        #expect(try connection.find(search).first?.value == "certificate")
        try keychain.sql { database in
            let old = try Data.fetchOne(database, sql: "SELECT \(column) FROM cert") ?? Data()
            var new = old.isEmpty ? Data([1]) : old
            if !old.isEmpty { new[new.count - 1] ^= 1 }
            try database.execute(sql: "UPDATE cert SET \(column) = ?", arguments: [new])
        }
        #expect(try connection.find(search).isEmpty)
    }
}

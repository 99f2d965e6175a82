import KeychainClient
import KeychainModel
import Testing

/// Several operations at once, in a keychain that the program opens itself.
@Suite struct EmbeddedTransactionTests {
    private let keychain = EmbeddedKeychain(.memory, caller: Caller(name: "program", groups: AccessGroups(["program"])))

    private func add(_ account: String) -> KeychainOperation {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        return .add(request)
    }

    private func query(_ account: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string(account)
        return query
    }

    private func find(_ account: String) -> KeychainOperation {
        var request = FindRequest(query: query(account))
        request.returns = .attributes
        return .find(request)
    }

    @Test func `operations see what those before them have done`() throws {
        let results = try keychain.transact([
            add("a"), find("a"), .delete(DeleteRequest(query: query("a"))), find("a"), add("b"),
        ])
        let counts = results.map { result in
            switch result.answer {
            case .items(let items): "\(items.count)"
            default: "done"
            }
        }
        #expect(counts == ["0", "1", "done", "0", "0"])
        guard case .items(let found) = try keychain.perform(find("b")).answer else { throw OperationResult.unexpected }
        #expect(found.count == 1)
    }

    @Test func `a transaction does all or nothing`() throws {
        _ = try keychain.transact([add("a"), add("b")])
        let failing = [KeychainOperation.delete(DeleteRequest(query: query("a"))), add("c"), add("b")]
        #expect(throws: KeychainError(.duplicateItem, "")) { try keychain.transact(failing) }
        let counts = try ["a", "b", "c"].map { account in
            guard case .items(let found) = try keychain.perform(find(account)).answer else { return -1 }
            return found.count
        }
        #expect(counts == [1, 1, 0])
    }

    @Test func `where each operation stands by itself, one that fails keeps no other from being done`() throws {
        _ = try keychain.transact([add("a")])
        let outcomes = try keychain.performTogether(
            [add("a"), add("b"), find("b")],
            allOrNothing: false,
            onBehalfOf: "another program"
        )
        guard case .failure(let error) = outcomes[0], case .items(let found) = try outcomes[2].get().answer
        else { throw OperationResult.unexpected }
        #expect(error.code == .duplicateItem)
        #expect(found.count == 1)
    }

    @Test func `a keychain within a process tells nobody of changes, and says so`() {
        #expect(!keychain.isHeldByService)
        #expect(throws: KeychainError(.notAvailable, "")) { try keychain.watch { _ in true } }
    }
}

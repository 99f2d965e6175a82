import KeychainClient
import KeychainModel
import Testing

/// Several operations at once, in a keychain that the program opens itself.
@Suite struct EmbeddedBatchTests {
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

    @Test func `operations see what those before them have done, and one that fails keeps no other from it`() throws {
        let outcomes = try keychain.batch([
            add("a"), find("a"), add("a"), .delete(DeleteRequest(query: query("a"))), find("a"), add("b"),
        ])
        let results = outcomes.map { outcome in
            switch outcome {
            case .success(let result): if case .items(let items) = result.answer { "\(items.count)" } else { "done" }
            case .failure(let error): "\(error.code)"
            }
        }
        #expect(results == ["0", "1", "duplicateItem", "done", "0", "0"])
        guard case .items(let found) = try keychain.perform(find("b")).answer else { throw OperationResult.unexpected }
        #expect(found.count == 1)
    }
}

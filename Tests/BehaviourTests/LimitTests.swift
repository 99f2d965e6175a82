import Foundation
import Security
import Testing

@Suite("The limit of a search")
struct LimitTests {
    /// Searches among three items, and hands over the result of the given limit.
    private func search(_ transport: Transport, limit: Any?, _ check: (OSStatus, CFTypeRef?) throws -> Void) throws {
        try withKeychain(transport) {
            for account in ["alice", "bob", "carol"] { add(password(account: account)) }
            var query = genericPasswords([kSecReturnAttributes: true])
            if let limit { query[kSecMatchLimit] = limit }
            let found = find(query)
            try check(found.status, found.result)
        }
    }

    @Test(arguments: Transport.allCases)
    func `without a limit one item is returned`(transport: Transport) throws {
        try search(transport, limit: nil) { status, result in
            #expect(status == errSecSuccess)
            #expect(result is NSDictionary)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit of one is one item and no array, as a word and as a number`(transport: Transport) throws {
        let ones: [Any] = [kSecMatchLimitOne, 1, NSNumber(value: UInt8(1)), NSNumber(value: Int64(1)), 1.0]
        for one in ones {
            try search(transport, limit: one) { status, result in
                #expect(status == errSecSuccess, "\(one)")
                #expect(result is NSDictionary, "\(one)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit of two is an array of two`(transport: Transport) throws {
        try search(transport, limit: 2) { status, result in
            #expect(status == errSecSuccess)
            #expect((result as? [[String: Any]])?.count == 2)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit above the number of items is an array of all`(transport: Transport) throws {
        for limit in [3, 4, 1000, Int.max] {
            try search(transport, limit: limit) { status, result in
                #expect(status == errSecSuccess)
                #expect((result as? [[String: Any]])?.count == 3)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit of two is an array also where one item matches`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let found = find(query([kSecMatchLimit: 2, kSecReturnData: true]))
            #expect(found.result as? [Data] == [secret])
        }
    }

    @Test(arguments: Transport.allCases)
    func `no limit is an array of all, as a word and as minus one`(transport: Transport) throws {
        let alls: [Any] = [kSecMatchLimitAll, "m_LimitAll", -1]
        for all in alls {
            try search(transport, limit: all) { status, result in
                #expect(status == errSecSuccess, "\(all)")
                let accounts = (result as? [[String: Any]])?.compactMap { $0["acct"] as? String }
                #expect(accounts?.sorted() == ["alice", "bob", "carol"], "\(all)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit of zero finds nothing`(transport: Transport) throws {
        try search(transport, limit: 0) { status, result in
            #expect(status == errSecItemNotFound)
            #expect(result == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit of another kind is an error`(transport: Transport) throws {
        let limits: [Any] = ["all", "1", "", true, kCFBooleanFalse!, Data([1]), 1.5, -2, [1], NSNull(), Date()]
        for limit in limits {
            try search(transport, limit: limit) { status, result in
                #expect(status == errSecParam, "\(limit)")
                #expect(result == nil)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the values of all items may be asked for at once`(transport: Transport) throws {
        try withKeychain(transport) {
            for account in ["alice", "bob"] { add(password(account: account)) }
            let found = find(genericPasswords([kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true]))
            #expect(found.status == errSecSuccess)
            #expect(found.result as? [Data] == [secret, secret])
        }
    }

    @Test(arguments: Transport.allCases)
    func `hundreds of items are found at once, each once`(transport: Transport) throws {
        try withKeychain(transport) {
            let names = (0..<300).map { "account \($0)" }
            for name in names { #expect(add(password(account: name)) == errSecSuccess) }
            try #expect(accounts(of: genericPasswords()) == names.sorted())
        }
    }

    // MARK: - In every class

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `the limit means the same in every class`(transport: Transport, itemClass: EveryClass) throws {
        try withKeychain(transport) {
            for number in 1...3 as ClosedRange<UInt8> { itemClass.addItem(number) }
            func search(_ limit: Any?) -> (status: OSStatus, result: CFTypeRef?) {
                var query = itemClass.query([kSecReturnPersistentRef: true])
                if let limit { query[kSecMatchLimit] = limit }
                return find(query)
            }
            for limit in [nil, kSecMatchLimitOne, 1, 1.0] as [Any?] {
                #expect(search(limit).result is Data, "\(limit ?? "none")")
            }
            let counts: [(Any, Int)] = [(2, 2), (3, 3), (4, 3), (Int.max, 3), (-1, 3), (kSecMatchLimitAll, 3)]
            for (limit, count) in counts {
                let found = try #require(search(limit).result as? [Data], "\(limit)")
                #expect(Set(found).count == count && found.count == count, "\(limit)")
            }
            #expect(search(0).status == errSecItemNotFound)
            for limit in ["all", "1", true, 1.5, -2, Data(), NSNull()] as [Any] {
                #expect(search(limit).status == errSecParam, "\(limit)")
                #expect(search(limit).result == nil, "\(limit)")
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a limit of two is an array of one where one item matches, in every class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem()
            let found = find(itemClass.query([kSecMatchLimit: 2, kSecReturnData: true]))
            #expect(found.result as? [Data] == [itemClass.data])
        }
    }

    @Test(arguments: Transport.allCases)
    func `several items come in the order in which they were added, whatever their names and groups`(
        transport: Transport
    ) throws {
        try withKeychain(transport, groups: ["one", "two"]) {
            let names = ["c", "a", "d", "b", "f", "e"]
            for (number, name) in names.enumerated() {
                #expect(add(password(account: name, [kSecAttrAccessGroup: number % 2 == 0 ? "two" : "one"])) == 0)
            }
            try #expect(allAttributes(of: genericPasswords()).map { $0["acct"] as? String } == names)
        }
    }
}

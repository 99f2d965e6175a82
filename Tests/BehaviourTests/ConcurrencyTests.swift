import Foundation
import KeychainClient
import KeychainModel
import Security
import Synchronization
import Testing

@Suite("Many threads at once")
struct ConcurrencyTests {
    /// Runs a body on so many threads of their own, which all start together, and waits for them.
    ///
    /// Each uses the connection of the test, unless it is given one of its own.
    private func onThreads(
        _ count: Int,
        connection: (() -> any KeychainService)? = nil,
        _ body: @escaping @Sendable (Int) -> Void
    ) {
        let start = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        for number in 0..<count {
            let service = connection?() ?? CurrentKeychain.override
            done.enter()
            Thread {
                start.wait()
                CurrentKeychain.$override.withValue(service) { body(number) }
                done.leave()
            }.start()
        }
        for _ in 0..<count { start.signal() }
        done.wait()
    }

    /// How often each status was returned.
    private final class Tally: Sendable {
        private let counts = Mutex<[OSStatus: Int]>([:])

        func count(_ status: OSStatus) {
            counts.withLock { $0[status, default: 0] += 1 }
        }

        var result: [OSStatus: Int] { counts.withLock { $0 } }
    }

    @Test(arguments: Transport.allCases)
    func `of many threads that add the same item one succeeds and all others meet a duplicate`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            let tally = Tally()
            onThreads(32) { number in
                tally.count(add(password([kSecAttrLabel: "\(number)"])))
            }
            #expect(tally.result == [errSecSuccess: 1, errSecDuplicateItem: 31])
            try #expect(allAttributes(of: genericPasswords()).count == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `of many connections that add the same item one succeeds and all others meet a duplicate`(
        transport: Transport
    ) throws {
        let keychain = try KeychainFixture(transport)
        let tally = Tally()
        onThreads(16, connection: { keychain.connection() }) { _ in
            tally.count(add(password()))
        }
        #expect(tally.result == [errSecSuccess: 1, errSecDuplicateItem: 15])
    }

    @Test(arguments: Transport.allCases)
    func `threads that add different items lose none`(transport: Transport) throws {
        try withKeychain(transport) {
            let tally = Tally()
            onThreads(16) { thread in
                for number in 0..<5 { tally.count(add(password(account: "\(thread).\(number)"))) }
            }
            #expect(tally.result == [errSecSuccess: 80])
            try #expect(Set(accounts(of: genericPasswords())).count == 80)
        }
    }

    @Test(arguments: Transport.allCases)
    func `threads that mix the four calls on items of their own see what they did`(transport: Transport) throws {
        try withKeychain(transport) {
            let tally = Tally()
            let mistakes = Mutex<[String]>([])
            onThreads(12) { thread in
                let account = "thread \(thread)"
                for round in 0..<4 {
                    let bytes = Data("\(thread).\(round)".utf8)
                    tally.count(add(password(account: account)))
                    tally.count(update(query(account: account), [kSecValueData: bytes]))
                    let found = find(query(account: account, [kSecReturnData: true]))
                    tally.count(found.status)
                    if found.result as? Data != bytes { mistakes.withLock { $0.append(account) } }
                    tally.count(delete(query(account: account)))
                }
                tally.count(add(password(account: account)))
            }
            #expect(tally.result == [errSecSuccess: 12 * 17])
            #expect(mistakes.withLock { $0 } == [])
            try #expect(accounts(of: genericPasswords()).count == 12)
        }
    }

    @Test(arguments: Transport.allCases)
    func `threads that fight over one item never see half of it, nor an error that does not fit`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            let tally = Tally()
            let torn = Mutex(0)
            onThreads(12) { thread in
                let label = "\(thread)"
                for round in 0..<6 {
                    switch (thread + round) % 4 {
                    case 0:
                        let item = password([kSecAttrLabel: label, kSecValueData: Data(label.utf8)])
                        tally.count(add(item))
                    case 1: tally.count(update(query(), [kSecAttrLabel: label, kSecValueData: Data(label.utf8)]))
                    case 2: tally.count(delete(query()))
                    default:
                        let found = find(query([kSecReturnAttributes: true, kSecReturnData: true]))
                        tally.count(found.status)
                        guard found.status == errSecSuccess else { continue }
                        let item = found.result as? [String: Any]
                        let value = (item?["v_Data"] as? Data).map { String(decoding: $0, as: UTF8.self) }
                        if value == nil || value != item?["labl"] as? String { torn.withLock { $0 += 1 } }
                    }
                }
            }
            let expected: Set<OSStatus> = [errSecSuccess, errSecDuplicateItem, errSecItemNotFound]
            #expect(Set(tally.result.keys).isSubset(of: expected))
            #expect(tally.result.values.reduce(0, +) == 72)
            #expect(torn.withLock { $0 } == 0)
        }
    }

    @Test(arguments: Transport.allCases)
    func `of many threads that delete the same item one succeeds`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let tally = Tally()
            onThreads(16) { _ in tally.count(delete(query())) }
            #expect(tally.result == [errSecSuccess: 1, errSecItemNotFound: 15])
        }
    }

    @Test(arguments: Transport.allCases)
    func `of many threads that rename items to one name one succeeds`(transport: Transport) throws {
        try withKeychain(transport) {
            for number in 0..<8 { add(password(account: "\(number)")) }
            let tally = Tally()
            onThreads(8) { number in tally.count(update(query(account: "\(number)"), [kSecAttrAccount: "one"])) }
            #expect(tally.result == [errSecSuccess: 1, errSecDuplicateItem: 7])
            try #expect(accounts(of: genericPasswords()).count == 8)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the modification date of an item that many threads change is that of each in turn`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password())
            let before = try #require(try attributes(of: query())["mdat"] as? Date)
            let tally = Tally()
            onThreads(16) { number in tally.count(update(query(), [kSecAttrCreator: number])) }
            #expect(tally.result == [errSecSuccess: 16])
            let after = try #require(try attributes(of: query())["mdat"] as? Date)
            // Each update moves it by a millisecond at least.
            #expect(after.timeIntervalSince(before) > 0.0159)
        }
    }
}

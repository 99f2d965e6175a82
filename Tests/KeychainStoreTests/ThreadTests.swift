import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@Suite("Many threads on one keychain")
struct ThreadTests {
    private func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                body(index)
                group.leave()
            }
        }
        group.wait()
    }

    @Test func `of many threads that add the same item, one succeeds`() throws {
        let keychain = try TestKeychain()
        let connection = keychain.connection()
        let outcomes = Mutex<[String]>([])
        concurrently(16) { _ in
            for key in 0..<12 {
                switch failure({ () throws(KeychainError) in try connection.add("key-\(key)") }) {
                case nil: outcomes.withLock { $0.append("key-\(key)") }
                case .duplicateItem: break
                case let code: outcomes.withLock { $0.append("\(String(describing: code))") }
                }
            }
        }
        #expect(outcomes.withLock { $0.sorted() } == (0..<12).map { "key-\($0)" }.sorted())
        #expect(try connection.accounts().count == 12)
    }

    @Test func `threads that read, write and open at once do not fail each other`() throws {
        let keychain = try TestKeychain()
        let failures = Mutex<[KeychainError.Code]>([])
        let shared = keychain.connection()
        concurrently(24) { index in
            // Every third thread has a connection of its own, the others share one.
            let connection = index % 3 == 0 ? keychain.connection() : shared
            for round in 0..<6 {
                let account = "\(index)-\(round)"
                for code in [
                    failure { () throws(KeychainError) in try connection.add(account) },
                    failure { () throws(KeychainError) in try connection.value(of: account) },
                    failure { () throws(KeychainError) in try connection.update(account, value: "new") },
                    round % 2 == 0 ? failure { () throws(KeychainError) in try connection.delete(account) } : nil,
                ].compactMap({ $0 }) {
                    failures.withLock { $0.append(code) }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try shared.accounts().count == 24 * 3)
        #expect(try shared.all().allSatisfy { $0.hasSuffix("=new") })
    }
}

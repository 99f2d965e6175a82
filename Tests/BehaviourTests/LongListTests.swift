import Foundation
import KeychainTestSupport
import Security
import Testing

/// Lists that a service sends in pages.
@Suite("Long lists", .timeLimit(.minutes(10)))
struct LongListTests {
    @Test(arguments: Transport.allCases)
    func `an item that demands its owner is found among others, each once, where the owner is asked in the middle`(
        transport: Transport
    ) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .devicePasscode, nil)
            )
            for number in 0..<24 {
                let more: [CFString: Any] = number == 17 ? [kSecAttrAccessControl: control] : [:]
                #expect(add(password(account: "item \(number)", more)) == errSecSuccess)
            }
            keychain.person.answer(.secret("open sesame"))
            let everything: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                kSecReturnData: true,
            ]
            let found = find(everything)
            #expect(found.status == errSecSuccess)
            let items = try #require(found.result as? [[String: Any]])
            #expect(items.compactMap { $0["acct"] as? String } == (0..<24).map { "item \($0)" })
            #expect(items.allSatisfy { $0["v_Data"] as? Data == secret })
            #expect(keychain.person.dialogs == 1)
            // Half a list is no list.
            keychain.person.answer(.no)
            let refused = find(everything)
            #expect(refused.status == errSecUserCanceled)
            #expect(refused.result == nil)
        }
    }
}

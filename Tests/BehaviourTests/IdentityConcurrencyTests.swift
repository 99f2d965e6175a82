import Foundation
import KeychainClient
import KeychainTestSupport
import Security
import Testing

@Suite("Identities that are changed while they are searched")
struct IdentityConcurrencyTests {
    @Test(arguments: Transport.allCases)
    func `a search sees certificate and key as they were at one moment`(transport: Transport) throws {
        let groups = ["first", "second"]
        let fixture = try KeychainFixture(transport)
        fixture.asProgram(groups: groups) {
            for number in 1...6 as ClosedRange<UInt8> {
                let hash = Data(repeating: number, count: 20)
                add(
                    certificate([
                        kSecAttrSerialNumber: hash, kSecAttrPublicKeyHash: hash, kSecAttrAccessible: "ck",
                        kSecAttrAccessGroup: groups[Int(number % 2)],
                    ])
                )
                add(
                    key([
                        kSecAttrApplicationLabel: hash, kSecAttrAccessible: "ck",
                        kSecAttrAccessGroup: groups[Int(number % 2)],
                    ])
                )
            }
        }
        let connections = (fixture.connection(groups: groups), fixture.connection(groups: groups))
        let writer = Thread {
            CurrentKeychain.$override.withValue(connections.0) {
                for number in 0..<30 { update(identities(), [kSecAttrAccessible: number % 2 == 0 ? "dk" : "ck"]) }
            }
        }
        writer.start()
        try CurrentKeychain.$override.withValue(connections.1) {
            try waitUntil("thirty updates are made", patience: 300, pause: 0) {
                // The filter is the key's, what comes back is the certificate's: an update changes both at once.
                for accessible in ["ck", "dk"] {
                    let found = try allAttributes(of: identities([kSecAttrAccessible: accessible]))
                    #expect([0, 6].contains(found.count))
                    #expect(found.allSatisfy { $0["pdmn"] as? String == accessible })
                }
                return writer.isFinished
            }
        }
    }
}

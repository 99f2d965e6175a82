import Foundation
import Security
import Testing

@Suite("Finding identities by what stands in their certificates")
struct IdentityMatchTests {
    /// Adds a certificate and a key that belong together, told from others by their label.
    private func addIdentity(_ label: String, _ certificate: TestCertificate) {
        let hash = Data(label.utf8)
        add(certificate.item(label, [kSecAttrPublicKeyHash: hash]))
        add(key([kSecAttrApplicationLabel: hash, kSecAttrLabel: "key of \(label)"]))
    }

    @Test(arguments: Transport.allCases)
    func `an identity is found by every issuer of its certificate that is stored`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        let intermediate = try TestCertificate(TestName("Intermediate"), issuer: root)
        let leaf = try TestCertificate(TestName("Leaf"), issuer: intermediate)
        try withKeychain(transport) {
            addIdentity("leaf", leaf)
            try addIdentity("other", TestCertificate(TestName("Other")))
            let byRoot = identities([kSecMatchIssuers: [try root.subject.der]])
            try #expect(labels(of: byRoot) == [])
            // It need not be an identity's itself.
            add(intermediate.item("intermediate"))
            try #expect(labels(of: byRoot) == ["leaf"])
            try #expect(labels(of: identities([kSecMatchIssuers: [try intermediate.subject.der]])) == ["leaf"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity is as valid as its certificate`(transport: Transport) throws {
        try withKeychain(transport) {
            try addIdentity("expired", TestCertificate(TestName("A"), validity: -7200...(-3600)))
            try addIdentity("valid", TestCertificate(TestName("B")))
            try #expect(labels(of: identities([kSecMatchValidOnDate: NSNull()])) == ["valid"])
            let before = Date(timeIntervalSinceNow: -5400)
            try #expect(labels(of: identities([kSecMatchValidOnDate: before])) == ["expired"])
            // The filter comes before the limit.
            let found = find(identities([kSecMatchValidOnDate: NSNull(), kSecReturnAttributes: true]))
            #expect((found.result as? [String: Any])?["labl"] as? String == "valid")
            // A certificate that nobody can read is valid at no time.
            add(certificate([kSecAttrLabel: "unreadable"]))
            add(key())
            try #expect(labels(of: identities([kSecMatchValidOnDate: NSNull()])) == ["valid"])
            try #expect(labels(of: identities()).count == 3)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity belongs to the addresses of its certificate`(transport: Transport) throws {
        try withKeychain(transport) {
            try addIdentity("alice", TestCertificate(TestName("A"), emailAddresses: ["alice@example.com"]))
            try addIdentity("bob", TestCertificate(TestName("B"), emailAddresses: ["bob@example.com"]))
            try addIdentity("anyone", TestCertificate(TestName("C")))
            let query = identities([kSecMatchEmailAddressIfPresent: "Alice@Example.com"])
            try #expect(labels(of: query) == ["alice"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `match keys of a wrong type are errors for identities too`(transport: Transport) throws {
        try withKeychain(transport) {
            try addIdentity("valid", TestCertificate(TestName("A")))
            for (match, value) in [
                (kSecMatchIssuers, "Root"), (kSecMatchPolicy, "policy"), (kSecMatchValidOnDate, "today"),
                (kSecMatchTrustedOnly, 1), (kSecMatchEmailAddressIfPresent, 1),
            ] as [(CFString, Any)] {
                #expect(find(identities([match: value])).status == errSecParam, "\(match)")
            }
            #expect(find(identities([kSecMatchHostOrSubdomainOfHost: "example.com"])).status == errSecUnimplemented)
        }
    }

}

import Foundation
import Security
import SwiftASN1
import Testing

@Suite("Finding certificates by what stands in them")
struct CertificateMatchTests {
    // MARK: - Issuers

    @Test(arguments: Transport.allCases)
    func `a certificate is found by its issuer and by every issuer further up that is stored`(
        transport: Transport
    ) throws {
        let root = try TestCertificate(TestName("Root"))
        let intermediate = try TestCertificate(TestName("Intermediate"), issuer: root)
        let leaf = try TestCertificate(TestName("Leaf"), issuer: intermediate)
        try withKeychain(transport) {
            add(leaf.item("leaf"))
            try #expect(labels(of: certificates([kSecMatchIssuers: [root.subject.der]])) == [])
            add(intermediate.item("intermediate"))
            try #expect(labels(of: certificates([kSecMatchIssuers: [root.subject.der]])) == ["intermediate", "leaf"])
            try #expect(labels(of: certificates([kSecMatchIssuers: [intermediate.subject.der]])) == ["leaf"])
            try #expect(labels(of: certificates([kSecMatchIssuers: [leaf.subject.der]])) == [])
            add(root.item("root"))
            let all = ["intermediate", "leaf", "root"]
            try #expect(labels(of: certificates([kSecMatchIssuers: [root.subject.der]])) == all)
        }
    }

    @Test(arguments: Transport.allCases)
    func `one of several issuers is enough, and none finds nothing`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            add(root.item("root"))
            let names = [try TestName("Other").der, try root.subject.der]
            try #expect(labels(of: certificates([kSecMatchIssuers: names])) == ["root"])
            try #expect(labels(of: certificates([kSecMatchIssuers: [Data]()])) == [])
            try #expect(labels(of: certificates([kSecMatchIssuers: [Data("no name".utf8), Data()]])) == [])
        }
    }

    @Test(arguments: Transport.allCases)
    func `issuers are compared without regard to case, blanks and type of text`(transport: Transport) throws {
        let leaf = try TestCertificate(TestName("Leaf"), issuerName: TestName(" The   Root\tCA", type: .utf8String))
        try withKeychain(transport) {
            add(leaf.item("leaf"))
            let same = try TestName("THE root Ca ", type: .printableString).der
            try #expect(labels(of: certificates([kSecMatchIssuers: [same]])) == ["leaf"])
            let other = try TestName("TheRoot CA").der
            try #expect(labels(of: certificates([kSecMatchIssuers: [other]])) == [])
        }
    }

    @Test(arguments: Transport.allCases)
    func `authorities that signed each other end a search`(transport: Transport) throws {
        let first = try TestCertificate(TestName("First"))
        let second = try TestCertificate(TestName("Second"))
        let firstBySecond = try TestCertificate(TestName("First"), key: first.key, issuer: second)
        let secondByFirst = try TestCertificate(TestName("Second"), key: second.key, issuer: first)
        let leaf = try TestCertificate(TestName("Leaf"), issuer: first)
        try withKeychain(transport) {
            add(firstBySecond.item("first"))
            add(secondByFirst.item("second"))
            add(leaf.item("leaf"))
            try #expect(labels(of: certificates([kSecMatchIssuers: [TestName("Nobody").der]])) == [])
            let all = ["first", "leaf", "second"]
            try #expect(labels(of: certificates([kSecMatchIssuers: [second.subject.der]])) == all)
        }
    }

    @Test(arguments: Transport.allCases)
    func `every way up from a certificate with two issuers is tried`(transport: Transport) throws {
        let old = try TestCertificate(TestName("Old Root"))
        let new = try TestCertificate(TestName("New Root"))
        let intermediate = try TestCertificate(TestName("Intermediate"), issuer: old)
        let again = try TestCertificate(TestName("Intermediate"), key: intermediate.key, issuer: new)
        let leaf = try TestCertificate(TestName("Leaf"), issuer: intermediate)
        try withKeychain(transport) {
            add(intermediate.item("old"))
            add(again.item("new"))
            add(leaf.item("leaf"))
            try #expect(labels(of: certificates([kSecMatchIssuers: [old.subject.der]])) == ["leaf", "old"])
            try #expect(labels(of: certificates([kSecMatchIssuers: [new.subject.der]])) == ["leaf", "new"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a chain is followed ten steps from the certificate's own issuer`(transport: Transport) throws {
        var chain = [try TestCertificate(TestName("0"))]
        for number in 1...12 {
            chain.append(try TestCertificate(TestName("\(number)"), issuer: chain[number - 1]))
        }
        try withKeychain(transport) {
            for certificate in chain { add(certificate.item(certificate.subject.commonName)) }
            let found = try labels(of: certificates([kSecMatchIssuers: [chain[0].subject.der]]))
            #expect(Set(found) == Set((0...11).map { "\($0)" }))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a chain leads through other groups of the program, and never through a stranger's`(
        transport: Transport
    ) throws {
        let root = try TestCertificate(TestName("Root"))
        let intermediate = try TestCertificate(TestName("Intermediate"), issuer: root)
        let leaf = try TestCertificate(TestName("Leaf"), issuer: intermediate)
        let fixture = try KeychainFixture(transport)
        _ = fixture.asProgram(groups: ["other"]) { add(intermediate.item("intermediate")) }
        _ = fixture.asProgram(groups: ["mine"]) { add(leaf.item("leaf")) }
        let query = certificates([kSecMatchIssuers: [try root.subject.der], kSecAttrAccessGroup: "mine"])
        try fixture.asProgram(groups: ["mine"]) { try #expect(labels(of: query) == []) }
        try fixture.asProgram(groups: ["mine", "other"]) { try #expect(labels(of: query) == ["leaf"]) }
    }

    @Test(arguments: Transport.allCases)
    func `what a caller said of a certificate makes no chain`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        let leaf = try TestCertificate(TestName("Leaf"), issuerName: TestName("Intermediate"))
        try withKeychain(transport) {
            add(leaf.item("leaf"))
            let intermediate = try TestName("Intermediate").der
            add(root.item("liar", [kSecAttrSubject: intermediate, kSecAttrIssuer: try root.subject.der]))
            try #expect(labels(of: certificates([kSecMatchIssuers: [root.subject.der]])) == ["liar"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `issuers have to be an array of data`(transport: Transport) throws {
        try withKeychain(transport) {
            for value in [Data([0x30, 0]), "name", ["name"], [Data(), 1], [[Data()]], 1, true] as [Any] {
                #expect(find(certificates([kSecMatchIssuers: value])).status == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `no other class is found by issuer or policy`(transport: Transport) throws {
        try withKeychain(transport) {
            for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassKey] {
                for key in [kSecMatchIssuers, kSecMatchPolicy] {
                    let query: [CFString: Any] = [kSecClass: itemClass, key: [Data([0x30, 0])]]
                    #expect(find(query).status == errSecUnimplemented, "\(itemClass) \(key)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `only a policy is a policy`(transport: Transport) throws {
        try withKeychain(transport) {
            for value in ["policy", kSecPolicyAppleSSL, Data(), 1, [Data()], [SecPolicyCreateBasicX509()]] as [Any] {
                #expect(find(certificates([kSecMatchPolicy: value])).status == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - Validity

    @Test(arguments: Transport.allCases)
    func `a certificate is found on a date within its validity`(transport: Transport) throws {
        let day: TimeInterval = 86_400
        try withKeychain(transport) {
            add(try TestCertificate(TestName("expired"), validity: -2 * day ... -day).item("expired"))
            add(try TestCertificate(TestName("valid"), validity: -day...day).item("valid"))
            add(try TestCertificate(TestName("not yet"), validity: day...2 * day).item("not yet"))
            let dates: [(Any, [String])] = [
                (NSNull(), ["valid"]), (Date(), ["valid"]), (Date(timeIntervalSinceNow: -1.5 * day), ["expired"]),
                (Date(timeIntervalSinceNow: 1.5 * day), ["not yet"]), (Date(timeIntervalSinceNow: 3 * day), []),
                (Date.distantPast, []), (Date.distantFuture, []),
            ]
            for (date, expected) in dates {
                try #expect(labels(of: certificates([kSecMatchValidOnDate: date])) == expected, "\(date)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the first and the last second of a validity belong to it`(transport: Transport) throws {
        let certificate = try TestCertificate(TestName("short"), validity: 0...0)
        try withKeychain(transport) {
            add(certificate.item("short"))
            // The field has whole seconds, so that the instant of the making is at most a second later.
            let now = Date()
            let seconds = (-3...3).map { floor(now.timeIntervalSinceReferenceDate) + Double($0) }
            let valid = try seconds.filter { second in
                let date = Date(timeIntervalSinceReferenceDate: second)
                let last = Date(timeIntervalSinceReferenceDate: second + 0.999)
                let isFound = try labels(of: certificates([kSecMatchValidOnDate: date])) == ["short"]
                try #expect(labels(of: certificates([kSecMatchValidOnDate: last])).isEmpty == !isFound)
                return isFound
            }
            #expect(valid.count == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the date has to be one`(transport: Transport) throws {
        try withKeychain(transport) {
            for value in ["2026-01-01", 0, true, Data()] as [Any] {
                #expect(find(certificates([kSecMatchValidOnDate: value])).status == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - E-mail addresses

    @Test(arguments: Transport.allCases)
    func `a certificate is found by an e-mail address that it has, or by any if it has none`(
        transport: Transport
    ) throws {
        let inSubject = TestName("subject", emailAddress: "Alice@Example.com")
        try withKeychain(transport) {
            add(try TestCertificate(inSubject).item("subject"))
            add(
                try TestCertificate(TestName("both"), emailAddresses: ["x@y.z", "alice@example.com"]).item("extension")
            )
            add(try TestCertificate(TestName("other"), emailAddresses: ["bob@example.com"]).item("other"))
            add(try TestCertificate(TestName("none")).item("none"))
            add(try TestCertificate(TestName("empty"), emailAddresses: []).item("empty"))
            let query = certificates([kSecMatchEmailAddressIfPresent: "ALICE@example.COM"])
            try #expect(labels(of: query) == ["extension", "subject"])
            let longer = certificates([kSecMatchEmailAddressIfPresent: "alice@example.com.org"])
            #expect(find(longer).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the e-mail address has to be text`(transport: Transport) throws {
        try withKeychain(transport) {
            for value in [Data("a@b".utf8), 1, true, NSNull()] as [Any] {
                #expect(find(certificates([kSecMatchEmailAddressIfPresent: value])).status == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - Trust

    @Test(arguments: Transport.allCases)
    func `whether trust is asked for has to be a Boolean`(transport: Transport) throws {
        try withKeychain(transport) {
            add(try TestCertificate(TestName("self-signed")).item("self-signed"))
            #expect(find(certificates([kSecMatchTrustedOnly: false])).status == errSecSuccess)
            for value in [1, "true", Data()] as [Any] {
                #expect(find(certificates([kSecMatchTrustedOnly: value])).status == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - All of them

    @Test(arguments: Transport.allCases)
    func `a match behind certificates that are none is found, whatever the limit`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            for number in 0..<5 {
                let other = try TestCertificate(
                    TestName("other"),
                    validity: -20 ... -10,
                    emailAddresses: ["other@example.com"]
                )
                add(other.item("\(number)"))
            }
            let wanted = try TestCertificate(TestName("wanted"), issuer: root, emailAddresses: ["alice@example.com"])
            add(wanted.item("wanted"))
            let filters: [CFString: Any] = [
                kSecMatchIssuers: [try root.subject.der], kSecMatchValidOnDate: NSNull(),
                kSecMatchEmailAddressIfPresent: "alice@example.com",
            ]
            for (key, value) in filters {
                for limit in [kSecMatchLimitOne, 1, 2, kSecMatchLimitAll] as [Any] {
                    let found = find(certificates([key: value, kSecMatchLimit: limit]))
                    #expect(found.status == errSecSuccess, "\(key) \(limit)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `all that is asked has to hold`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            add(try TestCertificate(TestName("Leaf"), issuer: root, emailAddresses: ["a@b.c"]).item("leaf"))
            let all: [CFString: Any] = [
                kSecMatchIssuers: [try root.subject.der], kSecMatchValidOnDate: NSNull(),
                kSecMatchEmailAddressIfPresent: "a@b.c", kSecAttrLabel: "leaf",
            ]
            try #expect(labels(of: certificates(all)) == ["leaf"])
            let others: [CFString: Any] = [
                kSecMatchIssuers: [try TestName("x").der], kSecMatchValidOnDate: Date.distantPast,
                kSecMatchEmailAddressIfPresent: "b@b.c", kSecAttrLabel: "other",
            ]
            for other in others {
                let query = certificates(all).merging([other.key: other.value]) { _, new in new }
                try #expect(labels(of: query) == [], "\(other.key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference finds its certificate only if that matches`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            add(root.item("root"))
            let reference = try reference(of: certificates())
            let query: [CFString: Any] = [kSecValuePersistentRef: reference]
            let matching = query.merging([kSecMatchIssuers: [try root.subject.der]]) { _, new in new }
            #expect(find(matching).status == errSecSuccess)
            let other = query.merging([kSecMatchIssuers: [try TestName("x").der]]) { _, new in new }
            #expect(find(other).status == errSecItemNotFound)
        }
    }

    // MARK: - What is no certificate

    /// Each filter with a value that a good certificate passes.
    private func filters(for certificate: TestCertificate) throws -> [CFString: Any] {
        [
            kSecMatchIssuers: [try certificate.subject.der], kSecMatchValidOnDate: NSNull(),
            kSecMatchEmailAddressIfPresent: "a@b.c",
        ]
    }

    @Test(arguments: Transport.allCases)
    func `data that is no certificate, or not the whole of one, matches nothing and spoils no search`(
        transport: Transport
    ) throws {
        let whole = try TestCertificate(TestName("Root"), emailAddresses: ["a@b.c"])
        let nested = Data(repeating: 0x30, count: 1000)
        let garbage: [Data?] = [
            nil, Data(), Data([0x30]), Data([0x30, 0x80]), Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), nested,
            Data("certificate".utf8), Data(repeating: 0, count: 100), whole.der + [0],
        ]
        try withKeychain(transport) {
            for (number, data) in garbage.enumerated() { add(certificateItem("garbage \(number)", data: data)) }
            add(whole.item("whole"))
            for (key, value) in try filters(for: whole) {
                try #expect(labels(of: certificates([key: value])) == ["whole"], "\(key)")
            }
            try #expect(labels(of: certificates()).count == garbage.count + 1)
        }
    }

    @Test
    func `a certificate cut off at any length matches nothing`() throws {
        let whole = try TestCertificate(TestName("Root"), emailAddresses: ["a@b.c"])
        try withKeychain(.memory) {
            for length in 0..<whole.der.count {
                add(certificateItem("\(length)", data: whole.der.prefix(length)))
            }
            for (key, value) in try filters(for: whole) {
                try #expect(labels(of: certificates([key: value])) == [], "\(key)")
            }
        }
    }

    @Test
    func `a certificate with a flipped bit is judged or not found, and nothing else happens`() throws {
        let whole = try TestCertificate(TestName("Root"), emailAddresses: ["a@b.c"])
        try withKeychain(.memory) {
            for position in whole.der.indices {
                var flipped = whole.der
                flipped[position] ^= 1 << UInt8(position % 8)
                add(certificateItem("\(position)", data: flipped))
            }
            for (key, value) in try filters(for: whole) {
                // Bits of the key and the signature are not looked at; those of the structure are.
                let found = try labels(of: certificates([key: value])).count
                #expect(found > 0 && found < whole.der.count, "\(key)")
            }
        }
    }

    // MARK: - As the page on compatibility says

    @Test(arguments: Transport.allCases)
    func `the normalised content of a name is an issuer too`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            add(root.item("root", [kSecAttrIssuer: try root.subject.der]))
            let content = try #require(try attributes(of: certificates())["issr"] as? Data)
            try #expect(content != root.subject.der)
            try #expect(labels(of: certificates([kSecMatchIssuers: [content]])) == ["root"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a chain leads through synchronizable certificates too`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        let intermediate = try TestCertificate(TestName("Intermediate"), issuer: root)
        let leaf = try TestCertificate(TestName("Leaf"), issuer: intermediate)
        try withKeychain(transport) {
            add(leaf.item("leaf"))
            add(intermediate.item("intermediate", [kSecAttrSynchronizable: true]))
            try #expect(labels(of: certificates([kSecMatchIssuers: [root.subject.der]])) == ["leaf"])
        }
    }
}

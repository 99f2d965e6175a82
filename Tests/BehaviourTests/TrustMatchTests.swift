import CertificateTestSupport
import Foundation
import KeychainTrust
import Security
import Testing
import X509

/// Certificates and identities that are found by whether they are trusted (`kSecMatchTrustedOnly`, `kSecMatchPolicy`).
///
/// A service goes by its own machine's anchors, which a test cannot exchange.
@Suite
struct TrustMatchTests {
    private func withKeychain(
        _ transport: Transport,
        groups: [String] = ["test.default"],
        anchors: [TestAuthority],
        _ body: () throws -> Void
    ) throws {
        let fixture = try KeychainFixture(transport)
        try SystemAnchors.$override.withValue(SystemAnchors(anchors.map(\.der))) {
            try fixture.asProgram(groups: groups, body)
        }
    }

    private func item(_ label: String, _ holder: TestAuthority, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
        certificateItem(label, data: Data(holder.der), more)
    }

    private func query(_ match: [CFString: Any]) -> [CFString: Any] {
        match.merging([kSecClass: kSecClassCertificate]) { first, _ in first }
    }

    @Test(arguments: Transport.inThisProcess)
    func `only certificates that lead to one of the system's anchors are trusted`(transport: Transport) throws {
        let root = try TestAuthority.root("Root")
        let stranger = try TestAuthority.root("Root")
        try withKeychain(transport, anchors: [root]) {
            add(item("good", try root.issue("good")))
            add(item("stranger", try stranger.issue("stranger")))
            add(item("root", root))
            add(item("stranger's root", stranger))
            add(item("old", try root.issue("old", .server.with { $0.validity = -7200 ... -3600 })))
            add(certificateItem("no certificate", data: Data([1, 2, 3])))
            add(certificateItem("nothing", data: nil))
            try #expect(labels(of: query([kSecMatchTrustedOnly: true])) == ["good", "root"])
            try #expect(labels(of: query([kSecMatchTrustedOnly: false])).count == 7)
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `a chain may lead through the program's own certificates and no others`(transport: Transport) throws {
        let root = try TestAuthority.root("Root")
        let intermediate = try root.issue("Intermediate", .authority)
        let leaf = try intermediate.issue("leaf")
        let fixture = try KeychainFixture(transport)
        try SystemAnchors.$override.withValue(SystemAnchors([root.der])) {
            fixture.asProgram(groups: ["test.other"]) { _ = add(item("Intermediate", intermediate)) }
            fixture.asProgram(groups: ["test.default"]) {
                add(item("leaf", leaf))
                #expect(find(query([kSecMatchTrustedOnly: true])).status == errSecItemNotFound)
            }
            try fixture.asProgram(groups: ["test.default", "test.other"]) {
                try #expect(labels(of: query([kSecMatchTrustedOnly: true])) == ["Intermediate", "leaf"])
            }
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `an authority in the keychain is no anchor`(transport: Transport) throws {
        let root = try TestAuthority.root("Root")
        try withKeychain(transport, anchors: []) {
            add(item("root", root))
            add(item("leaf", try root.issue("leaf")))
            #expect(find(query([kSecMatchTrustedOnly: true])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `trust is judged at the date that is asked for`(transport: Transport) throws {
        let root = try TestAuthority.root("Root", .authority.with { $0.validity = -100_000...100_000 })
        try withKeychain(transport, anchors: [root]) {
            add(item("past", try root.issue("past", .server.with { $0.validity = -7200 ... -3600 })))
            add(item("present", try root.issue("present", .server.with { $0.validity = -3000...3600 })))
            let then = Date(timeIntervalSinceNow: -5000)
            try #expect(labels(of: query([kSecMatchTrustedOnly: true, kSecMatchValidOnDate: then])) == ["past"])
            try #expect(labels(of: query([kSecMatchTrustedOnly: true])) == ["present"])
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `certificates are found by what they are good for`(transport: Transport) throws {
        let root = try TestAuthority.root("Root")
        try withKeychain(transport, anchors: [root]) {
            add(item("server", try root.issue("server", .server("www.example.com"))))
            add(item("client", try root.issue("client", .server.with { $0.extendedKeyUsages = [.clientAuth] })))
            func found(_ policy: SecPolicy) throws -> [String] { try labels(of: query([kSecMatchPolicy: policy])) }
            try #expect(found(SecPolicyCreateBasicX509()) == ["client", "server"])
            try #expect(found(SecPolicyCreateSSL(true, nil)) == ["server"])
            try #expect(found(SecPolicyCreateSSL(true, "www.example.com" as CFString)) == ["server"])
            try #expect(found(SecPolicyCreateSSL(false, nil)) == ["client"])
            let other = SecPolicyCreateSSL(true, "www.example.org" as CFString)
            #expect(find(query([kSecMatchPolicy: other])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `a trusted certificate behind others that are not is found, whatever the limit`(transport: Transport) throws {
        let root = try TestAuthority.root("Root")
        let stranger = try TestAuthority.root("Stranger")
        try withKeychain(transport, anchors: [root]) {
            for number in 0..<5 { add(item("other \(number)", try stranger.issue("other"))) }
            add(item("good", try root.issue("good")))
            let result = find(query([kSecMatchTrustedOnly: true, kSecReturnAttributes: true]))
            #expect((result.result as? [String: Any])?[kSecAttrLabel as String] as? String == "good")
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `identities are trusted as their certificates are`(transport: Transport) throws {
        let root = try TestAuthority.root("Root")
        let stranger = try TestAuthority.root("Root")
        try withKeychain(transport, anchors: [root]) {
            for (label, issuer) in [("good", root), ("stranger", stranger)] {
                let hash = Data(label.utf8)
                add(item(label, try issuer.issue(label), [kSecAttrPublicKeyHash: hash]))
                add([
                    kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label,
                    kSecAttrApplicationLabel: hash, "priv" as CFString: 1,
                ])
            }
            let identities: [CFString: Any] = [kSecClass: kSecClassIdentity]
            try #expect(labels(of: identities.merging([kSecMatchTrustedOnly: true]) { first, _ in first }) == ["good"])
            try #expect(labels(of: identities.merging([kSecMatchTrustedOnly: false]) { first, _ in first }).count == 2)
            let policy = SecPolicyCreateSSL(true, "server.example" as CFString)
            try #expect(labels(of: identities.merging([kSecMatchPolicy: policy]) { first, _ in first }) == ["good"])
        }
    }
}

import CertificateTestSupport
import Crypto
import Foundation
import KeychainCertificates
import KeychainTrust
import Testing
import X509

@Suite("Lists of revoked certificates")
struct RevocationListTests {
    private let root: TestAuthority
    private let leaf: TestAuthority
    private let other: TestAuthority

    private static let address = "http://lists.example/list"

    init() throws {
        root = try TestAuthority.root("Root", .authority.with { $0.validity = -3600...864_000 })
        leaf = try root.issue("Leaf", Self.longLived(.server.answered(lists: [Self.address])))
        other = try root.issue("Other")
    }

    private static func longLived(_ request: CertificateRequest) -> CertificateRequest {
        request.with { $0.validity = -3600...864_000 }
    }

    /// What lists lead to where a positive answer about the certificate is required.
    private func reasons(
        _ lists: [UInt8]...,
        about leaf: TestAuthority? = nil,
        root: TestAuthority? = nil,
        after seconds: Double = 0
    ) -> Set<TrustFailure.Reason> {
        var evidence = RevocationEvidence(staples: [])
        for list in lists.compactMap({ RevocationList(der: $0) }) { evidence.add(list) }
        return TrustVerifier(anchors: .only([(root ?? self.root).der]), intermediates: [])
            .evaluate(
                (leaf ?? self.leaf).der,
                for: [.revocation(needsPositiveAnswer: true)],
                at: Date.timeIntervalSinceReferenceDate + seconds,
                evidence: evidence
            ).verdict.reasons
    }

    /// A list with an extension that says which certificates it is about.
    private func list(about point: String..., revoked: [(TestAuthority, reason: String?)] = []) throws -> [UInt8] {
        try TestLists.make(
            by: root,
            revoked: revoked,
            extensions: ["issuingDistributionPoint=critical,@point"],
            point: point
        )
    }

    // MARK: What counts

    @Test func `a certificate that is not on its issuer's list is not revoked`() throws {
        #expect(reasons() == [.revocationUnknown])
        #expect(try reasons(TestLists.make(by: root)).isEmpty)
        #expect(try reasons(TestLists.make(by: root, revoked: [(other, nil)])).isEmpty)
    }

    @Test func `a certificate that is on its issuer's list was revoked, for whichever reason`() throws {
        for reason in [nil, "keyCompromise", "CACompromise", "superseded", "certificateHold"] {
            let list = try TestLists.make(by: root, revoked: [(other, nil), (leaf, reason: reason)])
            #expect(reasons(list) == [.revoked], "\(reason ?? "none")")
        }
    }

    @Test func `a list that names a certificate outweighs one that does not`() throws {
        let good = try TestLists.make(by: root)
        let bad = try TestLists.make(by: root, revoked: [(leaf, nil)])
        #expect(reasons(good, bad) == [.revoked])
        #expect(reasons(bad, good) == [.revoked])
    }

    @Test func `an answer holds as long as the list says`() throws {
        let list = try TestLists.make(by: root)
        #expect(reasons(list, after: 86_000).isEmpty)
        #expect(reasons(list, after: 2 * 86_400) == [.revocationUnknown])
        #expect(
            try reasons(TestLists.make(by: root, revoked: [(leaf, nil)]), after: 2 * 86_400) == [.revocationUnknown]
        )
        #expect(reasons(list, after: -3000) == [.revocationUnknown])
    }

    @Test func `a list of a hundred thousand entries is walked through`() throws {
        let number = try RevocationListTests.serialNumber(of: leaf)
        let date: [UInt8] = [0x17, 13] + Array("250101000000Z".utf8)
        func entry(_ number: [UInt8]) -> [UInt8] { DERBytes.element(0x30, DERBytes.element(0x02, number) + date) }
        var entries: [UInt8] = []
        for index in 0..<100_000 {
            entries += entry([0x41] + [16, 8, 0].map { UInt8(truncatingIfNeeded: index >> $0) })
        }
        let empty = try TestLists.make(by: root, extensions: ["1.2.3.4=DER:0500"])
        let good = try TestLists.remade(empty, signedBy: root.key) { fields in
            fields.insert(DERBytes.element(0x30, entries), at: 5)
        }
        let bad = try TestLists.remade(empty, signedBy: root.key) { fields in
            fields.insert(DERBytes.element(0x30, entries + entry(number)), at: 5)
        }
        #expect(good.count > 2 << 20)
        #expect(reasons(good).isEmpty)
        #expect(reasons(bad) == [.revoked])
    }

    private static func serialNumber(of holder: TestAuthority) throws -> [UInt8] {
        try #require(CertificateContents(der: holder.der)).serialNumber
    }

    // MARK: What proves nothing

    @Test func `a list that somebody else has signed proves nothing`() throws {
        let namesake = try TestAuthority.root("Root")
        #expect(try reasons(TestLists.make(by: namesake)) == [.revocationUnknown])
        #expect(try reasons(TestLists.make(by: namesake, revoked: [(leaf, nil)])) == [.revocationUnknown])
        let stranger = try TestAuthority.root("Stranger")
        #expect(try reasons(TestLists.make(by: stranger, revoked: [(leaf, nil)])) == [.revocationUnknown])
    }

    @Test func `an authority whose key is not for lists has none`() throws {
        let usages: [(KeyUsage, Set<TrustFailure.Reason>)] = [
            (KeyUsage(keyCertSign: true), [.revocationUnknown]), (KeyUsage(keyCertSign: true, cRLSign: true), []),
        ]
        for (usage, outcome) in usages {
            let root = try TestAuthority.root("Root", .authority.with { $0.keyUsage = usage })
            let leaf = try root.issue("Leaf")
            #expect(try reasons(TestLists.make(by: root), about: leaf, root: root) == outcome)
        }
    }

    @Test func `a list of changes alone proves nothing`() throws {
        for extensions in [["2.5.29.27=critical,DER:020101"], ["2.5.29.27=DER:020101"]] {
            let list = try TestLists.make(by: root, extensions: extensions)
            #expect(reasons(list) == [.revocationUnknown])
            let bad = try TestLists.make(by: root, revoked: [(leaf, nil)], extensions: extensions)
            #expect(reasons(bad) == [.revocationUnknown])
        }
    }

    @Test func `a list with a critical extension that is not understood proves nothing`() throws {
        for (setting, outcome) in [
            ("1.2.3.4=critical,DER:0500", [.revocationUnknown]), ("1.2.3.4=DER:0500", []),
            ("2.5.29.20=critical,DER:020101", []),
        ] as [(String, Set<TrustFailure.Reason>)] {
            #expect(try reasons(TestLists.make(by: root, extensions: [setting])) == outcome, "\(setting)")
        }
    }

    @Test func `an entry with a critical extension makes the whole list worthless`() throws {
        let list = try TestLists.make(by: root, revoked: [(other, nil)], extensions: ["2.5.29.20=DER:020101"])
        let number = try DERBytes.element(0x02, Self.serialNumber(of: other))
        let date: [UInt8] = [0x17, 13] + Array("250101000000Z".utf8)
        for (criticality, outcome) in [([], []), ([0x01, 1, 0], []), ([0x01, 1, 0xFF], [.revocationUnknown])]
            as [([UInt8], Set<TrustFailure.Reason>)]
        {
            let element = DERBytes.element(0x30, [0x06, 3, 0x2A, 3, 4] + criticality + [0x04, 2, 5, 0])
            let entry = DERBytes.element(0x30, number + date + DERBytes.element(0x30, element))
            let changed = try TestLists.remade(list, signedBy: root.key) { fields in
                fields[5] = DERBytes.element(0x30, entry)
            }
            #expect(reasons(changed) == outcome, "\(criticality)")
        }
    }

    @Test func `a list that does not say how long it holds proves nothing`() throws {
        let list = try TestLists.make(by: root)
        #expect(try reasons(TestLists.remade(list, signedBy: root.key) { _ in }).isEmpty)
        let endless = try TestLists.remade(list, signedBy: root.key) { $0.remove(at: $0.count - 1) }
        #expect(RevocationList(der: endless)?.nextUpdate == nil)
        #expect(reasons(endless) == [.revocationUnknown])
    }

    @Test func `a list is about the certificates that it says it is about`() throws {
        let authority = try root.issue("Authority", .authority.answered(lists: [Self.address]))
        for (setting, forUsers, forAuthorities) in [
            ("onlyuser=TRUE", true, false), ("onlyCA=TRUE", false, true), ("onlyAA=TRUE", false, false),
            ("indirectCRL=TRUE", false, false), ("fullname=URI:" + Self.address, true, true),
            ("fullname=URI:http://lists.example/other", false, false), ("fullname=dirName:name", false, false),
            ("onlysomereasons=keyCompromise", false, false),
        ] {
            let name = ["[name]", "CN=List"]
            let list = try TestLists.make(
                by: root,
                extensions: ["issuingDistributionPoint=critical,@point"],
                point: [setting] + name
            )
            #expect(reasons(list) == (forUsers ? [] : [.revocationUnknown]), "\(setting)")
            #expect(reasons(list, about: authority) == (forAuthorities ? [] : [.revocationUnknown]), "\(setting)")
        }
    }

    @Test func `a list of some reasons says who was revoked, and not who was not`() throws {
        #expect(try reasons(list(about: "onlysomereasons=keyCompromise")) == [.revocationUnknown])
        let bad = try list(about: "onlysomereasons=keyCompromise", revoked: [(leaf, "keyCompromise")])
        #expect(reasons(bad) == [.revoked])
    }

    @Test func `a list that may name other authorities' certificates proves nothing`() throws {
        #expect(try reasons(list(about: "indirectCRL=TRUE", revoked: [(leaf, nil)])) == [.revocationUnknown])
    }

    @Test func `a whole list that says that a certificate was removed from it proves nothing`() throws {
        #expect(try reasons(TestLists.make(by: root, revoked: [(leaf, "removeFromCRL")])) == [.revocationUnknown])
        #expect(try reasons(TestLists.make(by: root, revoked: [(other, "removeFromCRL")])).isEmpty)
    }

    @Test func `no shortened and no changed list proves what its issuer did not say`() throws {
        let list = try TestLists.make(by: root, revoked: [(leaf, "keyCompromise")])
        #expect(reasons(list) == [.revoked])
        for length in list.indices {
            #expect(reasons(Array(list.prefix(length))) == [.revocationUnknown])
        }
        for position in list.indices {
            for change in [0x01, 0x21] as [UInt8] {
                var changed = list
                changed[position] ^= change
                #expect(!reasons(changed).isEmpty, "\(position)")
            }
        }
        #expect(reasons(list + [0]) == [.revocationUnknown])
    }

    @Test func `a list that is too long is none`() {
        #expect(RevocationList(der: [UInt8](repeating: 0x30, count: RevocationList.mostBytes + 1)) == nil)
    }
}

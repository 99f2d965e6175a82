import CertificateTestSupport
import Crypto
import Foundation
import KeychainCertificates
import KeychainTrust
import Testing
import X509

/// Certificates that are made to keep a search busy.
@Suite(.timeLimit(.minutes(5)))
struct PathSearchTests {
    @Test func `authorities that certified each other end in no loop`() throws {
        let first = try TestAuthority.root("First")
        let second = try TestAuthority.root("Second")
        let crossed = [
            try first.issue("Second", key: second.key, .authority),
            try second.issue("First", key: first.key, .authority),
        ]
        let leaf = try first.issue("Leaf")
        let anchor = try TestAuthority.root("Anchor")
        let verdict = evaluate(leaf.der, with: crossed.map(\.der), anchors: [anchor.der], for: .basicX509)
        #expect(!verdict.isTrusted)
    }

    @Test func `a search among certificates that all certified each other ends`() throws {
        let authorities = try (0..<12).map { try TestAuthority.root("Authority \($0)") }
        let crossed = try authorities.flatMap { issuer in
            try authorities.enumerated().map { index, subject in
                try issuer.issue("Authority \(index)", key: subject.key, .authority)
            }
        }
        let leaf = try #require(authorities.first).issue("Leaf")
        let anchor = try TestAuthority.root("Anchor")
        let verdict = evaluate(leaf.der, with: crossed.map(\.der), anchors: [anchor.der], for: .basicX509)
        #expect(!verdict.isTrusted)
    }

    @Test func `a search among many certificates of one name and key ends`() throws {
        let anchor = try TestAuthority.root("Anchor")
        let key = P256.Signing.PrivateKey()
        let twins = try (0..<40).map { index in
            try anchor.issue("Twin", key: key, .authority.with { $0.names = [.dnsName("twin\(index).example")] })
        }
        let self0 = try #require(twins.first)
        // Each differs in its names, so that none counts as the same as another.
        let loops = try (0..<40).map { index in
            try self0.issue("Twin", key: key, .authority.with { $0.names = [.dnsName("loop\(index).example")] })
        }
        let leaf = try self0.issue("Leaf")
        let other = try TestAuthority.root("Other")
        #expect(!evaluate(leaf.der, with: (twins + loops).map(\.der), anchors: [other.der], for: .basicX509).isTrusted)
        #expect(evaluate(leaf.der, with: twins.map(\.der), anchors: [anchor.der], for: .basicX509).isTrusted)
    }

    @Test func `ten thousand certificates that have nothing to do with it do no harm`() throws {
        let certificates = try Hierarchy()
        let others = try copies(of: certificates.root.issue("Other-00000", .authority), replacing: "00000")
        let verdict = evaluate(
            certificates.leaf.der,
            with: others + [certificates.intermediate.der],
            anchors: [certificates.root.der],
            for: .basicX509
        )
        #expect(verdict.isTrusted)
    }

    @Test func `ten thousand certificates of the issuer's name do not keep the search busy`() throws {
        let certificates = try Hierarchy()
        let others = try copies(
            of: certificates.root.issue("Intermediate", .authority.with { $0.names = [.dnsName("00000.example")] }),
            replacing: "00000"
        )
        let verdict = evaluate(certificates.leaf.der, with: others, anchors: [certificates.root.der], for: .basicX509)
        #expect(!verdict.isTrusted)
    }

    @Test func `certificates that are no certificates are passed over`() throws {
        let certificates = try Hierarchy()
        let verdict = evaluate(
            certificates.leaf.der,
            with: [[], [1, 2, 3], certificates.intermediate.der],
            anchors: [[0x30], certificates.root.der],
            for: .basicX509
        )
        #expect(verdict.isTrusted)
    }

    /// Ten thousand certificates that differ in a number. They cannot have good signatures, which nobody looks at before
    /// an issuer is wanted.
    private func copies(of original: TestAuthority, replacing text: String) throws -> [[UInt8]] {
        let der = original.der
        let place = try #require(der.indices.first { der[$0...].starts(with: text.utf8) })
        return (0..<10_000).map { number in
            let digits = String(number + 10_000).utf8
            return Array(der[..<place]) + Array(digits) + Array(der[(place + digits.count)...])
        }
    }
}

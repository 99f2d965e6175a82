import CertificateTestSupport
import Crypto
import Foundation
import KeychainCertificates
import KeychainTrust
import SwiftASN1
import Testing
import X509

@Suite
struct ChainTests {
    @Test func `a certificate that leads to an anchor is trusted, and the chain says how`() throws {
        let certificates = try Hierarchy()
        let verdict = certificates.verdict()
        #expect(verdict.isTrusted)
        #expect(verdict.chain == [certificates.leaf.der, certificates.intermediate.der, certificates.root.der])
    }

    @Test func `an anchor need not have signed itself`() throws {
        let certificates = try Hierarchy()
        let verdict = evaluate(certificates.leaf.der, anchors: [certificates.intermediate.der], for: .basicX509)
        #expect(verdict.chain == [certificates.leaf.der, certificates.intermediate.der])
        #expect(verdict.isTrusted)
    }

    @Test func `a certificate that is an anchor itself is trusted, authority or not`() throws {
        let alone = try TestAuthority.root("Alone", .server)
        let verdict = evaluate(alone.der, anchors: [alone.der], for: .tls(isServer: true, name: "server.example"))
        #expect(verdict == .isTrusted(chain: [alone.der]))
    }

    @Test func `a certificate without its issuer is not trusted, which says so`() throws {
        let certificates = try Hierarchy()
        let verdict = evaluate(certificates.leaf.der, anchors: [certificates.root.der], for: .basicX509)
        #expect(verdict.reasons == [.issuerMissing])
        #expect(verdict.chain == [certificates.leaf.der])
    }

    @Test func `a root that is no anchor makes nothing trusted`() throws {
        let certificates = try Hierarchy()
        let other = try TestAuthority.root("Root")
        let verdict = evaluate(
            certificates.leaf.der,
            with: [certificates.intermediate.der, certificates.root.der],
            anchors: [other.der],
            for: .basicX509
        )
        #expect(verdict.reasons == [.noAnchor])
        #expect(verdict.chain == [certificates.leaf.der, certificates.intermediate.der, certificates.root.der])
    }

    @Test func `a certificate that signed itself and is no anchor is not trusted`() throws {
        let alone = try TestAuthority.root("Alone", .server)
        #expect(evaluate(alone.der, anchors: [], for: .basicX509).reasons == [.noAnchor])
        // Nor among the ones at hand.
        #expect(evaluate(alone.der, with: [alone.der], anchors: [], for: .basicX509).reasons == [.noAnchor])
    }

    @Test func `no anchors trust nothing`() throws {
        let certificates = try Hierarchy()
        #expect(
            !evaluate(certificates.leaf.der, with: [certificates.intermediate.der], anchors: [], for: .basicX509)
                .isTrusted
        )
    }

    // MARK: Dates

    @Test(arguments: [0, 1, 2])
    func `an expired certificate anywhere in the chain spoils it`(position: Int) throws {
        let old: (inout CertificateRequest) -> Void = { $0.validity = -7200 ... -3600 }
        let certificates = try Hierarchy(
            root: position == 2 ? .authority.with(old) : .authority,
            intermediate: position == 1 ? .authority.with(old) : .authority,
            leaf: position == 0 ? .server.with(old) : .server
        )
        #expect(certificates.verdict().reasons == [.expired])
    }

    @Test(arguments: [0, 1, 2])
    func `a certificate that is not valid yet, anywhere in the chain, spoils it`(position: Int) throws {
        let early: (inout CertificateRequest) -> Void = { $0.validity = 3600...7200 }
        let certificates = try Hierarchy(
            root: position == 2 ? .authority.with(early) : .authority,
            intermediate: position == 1 ? .authority.with(early) : .authority,
            leaf: position == 0 ? .server.with(early) : .server
        )
        #expect(certificates.verdict().reasons == [.notValidYet])
    }

    @Test func `a chain is judged at the date that is asked for`() throws {
        let certificates = try Hierarchy()
        #expect(certificates.verdict(at: Date(timeIntervalSinceNow: 100 * 86_400)).reasons == [.expired])
        #expect(certificates.verdict(at: Date(timeIntervalSinceNow: -100 * 86_400)).reasons == [.notValidYet])
        for seconds in [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude] {
            #expect(!certificates.verdict(at: Date(timeIntervalSinceReferenceDate: seconds)).isTrusted, "\(seconds)")
        }
    }

    @Test func `an anchor that is evaluated itself has to be valid too`() throws {
        let alone = try TestAuthority.root("Alone", .server.with { $0.validity = -7200 ... -3600 })
        #expect(evaluate(alone.der, anchors: [alone.der], for: .basicX509).reasons == [.expired])
    }

    @Test func `where one way is closed, another is found`() throws {
        let certificates = try Hierarchy()
        let expired = try TestAuthority.root(
            "Root",
            key: certificates.root.key,
            .authority.with { $0.validity = -7200 ... -3600 }
        )
        let verdict = evaluate(
            certificates.leaf.der,
            with: [certificates.intermediate.der],
            anchors: [expired.der, certificates.root.der],
            for: .basicX509
        )
        #expect(verdict.isTrusted)
    }

    // MARK: Who may issue

    @Test func `an end certificate cannot issue another`() throws {
        let certificates = try Hierarchy(intermediate: .server)
        #expect(certificates.verdict().reasons.contains(.notAnAuthority))
    }

    @Test func `a certificate of an old version cannot issue another`() throws {
        var request = CertificateRequest()
        request.version = .v1
        let certificates = try Hierarchy(intermediate: request)
        #expect(certificates.verdict().reasons.contains(.notAnAuthority))
    }

    @Test func `an old root is an anchor all the same`() throws {
        var request = CertificateRequest()
        request.version = .v1
        #expect(try Hierarchy(root: request).verdict().isTrusted)
    }

    @Test func `an authority whose key may not sign certificates cannot issue one`() throws {
        let request = CertificateRequest.authority.with {
            $0.keyUsage = KeyUsage(digitalSignature: true, cRLSign: true)
        }
        #expect(try Hierarchy(intermediate: request).verdict().reasons == [.keyUsage])
        #expect(try Hierarchy(root: request).verdict().reasons == [.keyUsage])
        #expect(
            try Hierarchy(intermediate: .authority.with { $0.keyUsage = KeyUsage(keyCertSign: true) }).verdict()
                .isTrusted
        )
    }

    @Test func `a chain is no longer than its authorities allow`() throws {
        let strict = CertificateRequest.authority.with {
            $0.basicConstraints = .isCertificateAuthority(maxPathLength: 0)
        }
        #expect(try Hierarchy(intermediate: strict).verdict().isTrusted)
        #expect(try Hierarchy(root: strict).verdict().reasons == [.pathTooLong])
    }

    @Test func `an authority with constraints on names issues for those alone`() throws {
        let constrained = CertificateRequest.authority.with {
            $0.nameConstraints = NameConstraints(permittedDNSDomains: ["allowed.example"])
        }
        let policy = TrustPolicy.tls(isServer: true, name: nil)
        #expect(
            try Hierarchy(intermediate: constrained, leaf: .server("www.allowed.example")).verdict(for: policy)
                .isTrusted
        )
        #expect(
            try Hierarchy(intermediate: constrained, leaf: .server("www.other.example")).verdict(for: policy).reasons
                == [.constraint]
        )
        let excluding = CertificateRequest.authority.with {
            $0.nameConstraints = NameConstraints(excludedDNSDomains: ["other.example"])
        }
        #expect(
            try Hierarchy(intermediate: excluding, leaf: .server("www.other.example")).verdict(for: policy).reasons
                == [.constraint]
        )
    }

    @Test(arguments: [0, 1, 2])
    func `a critical extension that nobody understands spoils the chain`(position: Int) throws {
        let change: (inout CertificateRequest) -> Void = {
            $0.others = [Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: true, value: [5, 0])]
        }
        let certificates = try Hierarchy(
            root: position == 2 ? .authority.with(change) : .authority,
            intermediate: position == 1 ? .authority.with(change) : .authority,
            leaf: position == 0 ? .server.with(change) : .server
        )
        #expect(!certificates.verdict().isTrusted)
        if position == 0 { #expect(certificates.verdict().reasons.contains(.criticalExtension)) }
    }

    @Test func `an extension that nobody understands harms nothing unless it is critical`() throws {
        let certificates = try Hierarchy(
            leaf: .server.with {
                $0.others = [Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: false, value: [5, 0])]
            }
        )
        #expect(certificates.verdict().isTrusted)
    }

    // MARK: Signatures

    @Test func `a name alone makes no issuer`() throws {
        let certificates = try Hierarchy()
        let impostor = try TestAuthority.root("Root")
        let forged = try impostor.issue("Leaf")
        #expect(!evaluate(forged.der, anchors: [certificates.root.der], for: .basicX509).isTrusted)
    }

    @Test func `a certificate of which a bit was changed is not trusted`() throws {
        let certificates = try Hierarchy()
        let whole = certificates.leaf.der
        for index in stride(from: 0, to: whole.count, by: 3) {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            let verdict = evaluate(
                changed,
                with: [certificates.intermediate.der],
                anchors: [certificates.root.der],
                for: .basicX509
            )
            #expect(!verdict.isTrusted, "byte \(index)")
        }
    }

    @Test func `an intermediate certificate of which a bit was changed leads nowhere`() throws {
        let certificates = try Hierarchy()
        let whole = certificates.intermediate.der
        for index in stride(from: 0, to: whole.count, by: 7) {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            let verdict = evaluate(
                certificates.leaf.der,
                with: [changed],
                anchors: [certificates.root.der],
                for: .basicX509
            )
            #expect(!verdict.isTrusted, "byte \(index)")
        }
    }

    // MARK: No certificates

    @Test func `bytes that are no certificate are not trusted, even as an anchor`() throws {
        let root = try TestAuthority.root("Root")
        let nested = [UInt8](repeating: 0x30, count: 100_000)
        let indefinite = Array(repeating: [0x30, 0x80] as [UInt8], count: 50_000).flatMap { $0 }
        for bytes in [[], [0], [0x30], [0x30, 0x00], nested, indefinite, Array(root.der.dropLast()), root.der + [0]] {
            let verdict = evaluate(bytes, with: [bytes], anchors: [bytes], for: .basicX509)
            #expect(verdict.reasons == [.unreadable])
        }
    }

    @Test func `a certificate that is cut short at any place is not trusted`() throws {
        let root = try TestAuthority.root("Root")
        for length in stride(from: 0, to: root.der.count, by: 5) {
            #expect(!evaluate(Array(root.der.prefix(length)), anchors: [root.der], for: .basicX509).isTrusted)
        }
    }
}

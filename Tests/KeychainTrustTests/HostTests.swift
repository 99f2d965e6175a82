import CertificateTestSupport
import Foundation
import KeychainCertificates
import KeychainTrust
import SwiftASN1
import Testing
import X509

@Suite
struct HostTests {
    private func verdict(_ request: CertificateRequest, host: String?, isServer: Bool = true) throws -> TrustVerdict {
        try Hierarchy(leaf: request).verdict(for: .tls(isServer: isServer, name: host))
    }

    @Test(arguments: [
        ("www.example.com", "www.example.com"), ("WWW.Example.COM", "www.example.com"),
        ("www.example.com", "WWW.EXAMPLE.COM."), ("*.example.com", "www.example.com"),
        ("a_b.example.com", "a_b.example.com"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("localhost", "localhost"),
    ])
    func `a certificate is for the host that it names`(name: String, host: String) throws {
        #expect(try verdict(.server("other.example", name), host: host).isTrusted)
    }

    @Test(arguments: [
        ("www.example.com", "example.com"), ("example.com", "www.example.com"), ("www.example.com", "www.example.org"),
        ("*.example.com", "example.com"), ("*.example.com", "a.b.example.com"), ("*.example.com", ".example.com"),
        ("*.com", "example.com"), ("*", "localhost"), ("*.", "localhost"), ("*.*.com", "www.example.com"),
        ("w*.example.com", "www.example.com"), ("*w.example.com", "www.example.com"), ("www.*.com", "www.example.com"),
        ("xn--*.example.com", "xn--bcher-kva.example.com"), ("*.example.com", "*.example.com"), ("", ""),
        ("www.example.com", ""),
        ("www.example.com", "."), ("127.0.0.1", "127.0.0.1"), ("*.0.0.1", "127.0.0.1"),
        ("www.example.com\0.evil", "www.example.com"),
        ("www.example.com", "www.example.com\0.evil"), ("www.example.com", "www.example.com "),
        ("bücher.example", "bücher.example"),
        ("www..com", "www..com"),
    ])
    func `a certificate is not for a host that it does not name`(name: String, host: String) throws {
        var request = CertificateRequest.server
        request.names = [.dnsName(name)]
        // Such a name cannot even be written.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            #expect(throws: (any Error).self) { try Hierarchy(leaf: request) }
            return
        }
        let certificates = try Hierarchy(leaf: request)
        #expect(!certificates.verdict(for: .tls(isServer: true, name: host)).isTrusted)
        #expect(certificates.verdict(for: .tls(isServer: true, name: host)).reasons.contains(.hostNameMismatch))
    }

    @Test func `an address is matched as an address, never as a name`() throws {
        var request = CertificateRequest.server
        request.names = [
            .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
            .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
        ]
        #expect(try verdict(request, host: "127.0.0.1").isTrusted)
        #expect(try verdict(request, host: "::1").isTrusted)
        #expect(try verdict(request, host: "0:0::1").isTrusted)
        for host in ["127.0.0.2", "::2", "::ffff:127.0.0.1", "127.1", "0x7f.0.0.1", "127.0.0.1.", "localhost"] {
            #expect(try !verdict(request, host: host).isTrusted, "\(host)")
        }
    }

    @Test func `the common name is no name of a host`() throws {
        let root = try TestAuthority.root("Root")
        let leaf = try root.issue("www.example.com", .server.with { $0.names = [] })
        let policy = TrustPolicy.tls(isServer: true, name: "www.example.com")
        #expect(evaluate(leaf.der, anchors: [root.der], for: policy).reasons == [.hostNameMismatch])
    }

    @Test func `alternative names that cannot be read are for no host`() throws {
        var request = CertificateRequest.server
        request.names = []
        request.others = [
            Certificate.Extension(oid: [2, 5, 29, 17], critical: false, value: [0x30, 0x03, 0x82, 0x05])
        ]
        #expect(try verdict(request, host: "server.example").reasons.contains(.hostNameMismatch))
    }

    @Test func `without a host any will do`() throws {
        #expect(try verdict(.server, host: nil).isTrusted)
    }
}

@Suite
struct PurposeTests {
    private func reasons(_ usages: [ExtendedKeyUsage.Usage]?, _ policy: TrustPolicy) throws -> Set<TrustFailure.Reason>
    {
        let hierarchy = try Hierarchy(leaf: .server.with { $0.extendedKeyUsages = usages })
        return hierarchy.verdict(for: policy).reasons
    }

    @Test func `a certificate is good for the purposes that it names`() throws {
        let server = TrustPolicy.tls(isServer: true, name: nil)
        let client = TrustPolicy.tls(isServer: false, name: nil)
        #expect(try reasons([.serverAuth], server).isEmpty)
        #expect(try reasons([.any], server).isEmpty)
        #expect(try reasons([.clientAuth], server) == [.extendedKeyUsage])
        #expect(try reasons(nil, server) == [.extendedKeyUsage])
        #expect(try reasons([.clientAuth], client).isEmpty)
        #expect(try reasons(nil, client).isEmpty)
        #expect(try reasons([.serverAuth], client) == [.extendedKeyUsage])
        #expect(try reasons([.codeSigning], .codeSigning).isEmpty)
        #expect(try reasons([.serverAuth], .codeSigning) == [.extendedKeyUsage])
        #expect(try reasons(nil, .codeSigning) == [.extendedKeyUsage])
        #expect(try reasons([.timeStamping], .timeStamping).isEmpty)
        #expect(try reasons(nil, .timeStamping) == [.extendedKeyUsage])
        #expect(try reasons([.serverAuth], .basicX509).isEmpty)
    }

    @Test func `an authority for other purposes issues none for this one`() throws {
        let limited = CertificateRequest.authority.with { $0.extendedKeyUsages = [.clientAuth] }
        let policy = TrustPolicy.tls(isServer: true, name: nil)
        #expect(try Hierarchy(intermediate: limited).verdict(for: policy).reasons == [.extendedKeyUsage])
        // What an anchor is trusted for is not said in it.
        #expect(try Hierarchy(root: limited).verdict(for: policy).isTrusted)
    }

    @Test func `an authority is no server, unless it is trusted as it is`() throws {
        let both = CertificateRequest.server.with { $0.basicConstraints = .isCertificateAuthority(maxPathLength: nil) }
        let policy = TrustPolicy.tls(isServer: true, name: "server.example")
        #expect(try Hierarchy(leaf: both).verdict(for: policy).reasons == [.isAnAuthority])
        let alone = try TestAuthority.root("Alone", both)
        #expect(evaluate(alone.der, anchors: [alone.der], for: policy).isTrusted)
    }

    @Test func `a server's certificate that is valid for too long is not trusted`() throws {
        let policy = TrustPolicy.tls(isServer: true, name: nil)
        let day = 86_400.0
        #expect(try Hierarchy(leaf: .server.with { $0.validity = -day...(800 * day) }).verdict(for: policy).isTrusted)
        let long = try Hierarchy(leaf: .server.with { $0.validity = -day...(900 * day) })
        #expect(long.verdict(for: policy).reasons == [.validityTooLong])
        #expect(long.verdict(for: .basicX509).isTrusted)
    }

    @Test func `mail is for the address that the certificate names`() throws {
        let request = CertificateRequest().with {
            $0.names = [.rfc822Name("Someone@example.com")]
            $0.extendedKeyUsages = [.emailProtection]
        }
        let hierarchy = try Hierarchy(leaf: request)
        #expect(hierarchy.verdict(for: .mail(address: "someone@example.com")).isTrusted)
        #expect(hierarchy.verdict(for: .mail(address: nil)).isTrusted)
        #expect(hierarchy.verdict(for: .mail(address: "other@example.com")).reasons == [.mailAddressMismatch])
    }

    @Test func `nobody says that a certificate was not revoked`() throws {
        #expect(try reasons([.serverAuth], .revocation(needsPositiveAnswer: true)) == [.revocationUnknown])
        #expect(try reasons([.serverAuth], .revocation(needsPositiveAnswer: false)).isEmpty)
    }

    @Test func `a policy that is not evaluated trusts nothing`() throws {
        #expect(try reasons([.serverAuth], .unsupported("1.2.3")) == [.unsupportedPolicy])
    }

    @Test func `all policies count`() throws {
        let hierarchy = try Hierarchy()
        let verdict = evaluate(
            hierarchy.leaf.der,
            with: [hierarchy.intermediate.der],
            anchors: [hierarchy.root.der],
            for: .basicX509,
            .tls(isServer: true, name: "elsewhere.example")
        )
        #expect(verdict.reasons == [.hostNameMismatch])
    }
}

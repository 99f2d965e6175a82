import CertificateTestSupport
import Foundation
import KeychainCertificates
import KeychainTestSupport
import KeychainTrust
import SwiftASN1
import Testing
import X509

@Suite("Names that an authority does not certify")
struct NameConstraintTests {
    private func reasons(
        of name: String,
        permitted: [String] = [],
        excluded: [String] = [],
        host: String? = nil
    ) throws -> Set<TrustFailure.Reason> {
        let authority = CertificateRequest.authority.with {
            $0.nameConstraints = NameConstraints(permittedDNSDomains: permitted, excludedDNSDomains: excluded)
        }
        return try Hierarchy(intermediate: authority, leaf: .server(name))
            .verdict(for: .tls(isServer: true, name: host)).reasons
    }

    @Test func `a wildcard does not lead to a host that an authority excludes`() throws {
        #expect(
            try reasons(of: "*.example.com", excluded: ["www.example.com"], host: "www.example.com") == [.constraint]
        )
        // The same without the exclusion is trusted.
        #expect(try reasons(of: "*.example.com", excluded: ["www.example.org"], host: "www.example.com").isEmpty)
    }

    @Test(arguments: [
        ("www.example.com", "*.example.com"), ("WWW.Example.COM", "*.example.com"), ("example.com", "*.example.com"),
        ("com", "*.example.com"), (".example.com", "*.example.com"), ("*.example.com", "*.example.com"),
        ("*.example.com", "www.example.com"), ("www.example.com.", "*.example.com"), ("", "*.example.com"),
        ("www.example.com", "*.example.com."), ("www.example.com", "www.example.com."),
        ("example.com", "-www.example.com"), ("-example.com", "www.-example.com"), ("..", "www.example.com"),
        ("www.example.com", "www.example.com"), ("example.com", "a.b.example.com"),
    ])
    func `an excluded name is excluded in whichever way it is written`(excluded: String, name: String) throws {
        #expect(try reasons(of: name, excluded: [excluded]) == [.constraint])
        #expect(try reasons(of: name, excluded: ["other.example", excluded]) == [.constraint])
    }

    @Test(arguments: [
        ("a.www.example.com", "*.example.com"), ("www.example.com", "*.mail.example.com"),
        ("www.example.org", "*.example.com"), ("ample.com", "*.example.com"), ("www.example.com", "mail.example.com"),
        ("www.example.com", "example.com"),
    ])
    func `a name that is not excluded, nor stands for one, is certified`(excluded: String, name: String) throws {
        #expect(try reasons(of: name, excluded: [excluded]).isEmpty)
    }

    @Test(arguments: [("example.com", true), (".example.com", true), ("www.example.com", false), ("ample.com", false)])
    func `a wildcard is permitted only if all that it stands for is`(permitted: String, isTrusted: Bool) throws {
        #expect(try reasons(of: "*.example.com", permitted: [permitted]) == (isTrusted ? [] : [.constraint]))
    }

    @Test func `an exclusion reaches through the authorities below`() throws {
        let excluding = CertificateRequest.authority.with {
            $0.nameConstraints = NameConstraints(excludedDNSDomains: ["www.example.com"])
        }
        let policy = TrustPolicy.tls(isServer: true, name: "mail.example.com")
        let verdict = try Hierarchy(root: excluding, leaf: .server("*.example.com")).verdict(for: policy)
        #expect(verdict.reasons == [.constraint])
    }

    @Test(arguments: ["200101000000+0100", "2001010000Z"])
    func `a certificate with a time that the verifier cannot read is not trusted, not even as an anchor`(
        time: String
    ) throws {
        var crafted = CraftedCertificate()
        crafted.validity = der(0x30, der(0x17, Array(time.utf8)) + der(0x17, Array("400101000000Z".utf8)))
        #expect(CertificateContents(der: crafted.bytes) != nil)
        let verdict = evaluate(crafted.bytes, anchors: [crafted.bytes], for: .basicX509)
        #expect(verdict.reasons == [.unreadable])
    }

    @Test func `what is no certificate is none as an authority either`() throws {
        // The verifier reads an authority whose use of keys is malformed.
        let malformed = CertificateRequest.authority.with {
            $0.others = [Certificate.Extension(oid: [2, 5, 29, 15], critical: false, value: [0x04, 0x01, 0x04])]
        }
        let certificates = try Hierarchy(intermediate: malformed)
        #expect(CertificateContents(der: certificates.intermediate.der) == nil)
        #expect(certificates.verdict().reasons == [.issuerMissing])
        let verdict = evaluate(certificates.intermediate.der, anchors: [certificates.root.der], for: .basicX509)
        #expect(verdict.reasons == [.unreadable])
    }
}

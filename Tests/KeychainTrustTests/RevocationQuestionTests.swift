import CertificateTestSupport
import Foundation
import KeychainCertificates
import KeychainTestSupport
import KeychainTrust
import Testing

@Suite("Questions about revocation")
struct RevocationQuestionTests {
    private let root: TestAuthority
    private let leaf: TestAuthority

    init() throws {
        root = try TestAuthority.root("Root")
        leaf = try root.issue(
            "Leaf",
            .server.answered(
                byServers: ["http://a.example/ocsp", "https://b.example"],
                lists: ["http://a.example/list", "ldap://b.example/list"]
            )
        )
    }

    private func contents(_ holder: TestAuthority) throws -> CertificateContents {
        try #require(CertificateContents(der: holder.der))
    }

    private func question() throws -> OCSPRequest {
        try #require(OCSPRequest(about: contents(leaf), of: contents(root)))
    }

    private func reasons(_ response: [UInt8], answering nonce: [UInt8]?) throws -> Set<TrustFailure.Reason> {
        var evidence = RevocationEvidence(staples: [])
        evidence.add(try #require(OCSPResponse(der: response)), answering: nonce)
        return TrustVerifier(anchors: .only([root.der]), intermediates: []).evaluate(
            leaf.der,
            for: [.revocation(needsPositiveAnswer: true)],
            at: Date.timeIntervalSinceReferenceDate,
            evidence: evidence
        ).verdict.reasons
    }

    @Test func `a certificate says where its issuer answers`() throws {
        let contents = try contents(leaf)
        #expect(contents.ocspServers == ["http://a.example/ocsp", "https://b.example"])
        #expect(contents.revocationListServers == ["http://a.example/list", "ldap://b.example/list"])
        #expect(try self.contents(root).ocspServers.isEmpty)
    }

    @Test func `OpenSSL reads a question as it is meant`() throws {
        let question = try question()
        let text = try OpenSSL.inFolder { folder in
            try Data(question.der).write(to: folder.appending(path: "request"))
            return String(
                decoding: try OpenSSL.run(["ocsp", "-reqin", "request", "-req_text"], in: folder),
                as: UTF8.self
            )
        }
        let number = try contents(leaf).serialNumber.drop { $0 == 0 }.hexadecimal
        #expect(text.contains("Hash Algorithm: sha1"))
        #expect(text.contains(number))
        #expect(text.contains("OCSP Nonce"))
    }

    @Test func `no two questions have the same nonce`() throws {
        let questions = try (0..<16).map { _ in try question() }
        #expect(Set(questions.map(\.nonce)).count == 16)
        #expect(questions.allSatisfy { $0.nonce.count == 34 })
    }

    @Test func `a response with the nonce of another question proves nothing`() throws {
        let (first, second) = (try question(), try question())
        let response = try TestResponses.make(about: leaf, of: root, status: "V", question: first.der)
        #expect(try reasons(response, answering: first.nonce).isEmpty)
        #expect(try reasons(response, answering: second.nonce) == [.revocationUnknown])
        // Brought by a caller, it answers nobody's question.
        #expect(try reasons(response, answering: nil).isEmpty)
        let revoked = try TestResponses.make(about: leaf, of: root, status: "R", question: first.der)
        #expect(try reasons(revoked, answering: second.nonce) == [.revocationUnknown])
        #expect(try reasons(revoked, answering: first.nonce) == [.revoked])
    }

    @Test func `a response that has no nonce and was made in advance counts while it says that it holds`() throws {
        let question = try question()
        let response = try TestResponses.make(about: leaf, of: root, status: "V")
        #expect(try reasons(response, answering: question.nonce).isEmpty)
    }

    @Test func `a response that does not say how long it holds counts only for the question that it was made for`()
        throws
    {
        let (first, second) = (try question(), try question())
        let response = try TestResponses.make(about: leaf, of: root, status: "V", days: nil, question: first.der)
        #expect(try reasons(response, answering: first.nonce).isEmpty)
        #expect(try reasons(response, answering: second.nonce) == [.revocationUnknown])
        #expect(try reasons(response, answering: nil) == [.revocationUnknown])
        let unasked = try TestResponses.make(about: leaf, of: root, status: "V", days: nil)
        #expect(try reasons(unasked, answering: first.nonce) == [.revocationUnknown])
    }
}

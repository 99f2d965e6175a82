import CertificateTestSupport
import Foundation
import KeychainTestSupport
import KeychainTrust
import Security
import Testing

/// Questions to honest servers, and when there are none.
@Suite("Fetching answers about revocation")
struct RevocationFetchTests {
    // MARK: Off by default

    @Test func `nobody is asked unless the program allows it`() throws {
        let site = try RevocationSite(lists: ["list"])
        let any = kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse
        for mayFetch in [nil, false] as [Bool?] {
            #expect(try site.outcome(any, mayFetch: mayFetch) == errSecIncompleteCertRevocationCheck)
            #expect(try site.outcome(kSecRevocationUseAnyAvailableMethod, mayFetch: mayFetch) == errSecSuccess)
        }
        #expect(site.server.requests.isEmpty)
        // The control.
        #expect(try site.outcome(any, mayFetch: true) == errSecIncompleteCertRevocationCheck)
        #expect(site.server.requests.map(\.path) == ["/ocsp", "/list"])
    }

    @Test func `nobody is asked without a policy of revocation that names a method`() throws {
        let site = try RevocationSite(lists: ["list"])
        #expect(try site.outcome(nil) == errSecSuccess)
        #expect(try site.outcome(kSecRevocationRequirePositiveResponse) == errSecIncompleteCertRevocationCheck)
        #expect(try site.outcome(kSecRevocationPreferCRL) == errSecSuccess)
        #expect(site.server.requests.isEmpty)
    }

    @Test func `the option that demands answers asks as a policy does, where the program allows it`() throws {
        let site = try RevocationSite(lists: ["list"])
        for mayFetch in [false, true] {
            let trust = try site.trust(nil, mayFetch: mayFetch)
            SecTrustSetOptions(trust, .requireRevPerCert)
            #expect(site.outcome(of: trust) == errSecIncompleteCertRevocationCheck)
            #expect(site.server.requests.map(\.path) == (mayFetch ? ["/ocsp", "/list"] : []))
        }
    }

    @Test func `nobody is asked where the policy disables the network`() throws {
        let site = try RevocationSite(lists: ["list"])
        let flags = RevocationSite.strict | kSecRevocationCRLMethod | kSecRevocationNetworkAccessDisabled
        #expect(try site.outcome(flags) == errSecIncompleteCertRevocationCheck)
        // In any of several policies.
        let trust = try site.trust(RevocationSite.strict, mayFetch: true)
        let offline = try #require(SecPolicyCreateRevocation(kSecRevocationNetworkAccessDisabled))
        let online = try #require(SecPolicyCreateRevocation(RevocationSite.strict))
        SecTrustSetPolicies(trust, [online, offline] as CFArray)
        #expect(site.outcome(of: trust) == errSecIncompleteCertRevocationCheck)
        #expect(site.server.requests.isEmpty)
    }

    @Test func `nobody is asked about a certificate that leads to no anchor`() throws {
        let site = try RevocationSite()
        // The authority's certificate is at hand, and nobody has said that it is trusted.
        let trust = try site.trust(RevocationSite.strict, mayFetch: true, withAuthority: true)
        var anchors: CFArray?
        SecTrustCopyCustomAnchorCertificates(trust, &anchors)
        SecTrustSetAnchorCertificates(trust, [] as CFArray)
        #expect(site.outcome(of: trust) == errSecNotTrusted)
        #expect(SecTrustGetCertificateCount(trust) == 2)
        #expect(site.server.requests.isEmpty)
        // The control.
        SecTrustSetAnchorCertificates(trust, anchors)
        #expect(site.outcome(of: trust) == errSecIncompleteCertRevocationCheck)
        #expect(site.server.requests.count == 1)
    }

    @Test func `nobody is asked where the certificate came with an answer`() throws {
        let site = try RevocationSite()
        let trust = try site.trust(RevocationSite.strict, mayFetch: true)
        let staple = try TestResponses.make(about: site.leaf, of: site.root, status: "V")
        #expect(SecTrustSetOCSPResponse(trust, Data(staple) as CFData) == errSecSuccess)
        #expect(site.outcome(of: trust) == errSecSuccess)
        #expect(site.server.requests.isEmpty)
    }

    // MARK: Answers

    @Test func `a server that calls the certificate good gives the positive answer that a policy requires`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("V", to: $0) }
        let trust = try site.trust(RevocationSite.strict, mayFetch: true)
        #expect(site.outcome(of: trust) == errSecSuccess)
        let result = try #require(SecTrustCopyResult(trust) as? [String: Any])
        #expect(result["TrustRevocationChecked"] as? Bool == true)
        #expect(result["TrustExpirationDate"] is Date)
    }

    @Test func `a server that calls the certificate revoked has it refused, and no exception lets it pass`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("R", to: $0) }
        for flags in [RevocationSite.lenient, RevocationSite.strict] {
            let trust = try site.trust(flags, mayFetch: true)
            #expect(site.outcome(of: trust) == errSecCertificateRevoked)
            var result = SecTrustResultType.invalid
            SecTrustGetTrustResult(trust, &result)
            #expect(result == .fatalTrustFailure)
            #expect(SecTrustCopyExceptions(trust) == nil)
        }
    }

    @Test func `a question tells the server no more than it has to`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("V", to: $0) }
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
        let request = try #require(site.server.requests.first)
        #expect(request.line == "POST /ocsp HTTP/1.1")
        let names = request.header.compactMap { $0.split(separator: ":").first.map(String.init) }
        #expect(Set(names) == ["host", "accept", "content-type", "content-length"])
        #expect(request.header.contains("content-type: application/ocsp-request"))
        #expect(request.body.count < 200)
    }

    @Test func `OpenSSL's own server is asked and understood`() throws {
        let port = try OpenSSLResponder.freePort()
        let site = try RevocationSite(port: port)
        let good = try OpenSSLResponder(port: port, of: site.root, good: [site.leaf], revoked: [])
        // Its answer has no end, and counts because it has the nonce of the question.
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
        #expect(site.kept.isEmpty)
        withExtendedLifetime(good) {}
    }

    @Test func `OpenSSL's own server says that a certificate was revoked`() throws {
        let port = try OpenSSLResponder.freePort()
        let site = try RevocationSite(port: port)
        let bad = try OpenSSLResponder(port: port, of: site.root, good: [], revoked: [site.leaf])
        #expect(try site.outcome(RevocationSite.lenient) == errSecCertificateRevoked)
        withExtendedLifetime(bad) {}
        let other = try OpenSSLResponder.freePort()
        let stranger = try RevocationSite(port: other)
        let unknowing = try OpenSSLResponder(port: other, of: stranger.root, good: [], revoked: [])
        #expect(try stranger.outcome(RevocationSite.strict) == errSecIncompleteCertRevocationCheck)
        withExtendedLifetime(unknowing) {}
    }

    @Test func `a redirection is followed to where the answer is`() throws {
        let site = try RevocationSite()
        let address = site.server.url("there")
        site.server.answer { $0.path == "/ocsp" ? .redirection(to: address) : site.response("V", to: $0) }
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
        #expect(site.server.requests.map(\.line) == ["POST /ocsp HTTP/1.1", "POST /there HTTP/1.1"])
    }

    // MARK: Lists

    @Test func `a list that names nobody is a positive answer`() throws {
        let site = try RevocationSite(servers: [], lists: ["list"])
        let list = try TestLists.make(by: site.root)
        site.server.answer { _ in .answer(list) }
        #expect(try site.outcome(RevocationSite.strictList) == errSecSuccess)
        let request = try #require(site.server.requests.first)
        #expect(request.line == "GET /list HTTP/1.1")
        #expect(Set(request.header.compactMap { $0.split(separator: ":").first }) == ["host", "accept"])
    }

    @Test func `a certificate on a list that was fetched is refused`() throws {
        let site = try RevocationSite(servers: [], lists: ["list"])
        let list = try TestLists.make(by: site.root, revoked: [(site.leaf, "keyCompromise")])
        site.server.answer { _ in .answer(list) }
        #expect(try site.outcome(kSecRevocationCRLMethod) == errSecCertificateRevoked)
    }

    @Test func `the preferred method comes first, and the other where it brings nothing`() throws {
        for (flags, paths) in [
            (kSecRevocationUseAnyAvailableMethod, ["/ocsp", "/list"]),
            (kSecRevocationUseAnyAvailableMethod | kSecRevocationPreferCRL, ["/list", "/ocsp"]),
            // Nothing is left to prefer.
            (kSecRevocationOCSPMethod | kSecRevocationPreferCRL, ["/ocsp"]),
            (kSecRevocationCRLMethod, ["/list"]),
        ] {
            let site = try RevocationSite(lists: ["list"])
            #expect(try site.outcome(flags) == errSecSuccess)
            #expect(site.server.requests.map(\.path) == paths)
        }
        let site = try RevocationSite(lists: ["list"])
        let list = try TestLists.make(by: site.root, revoked: [(site.leaf, nil)])
        site.server.answer { $0.path == "/list" ? .answer(list) : .answer(status: 500, []) }
        #expect(try site.outcome(kSecRevocationUseAnyAvailableMethod) == errSecCertificateRevoked)
    }

    @Test func `the certificates between the first and the anchor are asked about too`() throws {
        let site = try RevocationSite()
        let server = site.server
        let between = try site.root.issue("Between", .authority.answered(byServers: [server.url("between")]))
        let leaf = try between.issue("Leaf", .server("www.example.com").answered(byServers: [server.url("leaf")]))
        server.answer { request in
            let (subject, issuer, status) =
                request.path == "/leaf" ? (leaf, between, "V" as Character) : (between, site.root, "R")
            let response = try? TestResponses.make(
                about: subject,
                of: issuer,
                status: status,
                question: request.body
            )
            return response.map { .answer($0) } ?? .nothing
        }
        let trust = try site.trust(RevocationSite.strict, mayFetch: true)
        let certificates = [leaf, between].compactMap { SecCertificateCreateWithData(nil, Data($0.der) as CFData) }
        var made: SecTrust?
        let policy = try #require(SecPolicyCreateRevocation(RevocationSite.strict))
        SecTrustCreateWithCertificates(certificates as CFArray, policy, &made)
        let whole = try #require(made)
        var anchors: CFArray?
        SecTrustCopyCustomAnchorCertificates(trust, &anchors)
        SecTrustSetAnchorCertificates(whole, anchors)
        SecTrustSetNetworkFetchAllowed(whole, true)
        #expect(site.outcome(of: whole) == errSecCertificateRevoked)
        #expect(Set(server.requests.map(\.path)) == ["/leaf", "/between"])
    }

    // MARK: The cache

    @Test func `what was answered once is not asked again while it holds`() throws {
        let site = try RevocationSite(lists: ["list"])
        site.server.answer { site.response("V", to: $0) }
        for _ in 0..<3 { #expect(try site.outcome(RevocationSite.strict) == errSecSuccess) }
        #expect(site.server.requests.count == 1)
        #expect(site.kept.count == 1)
        // Nor is the network needed any more.
        let offline = RevocationSite.strict | kSecRevocationNetworkAccessDisabled
        #expect(try site.outcome(offline) == errSecSuccess)
        #expect(try site.outcome(RevocationSite.strict, mayFetch: nil) == errSecSuccess)
        let list = try TestLists.make(by: site.root)
        site.server.answer { _ in .answer(list) }
        for _ in 0..<3 { #expect(try site.outcome(RevocationSite.strictList) == errSecSuccess) }
        #expect(site.server.requests.map(\.path) == ["/ocsp", "/list"])
        #expect(site.kept.count == 2)
    }

    @Test func `that a certificate was revoked is remembered too`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("R", to: $0) }
        for _ in 0..<2 { #expect(try site.outcome(RevocationSite.lenient) == errSecCertificateRevoked) }
        #expect(site.server.requests.count == 1)
    }

    @Test func `a file that somebody has put into the cache is not trusted`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("V", to: $0) }
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
        let name = try #require(site.kept.first)
        let file = URL(filePath: site.folder + "/" + name)
        let whole = try Data(contentsOf: file)
        // The server says now that it was revoked; what lies in the cache must not hide that, whatever it is.
        site.server.answer { site.response("R", to: $0) }
        let namesake = try TestAuthority.root("Root")
        let other = try site.root.issue("Other")
        let forged = [
            try TestResponses.make(about: site.leaf, of: site.root, status: "V", signer: namesake),
            try TestResponses.make(about: other, of: site.root, status: "V"),
            try TestResponses.make(about: site.leaf, of: site.root, status: "V", days: nil),
            [UInt8](repeating: 0x30, count: 1_000), [],
        ]
        for content in forged {
            try (whole.prefix(8) + Data(content)).write(to: file)
            let before = site.server.requests.count
            #expect(try site.outcome(RevocationSite.lenient) == errSecCertificateRevoked)
            #expect(site.server.requests.count == before + 1)
        }
        // The control: what the authority has signed is believed from there.
        try whole.write(to: file)
        #expect(try site.outcome(RevocationSite.lenient) == errSecSuccess)
    }

    @Test func `what is in the cache counts no longer than it says, and goes then`() throws {
        let site = try RevocationSite()
        let leaf = site.leaf
        let root = site.root
        site.server.answer { request in
            let made = try? TestResponses.make(
                about: leaf,
                of: root,
                status: "V",
                days: nil,
                question: request.body,
                response: ["-nmin", "1"]
            )
            return made.map { .answer($0) } ?? .nothing
        }
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
        #expect(site.kept.count == 1)
        let trust = try site.trust(RevocationSite.strict, mayFetch: false)
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 3_600))
        #expect(site.outcome(of: trust) == errSecIncompleteCertRevocationCheck)
        // It was for another date than today's, and stays.
        #expect(site.kept.count == 1)
        #expect(try site.outcome(RevocationSite.strict, mayFetch: false) == errSecSuccess)
    }

    @Test func `without a place for a cache it works all the same`() throws {
        let cached = try RevocationSite()
        let site = RevocationSite(cached, cache: RevocationCache(path: "/proc/none/chatelaine/revocation"))
        site.server.answer { site.response("V", to: $0) }
        for _ in 0..<2 { #expect(try site.outcome(RevocationSite.strict) == errSecSuccess) }
        #expect(site.server.requests.count == 2)
    }

    @Test func `without the library that speaks HTTP nobody is asked`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("V", to: $0) }
        let (strict, lenient) = try RevocationRequest.$libraryOverride.withValue("libcurl-that-is-not-there.so") {
            (try site.outcome(RevocationSite.strict), try site.outcome(RevocationSite.lenient))
        }
        #expect(strict == errSecIncompleteCertRevocationCheck)
        #expect(lenient == errSecSuccess)
        #expect(site.server.requests.isEmpty)
        // The control.
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
    }

    @Test func `many threads ask at once`() throws {
        let site = try RevocationSite()
        site.server.answer { site.response("V", to: $0) }
        let outcomes = Outcomes()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let outcome = (try? site.outcome(RevocationSite.strict)) ?? -1
            outcomes.add(outcome)
        }
        #expect(outcomes.all == Array(repeating: errSecSuccess, count: 8))
    }
}

/// What several threads find out.
private final class Outcomes: @unchecked Sendable {
    // `@unchecked`: the lock guards the values.
    private let lock = NSLock()
    private var values: [OSStatus] = []

    func add(_ value: OSStatus) { lock.withLock { values.append(value) } }

    var all: [OSStatus] { lock.withLock { values } }
}

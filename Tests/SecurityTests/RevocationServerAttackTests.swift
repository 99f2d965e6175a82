import CertificateTestSupport
import Foundation
import KeychainTestSupport
import KeychainTrust
import Security
import Testing

/// Servers that answer wrongly, or not at all. What they say is no answer: a policy that requires one fails, in a way that
/// an exception may let pass, and any other policy trusts as before.
@Suite("Hostile revocation servers")
struct RevocationServerAttackTests {
    /// Evaluates while the server is hostile, and afterwards while it is honest.
    private func expectNoAnswer(
        _ site: RevocationSite,
        strict: CFOptionFlags = RevocationSite.strict,
        honest: LoopbackServer.Reply? = nil,
        requests: Int? = nil,
        _ handler: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply
    ) throws {
        site.server.answer(handler)
        let began = ContinuousClock.now
        let trust = try site.trust(strict, mayFetch: true)
        #expect(site.outcome(of: trust) == errSecIncompleteCertRevocationCheck)
        var result = SecTrustResultType.invalid
        SecTrustGetTrustResult(trust, &result)
        #expect(result == .recoverableTrustFailure)
        let asked = site.server.requests.count
        #expect(requests == nil ? asked > 0 : asked == requests, "\(asked)")
        #expect(try site.outcome(strict & ~kSecRevocationRequirePositiveResponse) == errSecSuccess)
        #expect(ContinuousClock.now - began < site.limits.total * 2 + .seconds(5))
        #expect(site.kept.isEmpty)
        var patient = site
        patient.limits = RevocationSite.patience
        site.server.answer { honest ?? site.response("V", to: $0) }
        let before = site.server.requests.count
        let afterwards = ContinuousClock.now
        let outcome = try patient.outcome(strict)
        #expect(
            outcome == errSecSuccess,
            "\(site.server.requests.count - before) requests in \(ContinuousClock.now - afterwards); \(site.server.troubles)"
        )
    }

    private func shortSite(lists: Bool = false) throws -> RevocationSite {
        var site = try RevocationSite(servers: lists ? [] : ["ocsp"], lists: lists ? ["list"] : [])
        site.limits.perRequest = .seconds(1)
        return site
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433", "[::ffff:127.0.0.1]"])
    func `a certificate does not have this machine's own services asked`(host: String) throws {
        var site = try RevocationSite(lists: ["list"], host: host)
        site.limits.mayBeNearby = false
        site.server.answer { [site] in site.response("V", to: $0) }
        for method in [RevocationSite.strict, RevocationSite.strictList] {
            #expect(try site.outcome(method) == errSecIncompleteCertRevocationCheck)
        }
        #expect(site.server.requests.isEmpty)
        // The control: the address does lead here.
        site.limits.mayBeNearby = true
        #expect(try site.outcome(RevocationSite.strict) == errSecSuccess)
    }

    @Test func `a response that is too long is broken off`() throws {
        let site = try RevocationSite()
        try expectNoAnswer(site) { _ in .endless }
        // Not even what two sockets and their buffers hold beyond what is read.
        #expect(site.server.sentBytes < 64 << 20)
    }

    @Test func `a list that is too long is broken off`() throws {
        let site = try RevocationSite(servers: [], lists: ["list"])
        let list = try TestLists.make(by: site.root)
        try expectNoAnswer(site, strict: RevocationSite.strictList, honest: .answer(list)) { _ in .endless }
        #expect(site.server.sentBytes < 128 << 20)
    }

    @Test func `a header that is too long is broken off`() throws {
        let site = try RevocationSite()
        let line = "X: " + String(repeating: "x", count: 1_000) + "\r\n"
        let head = Array(("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 100)).utf8)
        let (leaf, root) = (site.leaf, site.root)
        try expectNoAnswer(site) { request in
            let response = (try? TestResponses.make(about: leaf, of: root, status: "V", question: request.body)) ?? []
            return .bytes(head + Array("\r\n".utf8) + response)
        }
    }

    @Test func `a server that answers a byte at a time is not waited for`() throws {
        let site = try shortSite()
        let response = try TestResponses.make(about: site.leaf, of: site.root, status: "V")
        try expectNoAnswer(site) { _ in .trickle(response, pause: 50_000) }
    }

    @Test func `servers that are slow one after the other end with the whole evaluation's time`() throws {
        var site = try RevocationSite(servers: ["a", "b"], lists: ["c", "d"])
        site.limits.perRequest = .seconds(1)
        site.limits.total = .milliseconds(2_500)
        site.server.answer { _ in .trickle([UInt8](repeating: 0, count: 1_000), pause: 100_000) }
        let began = ContinuousClock.now
        #expect(try site.outcome(kSecRevocationUseAnyAvailableMethod) == errSecSuccess)
        #expect(ContinuousClock.now - began < .milliseconds(4_000))
        let asked = site.server.requests.map(\.path)
        #expect(asked.count >= 2 && ["/a", "/b", "/c"].starts(with: asked), "\(asked)")
    }

    @Test func `no more servers are asked than the limits allow`() throws {
        var site = try RevocationSite(servers: (0..<20).map { "s\($0)" }, lists: (0..<20).map { "l\($0)" })
        #expect(try site.outcome(kSecRevocationUseAnyAvailableMethod) == errSecSuccess)
        #expect(site.server.requests.map(\.path) == ["/s0", "/s1", "/l0", "/l1"])
        site.limits.mostRequests = 3
        #expect(try site.outcome(kSecRevocationUseAnyAvailableMethod) == errSecSuccess)
        #expect(site.server.requests.count == 4 + 3)
    }

    @Test func `a server that nobody can reach is no answer`() throws {
        let port = try OpenSSLResponder.freePort()
        let site = try RevocationSite(port: port)
        #expect(try site.outcome(RevocationSite.strict) == errSecIncompleteCertRevocationCheck)
        #expect(try site.outcome(RevocationSite.lenient) == errSecSuccess)
    }

    @Test func `a response that is not signed, or by somebody else, is no answer`() throws {
        let site = try RevocationSite()
        let namesake = try TestAuthority.root("Root")
        let (leaf, root) = (site.leaf, site.root)
        try expectNoAnswer(site) { request in
            let made = try? TestResponses.make(
                about: leaf,
                of: root,
                status: "V",
                signer: namesake,
                question: request.body
            )
            return made.map { .answer($0) } ?? .nothing
        }
        // The signature is at the end where no certificates are.
        let unsigned = try RevocationSite()
        let response = try TestResponses.make(
            about: unsigned.leaf,
            of: unsigned.root,
            status: "V",
            response: ["-resp_no_certs"]
        )
        let bytes = response.dropLast(32) + [UInt8](repeating: 0, count: 32)
        try expectNoAnswer(unsigned, honest: .answer(response)) { _ in .answer(Array(bytes)) }
    }

    @Test func `a response about another certificate is no answer`() throws {
        let site = try RevocationSite()
        let other = try site.root.issue("Other")
        let response = try TestResponses.make(about: other, of: site.root, status: "V")
        try expectNoAnswer(site) { _ in .answer(response) }
    }

    @Test func `a response that was made for an earlier question is no answer`() throws {
        let site = try RevocationSite()
        // Somebody who listens keeps what the server has answered.
        let recorder = try RevocationSite()
        recorder.server.answer { recorder.response("V", to: $0) }
        #expect(try recorder.outcome(RevocationSite.strict) == errSecSuccess)
        let old = try #require(recorder.server.requests.first).body
        let strange = try TestResponses.make(about: recorder.leaf, of: recorder.root, status: "V", question: old)
        #expect(!strange.isEmpty)
        let own = Recorded()
        site.server.answer { request in
            own.keep(request.body)
            return .nothing
        }
        #expect(try site.outcome(RevocationSite.lenient) == errSecSuccess)
        let first = try #require(own.value)
        let replayed = try TestResponses.make(about: site.leaf, of: site.root, status: "V", question: first)
        try expectNoAnswer(site) { _ in .answer(replayed) }
    }

    @Test func `a response that has expired is no answer`() throws {
        let site = try RevocationSite(servers: [], lists: ["list"])
        let list = try TestLists.make(by: site.root)
        let expired = try TestLists.make(
            by: site.root,
            options: ["-crl_lastupdate", "250101000000Z", "-crl_nextupdate", "250201000000Z"]
        )
        try expectNoAnswer(site, strict: RevocationSite.strictList, honest: .answer(list)) { _ in .answer(expired) }
        // A response of a minute, ten minutes later.
        let server = try RevocationSite()
        let response = try TestResponses.make(
            about: server.leaf,
            of: server.root,
            status: "V",
            days: nil,
            response: ["-nmin", "1"]
        )
        server.server.answer { _ in .answer(response) }
        let trust = try server.trust(RevocationSite.strict, mayFetch: true)
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 600))
        #expect(server.outcome(of: trust) == errSecIncompleteCertRevocationCheck)
        #expect(try server.outcome(RevocationSite.strict) == errSecSuccess)
    }

    @Test func `a list that is forged, of another issuer, or of changes alone is no answer`() throws {
        for kind in 0..<3 {
            let site = try RevocationSite(servers: [], lists: ["list"])
            let list = try TestLists.make(by: site.root)
            let hostile =
                switch kind {
                case 0: try TestLists.make(by: TestAuthority.root("Root"))
                case 1: try TestLists.make(by: TestAuthority.root("Stranger"))
                default: try TestLists.make(by: site.root, extensions: ["2.5.29.27=critical,DER:020101"])
                }
            try expectNoAnswer(site, strict: RevocationSite.strictList, honest: .answer(list)) { _ in .answer(hostile) }
        }
    }

    @Test func `a redirection that leads to itself ends`() throws {
        let site = try RevocationSite()
        let address = site.server.url("ocsp")
        try expectNoAnswer(site, requests: 4) { _ in .redirection(to: address) }
    }

    @Test func `a redirection to a file is not followed`() throws {
        let site = try RevocationSite(servers: [], lists: ["list"])
        let list = try TestLists.make(by: site.root)
        let file = FileManager.default.temporaryDirectory.path + "/list-\(UUID().uuidString)"
        try Data(list).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for address in ["file://" + file, "file://localhost" + file, "FILE://" + file] {
            site.server.answer { _ in .redirection(to: address) }
            #expect(try site.outcome(RevocationSite.strictList) == errSecIncompleteCertRevocationCheck, "\(address)")
        }
        try expectNoAnswer(site, strict: RevocationSite.strictList, honest: .answer(list), requests: 4) { _ in
            .redirection(to: "file://" + file)
        }
    }

    @Test func `an error of the server's is no answer, whatever comes with it`() throws {
        for status in [500, 404, 206, 304, 100] {
            let site = try shortSite()
            let response = try TestResponses.make(about: site.leaf, of: site.root, status: "V")
            try expectNoAnswer(site) { _ in .answer(status: status, response) }
        }
    }

    @Test func `a server that says that it has no answer has none`() throws {
        for status in 1...6 as ClosedRange<UInt8> {
            let site = try RevocationSite()
            try expectNoAnswer(site) { _ in .answer([0x30, 3, 0x0A, 1, status]) }
        }
    }

    @Test func `garbage is no answer`() throws {
        let garbage = [UInt8](repeating: 0xA5, count: 5_000)
        for reply in [.answer(garbage), .bytes(garbage), .bytes([]), .answer([])] as [LoopbackServer.Reply] {
            let site = try RevocationSite()
            try expectNoAnswer(site) { _ in reply }
        }
    }

    @Test func `a connection that is closed is no answer`() throws {
        let site = try RevocationSite()
        try expectNoAnswer(site) { _ in .nothing }
        let half = try RevocationSite()
        let response = try TestResponses.make(about: half.leaf, of: half.root, status: "V")
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(response.count + 1)\r\n\r\n".utf8)
        try expectNoAnswer(half) { _ in .bytes(head + response) }
    }
}

/// A value that another thread brings.
private final class Recorded: @unchecked Sendable {
    // `@unchecked`: the lock guards the value.
    private let lock = NSLock()
    private var bytes: [UInt8]?

    func keep(_ bytes: [UInt8]) { lock.withLock { self.bytes = self.bytes ?? bytes } }

    var value: [UInt8]? { lock.withLock { bytes } }
}

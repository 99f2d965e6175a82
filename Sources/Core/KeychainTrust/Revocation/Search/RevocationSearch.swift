import Foundation
import KeychainCertificates

/// The search for answers about the certificates of a chain: in the cache, and from servers if they may be asked.
///
/// It takes steps. Whoever drives it sends the requests, with nothing held that others wait for:
///
///     while let request = search.next() { search.take(request.send()) }
package struct RevocationSearch: Sendable {
    private let date: Double
    private let cache: RevocationCache?
    private let limits: RevocationLimits
    private let deadline: ContinuousClock.Instant
    /// Certificates about which nothing is known yet, each with its issuer.
    private let links: [(certificate: [UInt8], issuer: [UInt8])]
    /// What can be asked, in the order in which it is.
    private var questions: ArraySlice<Question> = []
    /// The one to which the answer is awaited.
    private var awaited: (question: Question, nonce: [UInt8]?)?
    private var requestCount = 0
    private var answered: Set<Int> = []
    private var found: RevocationEvidence

    private struct Question: Sendable {
        let link: Int
        let method: RevocationDemand.Method
        let server: RevocationServer
        /// Under which the answer is kept.
        let name: String
    }

    /// - Parameters:
    ///   - outcome: of an evaluation with what is at hand.
    ///   - evidence: that.
    /// - Returns: nil where there is nothing to be asked.
    package init?(for demand: RevocationDemand, after outcome: TrustOutcome, evidence: RevocationEvidence) {
        guard let findings = outcome.revocation, findings.revoked.isEmpty, !findings.open.isEmpty else { return nil }
        let chain = outcome.verdict.chain
        date = outcome.date
        cache = RevocationCache.current
        limits = .current
        deadline = .now + limits.total
        links = findings.open.filter { $0 + 1 < chain.count }.map { (chain[$0], chain[$0 + 1]) }
        found = evidence
        for index in links.indices { open(index, demand) }
    }

    /// What was at hand and what was found; nil if nothing was found.
    package var evidence: RevocationEvidence? { answered.isEmpty ? nil : found }

    /// The next question; nil where all is known, nobody is left to be asked, or the time is over.
    package mutating func next() -> RevocationRequest? {
        while let question = questions.popFirst() {
            guard requestCount < limits.mostRequests, .now < deadline else { return nil }
            guard !answered.contains(question.link), let link = link(question.link) else { continue }
            // Nobody to speak HTTP: nobody is asked.
            guard RevocationRequest.prepare() else { return nil }
            let request =
                question.method == .server ? OCSPRequest(about: link.subject, of: link.authority) : nil
            guard question.method == .list || request != nil else { continue }
            requestCount += 1
            awaited = (question, request?.nonce)
            return RevocationRequest(
                server: question.server,
                question: request,
                deadline: deadline,
                limits: limits
            )
        }
        return nil
    }

    /// Takes what came as the answer to the last question. What proves nothing is as if it had not come.
    package mutating func take(_ answer: [UInt8]?) {
        guard let (question, nonce) = awaited else { return }
        awaited = nil
        guard let answer, let end = keep(answer, question.method, answering: nonce, about: question.link) else {
            return
        }
        // What holds for this moment only is not kept.
        guard end > date else { return }
        cache?.store(answer, as: question.method, named: question.name)
    }

    /// Looks into the cache, and sets down what can be asked if that is not enough.
    private mutating func open(_ index: Int, _ demand: RevocationDemand) {
        guard let link = link(index) else { return }
        var asked: [Question] = []
        for method in demand.methods {
            for server in servers(for: method, link.subject) {
                asked.append(
                    Question(
                        link: index,
                        method: method,
                        server: server,
                        name: method == .server
                            ? RevocationName.responses(about: link.subject, of: link.authority)
                            : RevocationName.list(of: link.authority, at: server.url)
                    )
                )
            }
        }
        for question in asked where !answered.contains(index) {
            guard let kept = cache?.contents(of: question.method, named: question.name) else { continue }
            // What proves nothing now never will, and what proved nothing at another date may.
            if keep(kept, question.method, answering: nil, about: index) == nil, isAboutNow {
                cache?.remove(question.method, named: question.name)
            }
        }
        if demand.mayFetch, !answered.contains(index) { questions += asked }
    }

    private var isAboutNow: Bool { abs(Date.timeIntervalSinceReferenceDate - date) <= OCSPCheck.clockSkew }

    private func servers(for method: RevocationDemand.Method, _ subject: CertificateContents) -> [RevocationServer] {
        let addresses = method == .server ? subject.ocspServers : subject.revocationListServers
        return Array(addresses.lazy.compactMap { RevocationServer($0) }.prefix(limits.mostServers))
    }

    private func link(_ index: Int) -> RevocationLink? {
        RevocationLink(links[index].certificate, issuedBy: links[index].issuer)
    }

    /// Keeps what proves something about a certificate.
    ///
    /// - Returns: until when it holds; nil if it proves nothing.
    private mutating func keep(
        _ bytes: [UInt8],
        _ method: RevocationDemand.Method,
        answering nonce: [UInt8]?,
        about index: Int
    ) -> Double? {
        var alone = RevocationEvidence(staples: [])
        var all = found
        switch method {
        case .server:
            guard let response = OCSPResponse(der: bytes) else { return nil }
            alone.add(response, answering: nonce)
            all.add(response, answering: nonce)
        case .list:
            guard let list = RevocationList(der: bytes) else { return nil }
            alone.add(list)
            all.add(list)
        }
        guard let proof = link(index)?.proof(in: alone, at: date) else { return nil }
        found = all
        answered.insert(index)
        return proof.validUntil
    }
}

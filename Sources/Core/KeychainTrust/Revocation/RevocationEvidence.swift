package import KeychainCertificates

/// What is at hand that may prove something about revocation. Whether it does is `RevocationCheck`'s to find out: anybody
/// may have made it.
package struct RevocationEvidence: Sendable {
    /// A response, and what was sent along with the question that it answers.
    struct Response: Sendable {
        let response: OCSPResponse
        /// What the extension nonce of the question contained; nil for a response that nobody asked for.
        let nonce: [UInt8]?
    }

    private(set) var responses: [Response]
    private(set) var lists: [RevocationList] = []

    /// - Parameter staples: responses of revocation servers (RFC 6960) in DER, which anybody may have brought. What is
    ///   none is left out, and what is beyond `RevocationCheck.mostResponses`.
    package init(staples: [[UInt8]]) {
        responses = staples.prefix(RevocationCheck.mostResponses).compactMap { der in
            OCSPResponse(der: der).map { Response(response: $0, nonce: nil) }
        }
    }

    var isEmpty: Bool { responses.isEmpty && lists.isEmpty }

    package mutating func add(_ response: OCSPResponse, answering nonce: [UInt8]?) {
        responses.append(Response(response: response, nonce: nonce))
    }

    package mutating func add(_ list: RevocationList) {
        lists.append(list)
    }
}

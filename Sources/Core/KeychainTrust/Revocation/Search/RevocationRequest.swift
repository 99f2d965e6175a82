import CKeychainLibcurl
import CKeychainLinux
import KeychainCertificates

/// One question about revocation, to one server. It is sent between two steps of a search, by whoever drives that.
package struct RevocationRequest: Sendable {
    let server: RevocationServer
    /// What is asked; nil where a list is fetched.
    let question: OCSPRequest?
    let deadline: ContinuousClock.Instant
    let limits: RevocationLimits
    let mostBytes: Int

    init(
        server: RevocationServer,
        question: OCSPRequest?,
        deadline: ContinuousClock.Instant,
        limits: RevocationLimits
    ) {
        self.server = server
        self.question = question
        self.deadline = deadline
        self.limits = limits
        mostBytes = question == nil ? RevocationList.mostBytes : OCSPResponse.mostBytes
    }

    /// Loads the library that speaks HTTP.
    ///
    /// - Returns: whether it is there.
    static func prepare() -> Bool {
        unsafe clibcurl_prepare(library) && proxies != .withCredentials
    }

    private static var library: String { libraryOverride ?? "libcurl.so.4" }

    /// Another name of the library for the current task, so that tests can do without.
    @TaskLocal package static var libraryOverride: String?

    /// Sends it, and waits for the answer no longer than the search has time. No lock is held meanwhile.
    ///
    /// - Returns: what came, whatever it is; nil for no answer.
    package func send() -> [UInt8]? {
        let left = min(limits.perRequest, deadline - .now)
        let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return nil }
        let proxies = Self.proxies
        guard proxies != .withCredentials else { return nil }
        let isQuestion = question != nil
        return unsafe server.url.withCString { url in
            unsafe (question?.der ?? []).withUnsafeBufferPointer { body in
                unsafe Self.contentType.withCString { contentType in
                    unsafe (isQuestion ? Self.responsesAccepted : Self.listsAccepted).withCString { accepted in
                        unsafe Self.answer(
                            to: clibcurl_request(
                                url: url,
                                body: isQuestion ? body.baseAddress : nil,
                                body_count: body.count,
                                content_type: isQuestion ? contentType : nil,
                                accept: accepted,
                                time_limit: Int(milliseconds),
                                most_bytes: mostBytes,
                                most_redirections: RevocationLimits.mostRedirections,
                                uses_proxies: proxies == .plain,
                                may_be_nearby: limits.mayBeNearby
                            )
                        )
                    }
                }
            }
        }
    }

    // RFC 6960, appendix A.1; RFC 2585, section 4.2.
    private static var contentType: String { "Content-Type: application/ocsp-request" }
    private static var responsesAccepted: String { "Accept: application/ocsp-response" }
    private static var listsAccepted: String { "Accept: application/pkix-crl" }

    private static func answer(to request: clibcurl_request) -> [UInt8]? {
        var answer = unsafe clibcurl_answer()
        let status = unsafe withUnsafePointer(to: request) { unsafe clibcurl_fetch(library, $0, &answer) }
        defer { unsafe clibcurl_free(&answer) }
        guard status == CLIBCURL_OK else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: answer.bytes, count: answer.count))
    }

    private enum Proxies {
        case none
        case plain
        /// They would be told a name and a password. Nor is there a way around them: the user wants them to be used.
        case withCredentials
    }

    /// What the environment says of proxies. In a program with other rights than its caller's it says nothing.
    private static var proxies: Proxies {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let values = names.compactMap { (name: String) -> String? in
            unsafe clinux_environment(name).map { unsafe String(cString: $0) }
        }
        if values.contains(where: { $0.contains("@") }) { return .withCredentials }
        return values.allSatisfy(\.isEmpty) ? .none : .plain
    }
}

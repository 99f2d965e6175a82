import Foundation

/// Answers what a session is asked.
open class SessionDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    typealias ChallengeEvaluation = (
        disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?, error: (any Error)?
    )

    #if canImport(Security)
    private let evaluators: [String: any TrustEvaluating]
    public var clientIdentity: ClientIdentity?

    public init(evaluators: [String: any TrustEvaluating] = [:]) { self.evaluators = evaluators }
    #endif

    /// The kinds of challenges that came.
    public private(set) var challenges: [String] = []

    open func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenges.append(challenge.protectionSpace.authenticationMethod)
        let evaluation: ChallengeEvaluation
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest:
            evaluation = (.useCredential, challenge.proposedCredential, nil)
        #if canImport(Security)
        case NSURLAuthenticationMethodServerTrust: evaluation = evaluate(challenge)
        case NSURLAuthenticationMethodClientCertificate: evaluation = identify(challenge)
        #endif
        default: evaluation = (.performDefaultHandling, nil, nil)
        }
        completionHandler(evaluation.disposition, evaluation.credential)
    }

    #if canImport(Security)
    func evaluate(_ challenge: URLAuthenticationChallenge) -> ChallengeEvaluation {
        let host = challenge.protectionSpace.host
        guard challenge.protectionSpace.isServerTrust, let trust = challenge.protectionSpace.serverTrust else {
            return (.performDefaultHandling, nil, nil)
        }
        do {
            guard let evaluator = evaluators[host] else { return (.performDefaultHandling, nil, nil) }
            try evaluator.evaluate(trust, forHost: host)
            return (.useCredential, URLCredential(trust: trust), nil)
        } catch {
            return (.cancelAuthenticationChallenge, nil, error)
        }
    }

    func identify(_ challenge: URLAuthenticationChallenge) -> ChallengeEvaluation {
        guard challenge.previousFailureCount == 0, let clientIdentity else {
            return (.rejectProtectionSpace, nil, nil)
        }
        let credential = URLCredential(identity: clientIdentity, certificates: nil, persistence: .forSession)
        return (.useCredential, credential, nil)
    }
    #endif
}

#if canImport(Security)
extension URLProtectionSpace {
    var isServerTrust: Bool { authenticationMethod == NSURLAuthenticationMethodServerTrust && serverTrust != nil }
}
#endif

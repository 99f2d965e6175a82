import CoreFoundationAliases
import Foundation

/// The outcome of an evaluation.
struct TrustEvaluation: Sendable {
    /// One reason why a certificate is not trusted.
    struct Failure: Sendable {
        let status: OSStatus
        /// A sentence for people.
        let message: String
        /// Whether no exception lets it pass.
        let isFatal: Bool
    }

    /// When it was made.
    let date: Date
    /// From the certificate to the anchor, or as far as that goes.
    let chain: [SecCertificate]
    /// What speaks against the certificate, the weightiest first; nothing if it is trusted.
    let failures: [Failure]
    /// Whether all that is there is let pass.
    let isExcepted: Bool

    var isTrusted: Bool { failures.isEmpty || isExcepted }

    var resultType: SecTrustResultType {
        if failures.isEmpty { return .unspecified }
        if isExcepted { return .proceed }
        return failures.contains { $0.isFatal } ? .fatalTrustFailure : .recoverableTrustFailure
    }

    /// Why it is not trusted; nil if it is.
    var error: NSError? {
        guard !isTrusted, let first = failures.first else { return nil }
        let messages = failures.map(\.message).joined(separator: " ")
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(first.status),
            userInfo: [NSLocalizedDescriptionKey: messages]
        )
    }

    init(of settings: TrustSettings) {
        date = Date()
        chain = Array(settings.certificates.prefix(1))
        failures = [
            Failure(status: errSecUnimplemented, message: "Certificates are not evaluated yet.", isFatal: true)
        ]
        isExcepted = false
    }
}

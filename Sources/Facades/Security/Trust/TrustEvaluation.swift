import CoreFoundationAliases
import Foundation
import SecurityObjects

@_implementationOnly import KeychainModel
@_implementationOnly import KeychainTrust

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

    /// Whether revocation is known of each certificate that has an issuer, or one of them was revoked.
    let isRevocationChecked: Bool
    /// Until when what is known of revocation is right; nil if nothing is.
    let revocationIsKnownUntil: Date?

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

    init(of settings: TrustSettings, _ outcome: TrustOutcome) {
        let revocation = outcome.revocation
        isRevocationChecked = revocation.map { $0.isComplete || !$0.revoked.isEmpty } ?? false
        revocationIsKnownUntil = (revocation?.validUntil).map { Date(timeIntervalSinceReferenceDate: $0) }
        date = Date()
        switch outcome.verdict {
        case .isTrusted(let chain):
            self.chain = Self.objects(for: chain, of: settings)
            failures = []
            isExcepted = false
        case .isNotTrusted(let failures, let chain):
            self.chain = Self.objects(for: chain, of: settings)
            let counting = failures.filter { !settings.options.letPass($0) }.map(Failure.init)
            self.failures = counting
            isExcepted = settings.exceptions?.letPass(counting) ?? false
        }
    }

    /// The outcome of one that could not be made.
    init(failingWith error: KeychainError) {
        date = Date()
        isRevocationChecked = false
        revocationIsKnownUntil = nil
        chain = []
        failures = [Failure(status: error.status, message: error.message, isFatal: true)]
        isExcepted = false
    }

    /// The caller's own objects where they are of the chain, as Apple has it, and new ones for the rest.
    private static func objects(for chain: [[UInt8]], of settings: TrustSettings) -> [SecCertificate] {
        let known = settings.certificates + (settings.anchors ?? [])
        return chain.compactMap { bytes in
            known.first { $0.der.elementsEqual(bytes) } ?? SecCertificateCreateWithData(nil, NSData(copying: bytes))
        }
    }
}

extension TrustEvaluation.Failure {
    init(_ failure: TrustFailure) {
        status = failure.reason.status
        message = failure.message
        isFatal = failure.isFatal
    }
}

extension SecTrustOptionFlags {
    /// Whether a failure counts for nothing.
    fileprivate func letPass(_ failure: TrustFailure) -> Bool {
        switch failure.reason {
        case .expired: contains(.allowExpired) || failure.isAboutAnchor && contains(.allowExpiredRoot)
        case .isAnAuthority: contains(.leafIsCA)
        case .noAnchor: contains(.implicitAnchors)
        default: false
        }
    }
}

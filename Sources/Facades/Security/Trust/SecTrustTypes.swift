public import CoreFoundationAliases
public import Foundation

/// The outcome of an evaluation.
public enum SecTrustResultType: UInt32, Sendable {
    /// Not evaluated yet.
    case invalid = 0
    /// Trusted, since the user said so.
    case proceed = 1
    @available(*, deprecated)
    case confirm = 2
    /// The user does not trust it.
    case deny = 3
    /// Trusted, though the user has not decided about this very certificate.
    case unspecified = 4
    /// Not trusted as it is; with other settings it may be.
    case recoverableTrustFailure = 5
    /// Not trusted, with whichever settings.
    case fatalTrustFailure = 6
    /// The evaluation itself failed.
    case otherError = 7
}

/// What an evaluation lets pass (macOS).
public struct SecTrustOptionFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Certificates that have expired.
    public static let allowExpired = SecTrustOptionFlags(rawValue: 1 << 0)
    /// An authority's certificate as the one that is evaluated.
    public static let leafIsCA = SecTrustOptionFlags(rawValue: 1 << 1)
    /// Fetching issuers from the network.
    public static let fetchIssuerFromNet = SecTrustOptionFlags(rawValue: 1 << 2)
    /// Anchors that have expired.
    public static let allowExpiredRoot = SecTrustOptionFlags(rawValue: 1 << 3)
    /// A positive answer about revocation for each certificate.
    public static let requireRevPerCert = SecTrustOptionFlags(rawValue: 1 << 4)
    /// The user's trust settings.
    public static let useTrustSettings = SecTrustOptionFlags(rawValue: 1 << 5)
    /// Self-signed certificates as anchors.
    public static let implicitAnchors = SecTrustOptionFlags(rawValue: 1 << 6)
}

/// Receives the outcome of `SecTrustEvaluateAsync`.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void

/// Receives the outcome of `SecTrustEvaluateAsyncWithError`: whether the certificate is trusted, and if not, why.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

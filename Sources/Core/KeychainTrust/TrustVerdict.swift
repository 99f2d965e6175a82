/// The answer to whether a certificate is trusted. The chains begin with that certificate, each as its DER bytes.
package enum TrustVerdict: Sendable, Equatable {
    /// It leads to an anchor, which ends the chain, and meets all policies.
    case isTrusted(chain: [[UInt8]])
    /// At least one thing speaks against it. The chain goes as far as issuers were found.
    case isNotTrusted([TrustFailure], chain: [[UInt8]])

    /// The chain, however far it goes.
    package var chain: [[UInt8]] {
        switch self {
        case .isTrusted(let chain), .isNotTrusted(_, let chain): chain
        }
    }
}

/// One thing that speaks against a certificate.
package struct TrustFailure: Sendable, Equatable {
    package enum Reason: Sendable, CaseIterable {
        /// The bytes are no certificate, or hold a key of a kind that is not supported.
        case unreadable
        case expired
        case notValidYet
        case hostNameMismatch
        case mailAddressMismatch
        /// The chain ends in a certificate that signed itself and is no anchor.
        case noAnchor
        /// No issuer that signed it is at hand.
        case issuerMissing
        case extendedKeyUsage
        case keyUsage
        /// Something signed a certificate that may not.
        case notAnAuthority
        /// An authority where an end is asked for.
        case isAnAuthority
        case weakDigest
        case validityTooLong
        case criticalExtension
        case pathTooLong
        /// Another rule of RFC 5280 is broken: a constraint of names, or the form of an extension.
        case constraint
        /// An authority has taken one of the certificates back.
        case revoked
        case revocationUnknown
        case unsupportedPolicy
        /// The verifier itself failed.
        case internalError
    }

    package let reason: Reason
    /// One sentence for people. It names certificates, and nothing of them that is not in them.
    package let message: String
    /// Whether it is the anchor of which it is said.
    package let isAboutAnchor: Bool

    init(_ reason: Reason, _ message: String, isAboutAnchor: Bool = false) {
        self.reason = reason
        self.message = message
        self.isAboutAnchor = isAboutAnchor
    }

    /// Whether this is a defect that no caller may overlook, as opposed to one that the owner of a certificate may know
    /// of.
    package var isFatal: Bool {
        switch reason {
        case .expired, .notValidYet, .hostNameMismatch, .mailAddressMismatch, .noAnchor, .issuerMissing,
            .extendedKeyUsage, .isAnAuthority, .weakDigest, .validityTooLong, .revocationUnknown:
            false
        case .unreadable, .keyUsage, .notAnAuthority, .criticalExtension, .pathTooLong, .constraint, .revoked,
            .unsupportedPolicy, .internalError:
            true
        }
    }
}

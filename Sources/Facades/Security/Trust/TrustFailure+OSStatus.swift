import CoreFoundationAliases

@_implementationOnly import KeychainTrust

extension TrustFailure.Reason {
    /// The one place where a reason becomes the status that Apple documents for it
    /// (https://developer.apple.com/documentation/security/security-framework-result-codes).
    var status: OSStatus {
        switch self {
        case .unreadable: errSecUnknownFormat
        case .expired: errSecCertificateExpired
        case .notValidYet: errSecCertificateNotValidYet
        case .hostNameMismatch: errSecHostNameMismatch
        case .mailAddressMismatch: errSecSMIMEEmailAddressesNotFound
        case .noAnchor: errSecNotTrusted
        case .issuerMissing: errSecCreateChainFailed
        case .extendedKeyUsage: errSecInvalidExtendedKeyUsage
        case .keyUsage: errSecInvalidKeyUsageForPolicy
        case .notAnAuthority: errSecNoBasicConstraintsCA
        case .isAnAuthority: errSecCertificateIsCA
        case .weakDigest: errSecInvalidDigestAlgorithm
        case .validityTooLong: errSecCertificateValidityPeriodTooLong
        case .criticalExtension: errSecUnknownCriticalExtensionFlag
        case .pathTooLong: errSecPathLengthConstraintExceeded
        case .constraint: errSecCertificateNameNotAllowed
        case .revoked: errSecCertificateRevoked
        case .revocationUnknown: errSecIncompleteCertRevocationCheck
        case .unsupportedPolicy: errSecUnimplemented
        case .internalError: errSecInternalComponent
        }
    }
}

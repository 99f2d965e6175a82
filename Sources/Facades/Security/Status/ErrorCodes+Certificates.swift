public import CoreFoundationAliases

// Databases, certificates, revocation and code signatures: −67585 to −67666.

/// The service is not available.
public var errSecServiceNotAvailable: OSStatus { -67585 }

/// The caller is not sufficiently identified.
public var errSecInsufficientClientID: OSStatus { -67586 }

/// The device was reset.
public var errSecDeviceReset: OSStatus { -67587 }

/// The device failed.
public var errSecDeviceFailed: OSStatus { -67588 }

/// A program could not be added to the access control list.
public var errSecAppleAddAppACLSubject: OSStatus { -67589 }

/// The public key is incomplete.
public var errSecApplePublicKeyIncomplete: OSStatus { -67590 }

/// The signature does not match.
public var errSecAppleSignatureMismatch: OSStatus { -67591 }

/// The key's start date is not valid.
public var errSecAppleInvalidKeyStartDate: OSStatus { -67592 }

/// The key's end date is not valid.
public var errSecAppleInvalidKeyEndDate: OSStatus { -67593 }

/// A value could not be converted.
public var errSecConversionError: OSStatus { -67594 }

/// The peer was tricked into SSL version 2.
public var errSecAppleSSLv2Rollback: OSStatus { -67595 }

/// The quota is used up.
public var errSecQuotaExceeded: OSStatus { -67596 }

/// The file is too big.
public var errSecFileTooBig: OSStatus { -67597 }

/// The database's key data is damaged.
public var errSecInvalidDatabaseBlob: OSStatus { -67598 }

/// The key's data is damaged.
public var errSecInvalidKeyBlob: OSStatus { -67599 }

/// The database's key data is of another version.
public var errSecIncompatibleDatabaseBlob: OSStatus { -67600 }

/// The key's data is of another version.
public var errSecIncompatibleKeyBlob: OSStatus { -67601 }

/// The certificate is for another host name.
public var errSecHostNameMismatch: OSStatus { -67602 }

/// A critical extension of the certificate is unknown.
public var errSecUnknownCriticalExtensionFlag: OSStatus { -67603 }

/// The certificate has no basic constraints.
public var errSecNoBasicConstraints: OSStatus { -67604 }

/// The basic constraints do not say whether this is an authority.
public var errSecNoBasicConstraintsCA: OSStatus { -67605 }

/// The authority's key identifier is not valid.
public var errSecInvalidAuthorityKeyID: OSStatus { -67606 }

/// The subject's key identifier is not valid.
public var errSecInvalidSubjectKeyID: OSStatus { -67607 }

/// The key usage does not suit the policy.
public var errSecInvalidKeyUsageForPolicy: OSStatus { -67608 }

/// The extended key usage is not valid.
public var errSecInvalidExtendedKeyUsage: OSStatus { -67609 }

/// The identifiers of key and issuer do not fit together.
public var errSecInvalidIDLinkage: OSStatus { -67610 }

/// The chain is longer than an authority allows.
public var errSecPathLengthConstraintExceeded: OSStatus { -67611 }

/// The root certificate is not valid.
public var errSecInvalidRoot: OSStatus { -67612 }

/// The revocation list has expired.
public var errSecCRLExpired: OSStatus { -67613 }

/// The revocation list is not valid yet.
public var errSecCRLNotValidYet: OSStatus { -67614 }

/// There is no revocation list.
public var errSecCRLNotFound: OSStatus { -67615 }

/// The server of the revocation list does not answer.
public var errSecCRLServerDown: OSStatus { -67616 }

/// The address of the revocation list is not valid.
public var errSecCRLBadURI: OSStatus { -67617 }

/// An extension of the certificate is unknown.
public var errSecUnknownCertExtension: OSStatus { -67618 }

/// An extension of the revocation list is unknown.
public var errSecUnknownCRLExtension: OSStatus { -67619 }

/// The revocation list is not trusted.
public var errSecCRLNotTrusted: OSStatus { -67620 }

/// The revocation list does not meet its policy.
public var errSecCRLPolicyFailed: OSStatus { -67621 }

/// The issuing distribution point is not valid.
public var errSecIDPFailure: OSStatus { -67622 }

/// The certificate is for another e-mail address.
public var errSecSMIMEEmailAddressesNotFound: OSStatus { -67623 }

/// The extended key usage does not include mail.
public var errSecSMIMEBadExtendedKeyUsage: OSStatus { -67624 }

/// The key usage does not suit mail.
public var errSecSMIMEBadKeyUsage: OSStatus { -67625 }

/// The key usage is not marked critical.
public var errSecSMIMEKeyUsageNotCritical: OSStatus { -67626 }

/// The certificate has no e-mail address.
public var errSecSMIMENoEmailAddress: OSStatus { -67627 }

/// The alternative name is not marked critical.
public var errSecSMIMESubjAltNameNotCritical: OSStatus { -67628 }

/// The extended key usage does not include TLS.
public var errSecSSLBadExtendedKeyUsage: OSStatus { -67629 }

/// The OCSP response cannot be understood.
public var errSecOCSPBadResponse: OSStatus { -67630 }

/// The OCSP request cannot be understood.
public var errSecOCSPBadRequest: OSStatus { -67631 }

/// The OCSP service is not available.
public var errSecOCSPUnavailable: OSStatus { -67632 }

/// The OCSP service does not know the certificate.
public var errSecOCSPStatusUnrecognized: OSStatus { -67633 }

/// The data ended.
public var errSecEndOfData: OSStatus { -67634 }

/// Revocation could not be checked fully.
public var errSecIncompleteCertRevocationCheck: OSStatus { -67635 }

/// The network failed.
public var errSecNetworkFailure: OSStatus { -67636 }

/// The OCSP response does not lead to a trusted root.
public var errSecOCSPNotTrustedToAnchor: OSStatus { -67637 }

/// The record has changed meanwhile.
public var errSecRecordModified: OSStatus { -67638 }

/// The OCSP response's signature is not valid.
public var errSecOCSPSignatureError: OSStatus { -67639 }

/// The OCSP response names no signer.
public var errSecOCSPNoSigner: OSStatus { -67640 }

/// The OCSP service found the request malformed.
public var errSecOCSPResponderMalformedReq: OSStatus { -67641 }

/// The OCSP service had an internal error.
public var errSecOCSPResponderInternalError: OSStatus { -67642 }

/// The OCSP service is busy; try again later.
public var errSecOCSPResponderTryLater: OSStatus { -67643 }

/// The OCSP service wants signed requests.
public var errSecOCSPResponderSignatureRequired: OSStatus { -67644 }

/// The OCSP service refused the request.
public var errSecOCSPResponderUnauthorized: OSStatus { -67645 }

/// The OCSP response answers another request.
public var errSecOCSPResponseNonceMismatch: OSStatus { -67646 }

/// The code signature's chain has the wrong length.
public var errSecCodeSigningBadCertChainLength: OSStatus { -67647 }

/// A certificate of the code signature has no basic constraints.
public var errSecCodeSigningNoBasicConstraints: OSStatus { -67648 }

/// A path length in the code signature's chain is wrong.
public var errSecCodeSigningBadPathLengthConstraint: OSStatus { -67649 }

/// The code signing certificate has no extended key usage.
public var errSecCodeSigningNoExtendedKeyUsage: OSStatus { -67650 }

/// The code signing certificate is for development only.
public var errSecCodeSigningDevelopment: OSStatus { -67651 }

/// The resource signature's chain has the wrong length.
public var errSecResourceSignBadCertChainLength: OSStatus { -67652 }

/// The extended key usage does not include signing resources.
public var errSecResourceSignBadExtKeyUsage: OSStatus { -67653 }

/// The trust settings deny it.
public var errSecTrustSettingDeny: OSStatus { -67654 }

/// The subject's name is not valid.
public var errSecInvalidSubjectName: OSStatus { -67655 }

/// A statement of the qualified certificate is unknown.
public var errSecUnknownQualifiedCertStatement: OSStatus { -67656 }

/// The MobileMe request waits for the next connection.
public var errSecMobileMeRequestQueued: OSStatus { -67657 }

/// The MobileMe request was redirected.
public var errSecMobileMeRequestRedirected: OSStatus { -67658 }

/// The MobileMe server had an error.
public var errSecMobileMeServerError: OSStatus { -67659 }

/// The MobileMe server is not available.
public var errSecMobileMeServerNotAvailable: OSStatus { -67660 }

/// The MobileMe server already has the item.
public var errSecMobileMeServerAlreadyExists: OSStatus { -67661 }

/// The MobileMe service had an error.
public var errSecMobileMeServerServiceErr: OSStatus { -67662 }

/// A MobileMe request is already under way.
public var errSecMobileMeRequestAlreadyPending: OSStatus { -67663 }

/// No MobileMe request is under way.
public var errSecMobileMeNoRequestPending: OSStatus { -67664 }

/// MobileMe could not verify the certificate request.
public var errSecMobileMeCSRVerifyFailure: OSStatus { -67665 }

/// MobileMe found an inconsistency.
public var errSecMobileMeFailedConsistencyCheck: OSStatus { -67666 }

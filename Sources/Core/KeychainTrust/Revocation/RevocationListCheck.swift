import KeychainCertificates

@_implementationOnly import X509

/// Whether a list proves something about one certificate (RFC 5280, section 6.3.3).
struct RevocationListCheck {
    let subject: CertificateContents
    /// Whether the certificate is an authority's.
    let isAuthority: Bool
    let issuer: Certificate
    /// Seconds since 2001-01-01.
    let date: Double

    /// What may be critical in a list, as it is looked at, or as it changes nothing.
    private static let understoodExtensions: Set<OID> = [
        .issuingDistributionPoint, .authorityKeyIdentifier, .listNumber,
    ]

    /// - Returns: nil if it proves nothing, for whichever reason.
    func proof(in list: RevocationList) -> RevocationProof? {
        // Entries last: there may be very many, and nobody walks through those that anybody can have made.
        guard list.issuer == subject.issuer, let end = validEnd(of: list), isUnderstood(list), isInScope(list),
            maySignLists, isSigned(list), let status = list.status(ofSerialNumber: subject.serialNumber)
        else { return nil }
        switch status {
        case .revoked: return RevocationProof(isRevoked: true, validUntil: end)
        // It may be revoked for a reason that another list has.
        case .notListed where list.issuingDistributionPoint?.isOfSomeReasonsOnly == true: return nil
        case .notListed: return RevocationProof(isRevoked: false, validUntil: end)
        // A whole list leaves out what it has removed: this one contradicts itself.
        case .removed: return nil
        }
    }

    /// Until when a list is right that is right now. One that does not say so could be shown for ever, and is refused.
    private func validEnd(of list: RevocationList) -> Double? {
        guard let end = list.nextUpdate, list.thisUpdate <= end, list.thisUpdate <= date + OCSPCheck.clockSkew,
            date <= end + OCSPCheck.clockSkew
        else { return nil }
        return end
    }

    /// A list of changes is understood by nobody who has not the list that it changes.
    private func isUnderstood(_ list: RevocationList) -> Bool {
        list.extensions.allSatisfy { element in
            element.type != .deltaListIndicator
                && (!element.isCritical || Self.understoodExtensions.contains(element.type))
        }
    }

    private func isInScope(_ list: RevocationList) -> Bool {
        guard let point = list.issuingDistributionPoint else { return true }
        // Where a list says where it is, the certificate has to send there (section 6.3.3, (b), (2)).
        if let uris = point.uris, Set(uris).isDisjoint(with: subject.revocationListServers) { return false }
        return !point.isIndirect && !point.isForAttributesOnly && !(point.isForUsersOnly && isAuthority)
            && !(point.isForAuthoritiesOnly && !isAuthority)
    }

    /// Section 6.3.3, (f).
    private var maySignLists: Bool {
        issuer.extensions[oid: .X509ExtensionID.keyUsage] == nil
            || (try? issuer.extensions.keyUsage)?.cRLSign == true
    }

    /// By the certificate's own issuer: lists that somebody else makes are not followed.
    private func isSigned(_ list: RevocationList) -> Bool {
        guard let algorithm = Certificate.SignatureAlgorithm(list.signatureAlgorithm) else { return false }
        return issuer.publicKey.isValidSignature(list.signature, for: list.signedBytes, signatureAlgorithm: algorithm)
    }
}

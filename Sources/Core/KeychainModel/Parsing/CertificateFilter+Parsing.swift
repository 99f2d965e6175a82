import KeychainCertificates

extension CertificateFilter {
    /// Takes one match key. One that is unknown, or that no class implements, is ignored.
    ///
    /// Where the class has no certificate, issuers and policy are refused; the others are only checked for their type.
    ///
    /// - Throws: `unimplemented` for what the class, or this implementation, does not match by; `invalidParameter` for
    ///   a value of a type that the key does not take.
    mutating func take(_ key: String, _ value: QueryValue, of itemClass: ItemClass) throws(KeychainError) {
        let hasCertificate = itemClass == .certificate || itemClass == .identity
        switch (key, value) {
        case ("m_Issuers", _) where !hasCertificate, ("m_Policy", _) where !hasCertificate:
            throw KeychainError(.unimplemented, "this class is not matched by issuer or policy")
        case ("m_Issuers", .list(let names)):
            issuers = Set(names.map(DistinguishedName.normalizedContent))
        case ("m_ValidOnDate", .date(let seconds)):
            validOn = .at(seconds)
        case ("m_ValidOnDate", .null):
            validOn = .now
        case ("m_EmailAddressIfPresent", .string(let address)):
            emailAddressIfPresent = address
        case ("m_TrustedOnly", .boolean(let isWanted)):
            isTrusted = isWanted
        case ("m_Policy", .policy(let wanted)):
            policy = wanted
        case ("m_Issuers", _), ("m_Policy", _), ("m_ValidOnDate", _), ("m_EmailAddressIfPresent", _),
            ("m_TrustedOnly", _):
            throw KeychainError(.invalidParameter, "a match key has a value of a type that it does not take")
        default: break
        }
        if !hasCertificate { self = CertificateFilter() }
    }
}

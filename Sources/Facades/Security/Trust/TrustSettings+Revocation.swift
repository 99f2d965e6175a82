import CoreFoundationAliases

@_implementationOnly import KeychainTrust

extension TrustSettings {
    /// The policies, and the one that the option `requireRevPerCert` stands for.
    var effectivePolicies: [SecPolicy] {
        policies + (options.contains(.requireRevPerCert) ? [Self.positiveAnswerForEach] : [])
    }

    private static var positiveAnswerForEach: SecPolicy {
        SecPolicy(
            identifier: String(describing: kSecPolicyAppleRevocation),
            revocationFlags: kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse
        )
    }

    /// How revocation is to be asked about; nil if no policy names a method.
    ///
    /// The network is used only where the program has said that it may be: what Apple's documentation gives TLS as its
    /// default is not enough here.
    var revocationDemand: RevocationDemand? {
        let flags = effectivePolicies.compactMap(\.revocationFlags).reduce(0, |)
        var methods: [RevocationDemand.Method] = []
        if flags & kSecRevocationOCSPMethod != 0 { methods.append(.server) }
        if flags & kSecRevocationCRLMethod != 0 {
            methods.insert(.list, at: flags & kSecRevocationPreferCRL != 0 ? 0 : methods.endIndex)
        }
        guard !methods.isEmpty else { return nil }
        return RevocationDemand(
            methods: methods,
            mayFetch: mayFetch == true && flags & kSecRevocationNetworkAccessDisabled == 0
        )
    }
}

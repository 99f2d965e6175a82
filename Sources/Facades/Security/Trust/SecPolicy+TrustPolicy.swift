import CoreFoundationAliases

@_implementationOnly import KeychainCertificates

extension SecPolicy {
    /// What is evaluated for it.
    var trustPolicy: TrustPolicy {
        switch identifier {
        case String(describing: kSecPolicyAppleX509Basic): .basicX509
        // "Functionally identical", in the words of Apple's documentation.
        case String(describing: kSecPolicyAppleSSL), String(describing: kSecPolicyAppleEAP),
            String(describing: kSecPolicyAppleIPsec):
            .tls(isServer: !isClient, name: name)
        case String(describing: kSecPolicyAppleSMIME): .mail(address: name)
        case String(describing: kSecPolicyAppleCodeSigning): .codeSigning
        case String(describing: kSecPolicyAppleTimeStamping): .timeStamping
        case String(describing: kSecPolicyAppleRevocation):
            .revocation(
                needsPositiveAnswer: (revocationFlags ?? 0) & kSecRevocationRequirePositiveResponse != 0
            )
        default: .unsupported(identifier)
        }
    }
}

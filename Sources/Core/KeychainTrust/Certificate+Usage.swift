import Foundation
import KeychainCertificates

@_implementationOnly import X509

extension TrustPolicy {
    /// The purpose that an extended key usage has to allow; nil for none in particular.
    var purpose: ExtendedKeyUsage.Usage? {
        switch self {
        case .tls(let isServer, _): isServer ? .serverAuth : .clientAuth
        case .mail: .emailProtection
        case .codeSigning: .codeSigning
        case .timeStamping: .timeStamping
        case .basicX509, .revocation, .unsupported: nil
        }
    }

    /// Whether a certificate that says nothing of its purposes will not do.
    func requiresPurpose(of certificate: Certificate) -> Bool {
        switch self {
        case .tls(let isServer, _): isServer && certificate.isIssuedUnderLimits
        // RFC 3161, section 2.3.
        case .codeSigning, .timeStamping: true
        case .mail, .basicX509, .revocation, .unsupported: false
        }
    }
}

extension Certificate {
    /// Whether the extended key usage allows a purpose. One that is damaged allows nothing.
    func allows(_ purpose: ExtendedKeyUsage.Usage, isRequired: Bool) -> Bool {
        guard extensions[oid: .X509ExtensionID.extendedKeyUsage] != nil else { return !isRequired }
        guard let usages = try? extensions.extendedKeyUsage else { return false }
        return usages.contains(purpose) || usages.contains(.any)
    }

    /// Whether it says that it may issue certificates.
    var isAuthority: Bool {
        guard case .isCertificateAuthority = try? extensions.basicConstraints else { return false }
        return true
    }

    /// Whether it was issued since 1 July 2019.
    var isIssuedUnderLimits: Bool { notValidBefore.timeIntervalSinceReferenceDate >= 583_632_000 }

    var daysOfValidity: Int {
        Int((notValidAfter.timeIntervalSince(notValidBefore) / 86_400).rounded(.up))
    }

    /// What to call it at the beginning of a sentence.
    var title: String { commonName.map { "The certificate “\($0)”" } ?? "A certificate" }

    /// The same inside a sentence.
    var mention: String { commonName.map { "the certificate “\($0)”" } ?? "a certificate" }

    private var commonName: String? {
        subject.flatMap { $0 }.last { $0.type == .RDNAttributeType.commonName }.flatMap { String($0.value) }
    }
}

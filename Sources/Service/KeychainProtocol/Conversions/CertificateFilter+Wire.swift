import Foundation
import KeychainCertificates
import KeychainMessages
import KeychainModel

extension WireCertificateFilter {
    init(_ filter: CertificateFilter) {
        self.init()
        if let issuers = filter.issuers {
            filtersIssuers = true
            self.issuers = issuers.map { Data($0) }
        }
        switch filter.validOn {
        case nil: break
        case .now: validNow = true
        case .at(let seconds): validAt = seconds
        }
        if let address = filter.emailAddressIfPresent { emailAddressIfPresent = address }
        if let policy = filter.policy { self.policy = WireTrustPolicy(policy) }
        isTrusted = filter.isTrusted
    }
}

extension CertificateFilter {
    /// - Throws: `invalidParameter` for what no search can ask.
    init(_ wire: WireCertificateFilter) throws(KeychainError) {
        self.init()
        guard wire.filtersIssuers || wire.issuers.isEmpty else {
            throw KeychainError(.invalidParameter, "a request names issuers and does not ask for them")
        }
        if wire.filtersIssuers {
            issuers = Set(wire.issuers.map { DistinguishedName.normalizedContent(of: Array($0)) })
        }
        switch wire.validOn {
        case nil: break
        case .validNow(let isAsked):
            guard isAsked else { throw KeychainError(.invalidParameter, "a request asks for no date") }
            validOn = .now
        case .validAt(let seconds):
            guard seconds.isFinite else { throw KeychainError(.invalidParameter, "a request has an invalid date") }
            validOn = .at(seconds)
        }
        emailAddressIfPresent = wire.hasEmailAddressIfPresent ? wire.emailAddressIfPresent : nil
        policy = wire.hasPolicy ? try TrustPolicy(wire.policy) : nil
        isTrusted = wire.isTrusted
    }
}

extension WireTrustPolicy {
    init(_ policy: TrustPolicy) {
        self.init()
        switch policy {
        case .basicX509: basicX509 = true
        case .tls(let isServer, let name):
            tls.isServer = isServer
            if let name { tls.name = name }
        case .mail(let address):
            mail = Mail()
            if let address { mail.address = address }
        case .codeSigning: codeSigning = true
        case .timeStamping: timeStamping = true
        case .revocation(let needsPositiveAnswer): revocation.needsPositiveAnswer = needsPositiveAnswer
        case .unsupported(let identifier): unsupported = identifier
        }
    }
}

extension TrustPolicy {
    init(_ wire: WireTrustPolicy) throws(KeychainError) {
        switch wire.body {
        case .basicX509(true): self = .basicX509
        case .tls(let tls): self = .tls(isServer: tls.isServer, name: tls.hasName ? tls.name : nil)
        case .mail(let mail): self = .mail(address: mail.hasAddress ? mail.address : nil)
        case .codeSigning(true): self = .codeSigning
        case .timeStamping(true): self = .timeStamping
        case .revocation(let revocation): self = .revocation(needsPositiveAnswer: revocation.needsPositiveAnswer)
        case .unsupported(let identifier): self = .unsupported(identifier)
        case .basicX509(false), .codeSigning(false), .timeStamping(false), nil:
            throw KeychainError(.invalidParameter, "a request has a policy that is unknown here")
        }
    }
}

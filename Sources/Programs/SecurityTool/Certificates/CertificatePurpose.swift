import ArgumentParser
import KeychainCertificates

/// What a key is certified for, by OpenSSL's names of the purposes (RFC 5280, section 4.2.1.12).
enum CertificatePurpose: String, CaseIterable, ExpressibleByArgument {
    case serverAuth
    case clientAuth
    case codeSigning
    case emailProtection

    var identifier: OID {
        switch self {
        case .serverAuth: .serverAuthentication
        case .clientAuth: .clientAuthentication
        case .codeSigning: .codeSigning
        case .emailProtection: .emailProtection
        }
    }
}

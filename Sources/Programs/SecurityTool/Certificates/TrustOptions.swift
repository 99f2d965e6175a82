import ArgumentParser
import CoreFoundationAliases
import Foundation
import Security

/// What certificates have to be good for, by the names that macOS's command has.
enum PolicyName: String, CaseIterable, ExpressibleByArgument {
    case basic
    case sslServer = "ssl-server"
    case sslClient = "ssl-client"
    case ssl
    case smime
    case eap
    case ipsec
    case codeSigning = "codesigning"
    case codeSign = "codeSign"

    /// Names are taken as a Mac takes them, in capitals or not: `IPSec`, `codeSign`.
    init?(argument: String) {
        guard let policy = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = policy
    }

    /// As the headings of `find-identity` have it.
    var title: String {
        switch self {
        case .basic: "X.509 Basic"
        case .ssl, .sslServer: "SSL (server)"
        case .sslClient: "SSL (client)"
        case .smime: "S/MIME"
        case .eap: "EAP"
        case .ipsec: "IPSec"
        case .codeSigning, .codeSign: "Code Signing"
        }
    }

    /// - Parameter name: a host, or an e-mail address.
    func policy(name: String? = nil) -> SecPolicy? {
        func other(_ identifier: CFString) -> SecPolicy? {
            let properties = name.map { [kSecPolicyName: $0] as CFDictionary }
            return SecPolicyCreateWithProperties(identifier, properties)
        }
        return switch self {
        case .basic: SecPolicyCreateBasicX509()
        case .ssl, .sslServer: SecPolicyCreateSSL(true, name as CFString?)
        case .sslClient: SecPolicyCreateSSL(false, name as CFString?)
        case .smime: other(kSecPolicyAppleSMIME)
        case .eap: other(kSecPolicyAppleEAP)
        case .ipsec: other(kSecPolicyAppleIPsec)
        case .codeSigning, .codeSign: other(kSecPolicyAppleCodeSigning)
        }
    }
}

/// Whether a certificate is trusted, in macOS's words.
struct TrustRefusal {
    /// Nil if it is.
    let reason: String?

    static let expired = "CSSMERR_TP_CERT_EXPIRED"

    init(_ trust: SecTrust) {
        var error: CFError?
        guard unsafe !SecTrustEvaluateWithError(trust, &error) else {
            reason = nil
            return
        }
        reason =
            switch OSStatus(error?.code ?? 0) {
            case errSecCertificateExpired: Self.expired
            case errSecCertificateNotValidYet: "CSSMERR_TP_CERT_NOT_VALID_YET"
            case errSecHostNameMismatch: "CSSMERR_APPLETP_HOSTNAME_MISMATCH"
            case errSecNotTrusted, errSecCreateChainFailed: "CSSMERR_TP_NOT_TRUSTED"
            case errSecUnimplemented: "the policy is not implemented"
            default: "CSSMERR_TP_VERIFY_ACTION_FAILED"
            }
    }
}

extension SecCertificate {
    /// Whether its time is over.
    var hasExpired: Bool {
        SecCertificateCopyNotValidAfterDate(self).map { ($0 as Date) < Date() } ?? false
    }
}

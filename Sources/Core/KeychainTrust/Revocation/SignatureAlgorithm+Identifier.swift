import KeychainCertificates
import SwiftASN1

@_implementationOnly import X509

extension Certificate.SignatureAlgorithm {
    /// Those that a response may be signed with. SHA-1 is none of them: it can be forged.
    init?(_ identifier: KeychainCertificates.AlgorithmIdentifier) {
        switch identifier.algorithm {
        // RFC 5758, section 3.2.
        case OID([1, 2, 840, 10045, 4, 3, 2]): self = .ecdsaWithSHA256
        case OID([1, 2, 840, 10045, 4, 3, 3]): self = .ecdsaWithSHA384
        case OID([1, 2, 840, 10045, 4, 3, 4]): self = .ecdsaWithSHA512
        // RFC 4055, section 5.
        case OID([1, 2, 840, 113549, 1, 1, 11]): self = .sha256WithRSAEncryption
        case OID([1, 2, 840, 113549, 1, 1, 12]): self = .sha384WithRSAEncryption
        case OID([1, 2, 840, 113549, 1, 1, 13]): self = .sha512WithRSAEncryption
        // RFC 8410, section 3.
        case .ed25519: self = .ed25519
        default: return nil
        }
    }
}

import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

extension SecCertificate {
    var bytes: [UInt8] { Array(SecCertificateCopyData(self) as Data) }

    /// What the certificate says of itself; nil where it has the shape of one and no more.
    var contents: CertificateContents? { CertificateContents(der: bytes) }

    /// The same, or the error for a caller.
    func readableContents() throws(KeychainError) -> CertificateContents {
        guard let contents else { throw KeychainError(.undecodable, "the certificate cannot be read") }
        return contents
    }
}

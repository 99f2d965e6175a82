import CertificateTestSupport
import Foundation
import X509

/// Certificates in files, for programs that read them: one for www.example.com, its issuer's, and an unrelated one.
struct CertificateFiles {
    let leaf: String
    let issuer: String
    let other: String

    init() throws {
        let folder = try temporaryFolder()
        let authority = try TestAuthority.root("Test Authority")
        let stranger = try TestAuthority.root("Other")
        var request = CertificateRequest.server("www.example.com")
        request.names.append(.rfc822Name("post@example.com"))
        let certificate = try authority.issue("www.example.com", request)
        leaf = folder + "/leaf.der"
        issuer = folder + "/issuer.der"
        other = folder + "/other.der"
        try Data(certificate.der).write(to: URL(filePath: leaf))
        try Data(authority.der).write(to: URL(filePath: issuer))
        try Data(stranger.der).write(to: URL(filePath: other))
    }

    var paths: [String] { [leaf, issuer, other] }
}

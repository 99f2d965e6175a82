import CertificateTestSupport
import Foundation
import Testing
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

    /// A PKCS #12 file with a key on P-256 and its certificate, of the passphrase "secret", as OpenSSL writes it.
    static func identity() throws -> String {
        let path = try temporaryFolder() + "/identity"
        let making = try CProgram.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=identity", "-keyout", path + ".key", "-out", path + ".pem",
        ])
        let writing = try CProgram.run([
            "openssl", "pkcs12", "-export", "-inkey", path + ".key", "-in", path + ".pem", "-passout", "pass:secret",
            "-out", path + ".p12",
        ])
        try #require(making.status == 0 && writing.status == 0, "\(making.output)\(writing.output)")
        return path + ".p12"
    }
}

import Crypto
import Foundation
import NIOSSL
import Security

/// The one certificate that the other end may have. That it has the key as well, TLS makes sure of.
struct PinnedPeer: Sendable {
    /// In DER.
    private let certificate: [UInt8]

    init(_ certificate: [UInt8]) { self.certificate = certificate }

    /// - Parameter path: a file with one certificate in PEM.
    init(path: String) throws {
        guard let known = try? NIOSSLCertificate.fromPEMFile(path), known.count == 1, let only = known.first else {
            throw Failure("\(path) is no file with one certificate")
        }
        certificate = try only.toDERBytes()
    }

    /// Takes the place of a search for an authority: a name or a date that somebody has vouched for says nothing here.
    var verify: NIOSSLCustomVerificationCallback {
        { presented, promise in
            let isThis = (try? presented.first?.toDERBytes()) == certificate
            promise.succeed(isThis ? .certificateVerified : .failed)
        }
    }
}

/// A certificate for people: whose it says it is, and how its SHA-256 begins.
func summary(of certificate: NIOSSLCertificate?) -> String {
    guard let der = try? certificate?.toDERBytes(), let read = SecCertificateCreateWithData(nil, Data(der) as CFData)
    else { return "nobody" }
    let name = SecCertificateCopySubjectSummary(read) as String? ?? "somebody without a name"
    let digest = SHA256.hash(data: der).prefix(8).map { String(format: "%02x", $0) }.joined()
    return "“\(name)”, \(digest)…"
}

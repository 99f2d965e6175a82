import KeychainCertificates
import SwiftASN1

@_implementationOnly import X509

/// A certificate of a chain and its issuer's, in both of their forms.
struct RevocationLink {
    let subject: CertificateContents
    let authority: CertificateContents
    private let certificate: Certificate
    private let issuer: Certificate

    init?(_ certificate: Certificate, issuedBy issuer: Certificate) {
        guard let subject = CertificateContents(der: certificate.bytes),
            let authority = CertificateContents(der: issuer.bytes)
        else { return nil }
        self.subject = subject
        self.authority = authority
        self.certificate = certificate
        self.issuer = issuer
    }

    /// From DER.
    init?(_ certificate: [UInt8], issuedBy issuer: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: certificate),
            let issuer = try? Certificate(derEncoded: issuer)
        else { return nil }
        self.init(certificate, issuedBy: issuer)
    }

    /// What there is that proves something about the certificate. What says that it was revoked outweighs all else.
    ///
    /// - Parameter date: seconds since 2001-01-01.
    func proof(in evidence: RevocationEvidence, at date: Double) -> RevocationProof? {
        let check = OCSPCheck(subject: subject, authority: authority, issuer: issuer, date: date)
        let listCheck = RevocationListCheck(
            subject: subject,
            isAuthority: certificate.isAuthority,
            issuer: issuer,
            date: date
        )
        let proofs =
            evidence.responses.compactMap { check.proof(in: $0.response, answering: $0.nonce) }
            + evidence.lists.compactMap { listCheck.proof(in: $0) }
        return proofs.first(where: \.isRevoked) ?? proofs.max { $0.validUntil < $1.validUntil }
    }
}

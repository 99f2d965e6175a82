import Foundation
import KeychainCertificates
import SwiftASN1

@_implementationOnly import X509

/// Whether a response proves something about one certificate (RFC 6960, section 3.2).
struct OCSPCheck {
    let subject: CertificateContents
    /// The issuer, in both of its forms.
    let authority: CertificateContents
    let issuer: Certificate
    /// Seconds since 2001-01-01.
    let date: Double

    /// How far the clocks of a server and of this machine may be apart, in seconds.
    static let clockSkew = 300.0

    /// How many certificates of a response are looked at.
    private static let mostCertificates = 8

    /// - Returns: nil if it proves nothing, for whichever reason.
    func proof(in response: OCSPResponse) -> RevocationProof? {
        // Signatures last: they cost the most, and anybody can bring responses.
        guard response.producedAt <= date + Self.clockSkew, !hasUnknownCritical(response.extensions) else { return nil }
        let answers = response.answers.filter { answer in
            isInForce(answer) && !hasUnknownCritical(answer.extensions)
                && answer.subject.identifies(subject, of: authority)
        }
        // The server's own word that it does not know the certificate is no answer.
        let proofs = answers.compactMap { answer -> RevocationProof? in
            guard answer.status != .unknown, let end = answer.nextUpdate else { return nil }
            return RevocationProof(isRevoked: answer.status == .revoked, validUntil: end)
        }
        guard let proof = proofs.first(where: \.isRevoked) ?? proofs.first, isSigned(response) else { return nil }
        return proof
    }

    /// RFC 5019, section 4: one that does not say how long it holds could be shown for ever, and is refused.
    private func isInForce(_ answer: OCSPAnswer) -> Bool {
        guard let end = answer.nextUpdate, answer.thisUpdate <= end else { return false }
        return answer.thisUpdate <= date + Self.clockSkew && date <= end + Self.clockSkew
    }

    /// A nonce is the only extension that may be critical: none was sent that it could contradict.
    private func hasUnknownCritical(_ extensions: [CertificateExtension]) -> Bool {
        extensions.contains { $0.isCritical && $0.type != .ocspNonce }
    }

    // MARK: Who signed it

    private func isSigned(_ response: OCSPResponse) -> Bool {
        guard let algorithm = Certificate.SignatureAlgorithm(response.signatureAlgorithm) else { return false }
        func isSigned(by key: Certificate.PublicKey) -> Bool {
            key.isValidSignature(response.signature, for: response.signedBytes, signatureAlgorithm: algorithm)
        }
        if response.responder.isHolder(of: authority), isSigned(by: issuer.publicKey) { return true }
        return response.certificates.prefix(Self.mostCertificates).contains { bytes in
            guard let contents = CertificateContents(der: bytes), response.responder.isHolder(of: contents),
                let delegate = try? Certificate(derEncoded: bytes)
            else { return false }
            return isAuthorized(delegate) && isSigned(by: delegate.publicKey)
        }
    }

    /// Whether the issuer has named somebody who answers for it (RFC 6960, section 4.2.2.2): in a certificate that it
    /// issued itself, and that says so in its extended key usage. The one that allows everything does not do.
    private func isAuthorized(_ delegate: Certificate) -> Bool {
        let extensions = delegate.extensions
        guard delegate.issuer == issuer.subject,
            delegate.notValidBefore.timeIntervalSinceReferenceDate <= date,
            date <= delegate.notValidAfter.timeIntervalSinceReferenceDate,
            delegate.signatureAlgorithm != .sha1WithRSAEncryption,
            let usages = try? extensions.extendedKeyUsage, usages.contains(.ocspSigning),
            !extensions.contains(where: { $0.critical && !ChainCheck.understoodExtensions.contains($0.oid) })
        else { return false }
        if extensions[oid: .X509ExtensionID.keyUsage] != nil,
            (try? extensions.keyUsage)?.digitalSignature != true
        {
            return false
        }
        return issuer.publicKey.isValidSignature(delegate.signature, for: delegate)
    }
}

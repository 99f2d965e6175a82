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

    /// - Parameter nonce: what the question had as its nonce; nil if the response was not asked for.
    /// - Returns: nil if it proves nothing, for whichever reason.
    func proof(in response: OCSPResponse, answering nonce: [UInt8]? = nil) -> RevocationProof? {
        // Signatures last: they cost the most, and anybody can bring responses.
        guard response.producedAt <= date + Self.clockSkew, !hasUnknownCritical(response.extensions),
            let isFresh = isFresh(response, nonce)
        else { return nil }
        let answers = response.answers.filter { answer in
            answer.status != .unknown && !hasUnknownCritical(answer.extensions)
                && answer.subject.identifies(subject, of: authority)
        }
        // The server's own word that it does not know the certificate is no answer.
        let proofs = answers.compactMap { answer -> RevocationProof? in
            guard let end = validEnd(of: answer, isFresh: isFresh) else { return nil }
            return RevocationProof(isRevoked: answer.status == .revoked, validUntil: end)
        }
        guard let proof = proofs.first(where: \.isRevoked) ?? proofs.first, isSigned(response) else { return nil }
        return proof
    }

    /// Whether the response was made for this very question.
    ///
    /// - Returns: nil if it was made for another one. Servers that make their responses in advance leave the nonce out.
    private func isFresh(_ response: OCSPResponse, _ nonce: [UInt8]?) -> Bool? {
        let answered = response.extensions.filter { $0.type == .ocspNonce }
        guard let nonce, !answered.isEmpty else { return false }
        return answered.allSatisfy { $0.value.elementsEqual(nonce) } ? true : nil
    }

    /// Until when an answer is right that is right now. RFC 5019, section 4: one that does not say so could be shown for
    /// ever. It counts for the moment if it was made for this question, and not at all otherwise.
    private func validEnd(of answer: OCSPAnswer, isFresh: Bool) -> Double? {
        guard answer.thisUpdate <= date + Self.clockSkew else { return nil }
        guard let end = answer.nextUpdate else { return isFresh ? date : nil }
        return answer.thisUpdate <= end && date <= end + Self.clockSkew ? end : nil
    }

    /// A nonce is the only extension that may be critical. Where none was sent, there is nothing that it could contradict.
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

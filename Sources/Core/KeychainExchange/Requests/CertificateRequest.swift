package import KeychainModel
import SwiftASN1

/// A request to an authority for a certificate of a name and a key (PKCS #10, RFC 2986).
package struct CertificateRequest: Sendable {
    package let subject: [NamePart]
    /// A SubjectPublicKeyInfo in DER, as it is.
    package let publicKey: [UInt8]
    /// What the certificate should say; an authority does as it likes.
    package let extensions: ExtensionList

    package init(subject: [NamePart], publicKey: [UInt8], extensions: ExtensionList = ExtensionList()) {
        self.subject = subject
        self.publicKey = publicKey
        self.extensions = extensions
    }

    /// The CertificationRequestInfo in DER, which the owner of the key signs. `SignatureAlgorithm.signed` makes the
    /// request of it.
    ///
    /// - Throws: `invalidParameter` for a part that the format has no room for.
    package func toBeSigned() throws(KeychainError) -> [UInt8] {
        let publicKey = try Self.checked(publicKey)
        var attributes: [[UInt8]] = []
        if !extensions.isEmpty {
            let request = Encoding.sequence(
                Encoding.object(.extensionRequest),
                Encoding.set([try extensions.encoded()])
            )
            attributes.append(request)
        }
        return Encoding.sequence(
            Encoding.integer(0),
            try NamePart.encoded(subject),
            publicKey,
            Encoding.set(attributes, tag: 0xA0)
        )
    }

    /// A key that is one, as far as its envelope goes.
    static func checked(_ publicKey: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard (try? SubjectPublicKey(publicKey)) != nil else {
            throw KeychainError(.invalidParameter, "the public key is not a SubjectPublicKeyInfo")
        }
        return publicKey
    }

    private struct SubjectPublicKey {
        init(_ bytes: [UInt8]) throws {
            var fields = try DER.parse(bytes).fields()
            _ = try Algorithm(fields.next())
            _ = try ASN1BitString(derEncoded: fields.next())
            try fields.end()
        }
    }
}

package import KeychainCertificates
package import KeychainModel
import SwiftASN1

/// What somebody asks an authority for: a certificate of a name and a key (PKCS #10, RFC 2986).
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

    /// The CertificationRequestInfo in DER, which the owner of the key signs. `SignatureAlgorithm.signed` makes the request of it.
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

/// A request that came from somebody.
package struct ParsedCertificateRequest: Sendable {
    package let subject: [NameAttribute]
    /// A SubjectPublicKeyInfo in DER.
    package let publicKey: [UInt8]
    package let extensions: [CertificateExtension]
    /// The bytes that are signed.
    package let toBeSigned: [UInt8]
    package let algorithm: OID
    package let signature: [UInt8]
    /// Nil for one that is not known here.
    package var knownAlgorithm: SignatureAlgorithm? { SignatureAlgorithm(algorithm) }

    /// Reads a request. Its signature is not looked at.
    ///
    /// - Parameter bytes: DER.
    /// - Throws: `undecodable`, `dataTooLarge`.
    package init(der bytes: [UInt8]) throws(KeychainError) {
        // It says what would be too much; the parser of DER then says the rest.
        _ = try BoundedBER.parse(bytes)
        do {
            try self.init(DER.parse(bytes))
        } catch {
            throw .malformed
        }
    }

    private init(_ node: ASN1Node) throws {
        var request = try node.fields()
        let info = try request.next()
        algorithm = try Algorithm(request.next()).identifier
        let bits = try ASN1BitString(derEncoded: request.next())
        try request.end()
        guard bits.paddingBits == 0 else { throw KeychainError.malformed }
        signature = Array(bits.bytes)
        toBeSigned = Array(info.encodedBytes)

        var fields = try info.fields()
        guard try fields.next().number() == 0 else { throw KeychainError.malformed }
        subject = try NameAttribute.list(fields.next())
        publicKey = try CertificateRequest.checked(Array(fields.next().encodedBytes))
        // Some leave the field out where it would be empty.
        var attributes = try fields.next(.context(0))?.fields(.context(0))
        try fields.end()
        var extensions: [CertificateExtension] = []
        while let attribute = attributes?.nextIfAny() {
            var parts = try attribute.fields()
            guard try parts.next().identifierOfObject() == .extensionRequest else { continue }
            extensions += try CertificateExtension.list(parts.next())
            try parts.end()
        }
        self.extensions = extensions
    }
}

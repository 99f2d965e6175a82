import Crypto

/// Names under which answers about revocation are kept: the same for the same question, and otherwise without meaning.
package enum RevocationName {
    /// For responses about one certificate.
    package static func responses(about certificate: CertificateContents, of issuer: CertificateContents) -> String {
        name(of: [Array(issuer.subjectBytes), Array(issuer.subjectPublicKeyInfo.key), certificate.serialNumber])
    }

    /// For the list of an issuer that is at an address.
    package static func list(of issuer: CertificateContents, at address: String) -> String {
        name(of: [Array(issuer.subjectBytes), Array(issuer.subjectPublicKeyInfo.key), Array(address.utf8)])
    }

    /// SHA-256 of the parts, each behind its length.
    private static func name(of parts: [[UInt8]]) -> String {
        var hash = SHA256()
        for part in parts {
            hash.update(data: (0..<4).reversed().map { UInt8(truncatingIfNeeded: part.count >> ($0 * 8)) })
            hash.update(data: part)
        }
        return Array(hash.finalize()).hexadecimal
    }
}

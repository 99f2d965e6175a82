import KeychainCertificates
package import KeychainModel

/// Private keys of any algorithm (RFC 5208, section 5; RFC 5958).
package enum PrivateKeyInfo {
    /// Whether bytes are a private key, as far as its envelope goes: what the key is made of, only its algorithm knows.
    package static func hasForm(_ bytes: SecretBytes) -> Bool {
        (try? bytes.withArray { (bytes) throws(KeychainError) in try check(bytes) }) != nil
    }

    private static func check(_ bytes: [UInt8]) throws(KeychainError) {
        var fields = try BoundedBER.parse(bytes).fields()
        // 1 is that of RFC 5958.
        guard try fields.next().number() <= 1 else { throw .malformed }
        _ = try Algorithm(fields.next())
        guard try !fields.next().octets().isEmpty else { throw .malformed }
    }
}

package import KeychainModel

/// What a PKCS #12 file (RFC 7292) is for: keys and certificates, with what was said about each.
package struct PKCS12Contents: Sendable {
    package struct Key: Sendable {
        /// A PrivateKeyInfo, as it stands in the file; to be written, one in DER.
        package let privateKey: SecretBytes
        package let friendlyName: String?
        /// The same bytes in the key and in its certificate, of whatever kind they are.
        package let localKeyID: [UInt8]?

        package init(privateKey: SecretBytes, friendlyName: String? = nil, localKeyID: [UInt8]? = nil) {
            self.privateKey = privateKey
            self.friendlyName = friendlyName
            self.localKeyID = localKeyID
        }
    }

    package struct Certificate: Sendable {
        /// As it stands in the file; it was not checked.
        package let der: [UInt8]
        package let friendlyName: String?
        package let localKeyID: [UInt8]?

        package init(der: [UInt8], friendlyName: String? = nil, localKeyID: [UInt8]? = nil) {
            self.der = der
            self.friendlyName = friendlyName
            self.localKeyID = localKeyID
        }
    }

    /// A key and its certificate, by their places.
    package struct Pair: Hashable, Sendable {
        package let key: Int
        package let certificate: Int

        package init(key: Int, certificate: Int) {
            self.key = key
            self.certificate = certificate
        }
    }

    /// Both in the order of the file.
    package var keys: [Key]
    package var certificates: [Certificate]

    package init(keys: [Key] = [], certificates: [Certificate] = []) {
        self.keys = keys
        self.certificates = certificates
    }

    /// Which certificate each key has, at most one.
    ///
    /// A file may say anything: what it pairs by localKeyID counts only as long as the keys themselves are not
    /// compared.
    ///
    /// - Parameter belong: whether they do, by the public key; nil where that cannot be told, such as of an algorithm
    ///   that is not known.
    package func pairs(_ belong: (Key, Certificate) -> Bool? = { _, _ in nil }) -> [Pair] {
        keys.indices.compactMap { index in
            let key = keys[index]
            var named: Int?
            for (place, certificate) in certificates.enumerated() {
                switch belong(key, certificate) {
                case true?: return Pair(key: index, certificate: place)
                case false?: continue
                case nil:
                    if named == nil, let id = key.localKeyID, id == certificate.localKeyID { named = place }
                }
            }
            return named.map { Pair(key: index, certificate: $0) }
        }
    }
}

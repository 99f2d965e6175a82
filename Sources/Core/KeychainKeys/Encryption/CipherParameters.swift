import KeychainModel

/// What a caller may add to encryption with AES-GCM under a key that ECIES or RSA carries. Other encryption takes no
/// notice of it.
package struct CipherParameters: Sendable {
    /// What ECIES derives the key from besides the public key of the message.
    package var sharedInfo: [UInt8]
    /// The bits of the AES key: 128, 192 or 256; nil for what goes with the curve or the modulus.
    package var symmetricKeySizeInBits: Int?
    /// What is authenticated, and not encrypted; nil for nothing, with RSA for the public key.
    package var additionalData: [UInt8]?

    package init(sharedInfo: [UInt8] = [], symmetricKeySizeInBits: Int? = nil, additionalData: [UInt8]? = nil) {
        self.sharedInfo = sharedInfo
        self.symmetricKeySizeInBits = symmetricKeySizeInBits
        self.additionalData = additionalData
    }

    /// The bytes of the AES key.
    ///
    /// - Throws: `invalidParameter` for a size that AES does not have.
    func keySize(default size: Int) throws(KeychainError) -> Int {
        let bits = symmetricKeySizeInBits ?? size * 8
        guard [128, 192, 256].contains(bits) else {
            throw KeychainError(.invalidParameter, "AES has keys of 128, 192 or 256 bits")
        }
        return bits / 8
    }
}

/// What a caller may add to encryption with ECIES. RSA takes no notice of it.
package struct CipherParameters: Sendable {
    /// What the derivation of the key takes besides the public key of the message.
    package var sharedInfo: [UInt8]
    /// The bits of the AES key: 128, 192 or 256; nil for what goes with the curve.
    package var symmetricKeySizeInBits: Int?
    /// What is authenticated, and not encrypted.
    package var additionalData: [UInt8]

    package init(sharedInfo: [UInt8] = [], symmetricKeySizeInBits: Int? = nil, additionalData: [UInt8] = []) {
        self.sharedInfo = sharedInfo
        self.symmetricKeySizeInBits = symmetricKeySizeInBits
        self.additionalData = additionalData
    }
}

package import KeychainModel

/// What is secret of a passkey.
package struct PasskeySecrets: Sendable {
    package enum PrivateKey: Sendable {
        /// A key that the enclave alone can use, as the enclave has sealed it.
        case inEnclave(SecretBytes)
        /// 32 bytes.
        case scalar(SecretBytes)
    }

    package let key: PrivateKey
    /// From which secrets for a site are computed (CTAP 2.1, section 12.5), 32 bytes each: where the owner was verified,
    /// and where not.
    package let verifiedSeed: SecretBytes
    package let unverifiedSeed: SecretBytes
    package let blob: [UInt8]

    package init(key: PrivateKey, verifiedSeed: SecretBytes, unverifiedSeed: SecretBytes, blob: [UInt8]) {
        self.key = key
        self.verifiedSeed = verifiedSeed
        self.unverifiedSeed = unverifiedSeed
        self.blob = blob
    }

    /// - Returns: with new seeds.
    package init(key: PrivateKey, blob: [UInt8]) {
        self.init(
            key: key,
            verifiedSeed: SecretBytes(RandomBytes.make(32)),
            unverifiedSeed: SecretBytes(RandomBytes.make(32)),
            blob: blob
        )
    }
}

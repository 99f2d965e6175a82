package import KeychainCertificates

/// The public half of a private key of the enclave's.
package struct EnclavePublicKey: Sendable, Hashable {
    package let algorithm: EnclaveKeyAlgorithm
    /// A point (X9.63), or what FIPS 203 and 204 give.
    package let externalRepresentation: [UInt8]
    /// What `SecKey` can be made of: nil for all but P-256.
    package let point: PublicKey?

    /// - Returns: nil for bytes of another size, and for a point that is not on the curve.
    package init?(_ bytes: [UInt8], of algorithm: EnclaveKeyAlgorithm) {
        guard bytes.count == algorithm.publicKeySize else { return nil }
        point = algorithm == .p256 ? PublicKey(point: bytes) : nil
        guard algorithm != .p256 || point != nil else { return nil }
        self.algorithm = algorithm
        externalRepresentation = bytes
    }
}

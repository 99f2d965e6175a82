package import Crypto
package import KeychainModel

// What a TPM answers is authenticated by the session, which tells nothing of a TPM that is faulty. Each of these gives
// out what it has once it was looked at.

/// A key as a TPM has made it.
package struct UncheckedTPMKey: Sendable {
    private let parts: SealedBlob
    private let name: [UInt8]

    package init(parts: SealedBlob, name: [UInt8]) {
        self.parts = parts
        self.name = name
    }

    /// - Throws: `faulty` for a key that is not the one that was asked for.
    package func checked(authorization: SecretBytes) throws(TPMFailure) -> TPMKeyBlob {
        guard let area = TPMKeyArea(parts.publicPart), area.name == name else { throw TPMFailure(.faulty) }
        return TPMKeyBlob(authorization: authorization, area: area, privatePart: parts.privatePart)
    }
}

/// What a TPM says is a signature. A wrong one of a key whose nonce was disturbed may give the key away.
package struct UnverifiedSignature: Sendable {
    /// r and s, 32 bytes each.
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Parameter digest: 32 bytes.
    /// - Throws: `faulty` for what is none.
    package func verified(ofDigest digest: [UInt8], by key: P256.Signing.PublicKey) throws(TPMFailure) -> [UInt8] {
        guard let digest = GivenDigest(digest),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            key.isValidSignature(signature, for: digest)
        else { throw TPMFailure(.faulty) }
        return bytes
    }
}

/// What a TPM says is the product of a point and a key.
package struct UncheckedProduct: Sendable {
    /// x and y, 32 bytes each.
    private let point: SecretBytes

    package init(_ point: SecretBytes) {
        self.point = point
    }

    /// The X coordinate.
    ///
    /// - Throws: `faulty` for no point of the curve.
    package func coordinate() throws(TPMFailure) -> SecretBytes {
        let isPoint = unsafe point.withUnsafeBytes {
            unsafe $0.count == 64 && (try? P256.KeyAgreement.PublicKey(rawRepresentation: $0)) != nil
        }
        guard isPoint else { throw TPMFailure(.faulty) }
        return unsafe point.withUnsafeBytes { unsafe SecretBytes($0.prefix(32)) }
    }
}

/// A SHA-256 digest that was computed elsewhere.
private struct GivenDigest: Digest {
    static let byteCount = 32
    private let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        unsafe try bytes.withUnsafeBytes(body)
    }

    func makeIterator() -> [UInt8].Iterator { bytes.makeIterator() }
    var description: String { "a digest of 32 bytes" }
}

import EnclaveInterface
package import KeychainModel

/// A key that a TPM has made, as it is kept outside. `docs/formats/tpm-key.md` gives every byte.
package struct TPMKeyBlob: Sendable {
    /// 32 bytes, random, without which the TPM does not use the key.
    package let authorization: SecretBytes
    package let area: TPMKeyArea
    /// A TPM2B_PRIVATE, which only the TPM reads that made it.
    package let privatePart: [UInt8]

    package init(authorization: SecretBytes, area: TPMKeyArea, privatePart: [UInt8]) {
        self.authorization = authorization
        self.area = area
        self.privatePart = privatePart
    }

    private static let version: UInt8 = 1
    private static let authorizationSize = 32
    private static let largestPart = 512

    package var parts: SealedBlob { SealedBlob(publicPart: area.bytes, privatePart: privatePart) }

    package var bytes: SecretBytes {
        let rest = area.bytes + privatePart
        return unsafe SecretBytes(count: 1 + authorization.count + rest.count) { target in
            unsafe target[0] = Self.version
            unsafe authorization.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[1...]).copyMemory(from: $0)
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[(1 + authorization.count)...]).copyBytes(from: rest)
        }
    }

    /// - Throws: `notAvailable` for anything else than a whole blob of this version.
    package init(_ bytes: SecretBytes) throws(KeychainError) {
        self = try unsafe bytes.withUnsafeBytes { bytes throws(KeychainError) in
            guard unsafe bytes.first == Self.version, bytes.count > 1 + Self.authorizationSize else {
                throw Self.damaged
            }
            let authorization = unsafe SecretBytes(bytes.dropFirst().prefix(Self.authorizationSize))
            var rest = unsafe Array(bytes.dropFirst(1 + Self.authorizationSize))[...]
            func takePart() throws(KeychainError) -> [UInt8] {
                guard let size = TPMKeyArea.number(rest), size > 0, 2 + size <= Self.largestPart, rest.count >= 2 + size
                else { throw Self.damaged }
                defer { rest = rest.dropFirst(2 + size) }
                return Array(rest.prefix(2 + size))
            }
            guard let area = TPMKeyArea(try takePart()) else { throw Self.damaged }
            let privatePart = try takePart()
            guard rest.isEmpty else { throw Self.damaged }
            return TPMKeyBlob(authorization: authorization, area: area, privatePart: privatePart)
        }
    }

    private static let damaged = KeychainError(
        .notAvailable,
        "the key is truncated, altered or of a newer version, and no TPM takes it so; restore a backup"
    )
}

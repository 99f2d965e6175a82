package import KeychainModel
import LocalEnclave

/// The device key's file where a TPM has sealed the key. `docs/formats/device-key.md` gives every byte.
package struct SealedDeviceKey: Sendable, Equatable {
    /// 16 random bytes, by which the keychain's places in the TPM are found.
    package let binding: [UInt8]
    /// The name of the storage root key under which it was sealed.
    package let root: [UInt8]
    /// The name of a key that clearing the TPM does not change; nil where the TPM would not make one.
    package let endorsement: [UInt8]?
    package let blob: SealedBlob

    package init(binding: [UInt8], root: [UInt8], endorsement: [UInt8]?, blob: SealedBlob) {
        self.binding = binding
        self.root = root
        self.endorsement = endorsement
        self.blob = blob
    }

    package static let header = DeviceBindings.sealedHeader
    private static let nameSize = 34
    private static let largestPart = 512
    package static let largestFile = header.count + 16 + 2 * nameSize + 2 * (2 + largestPart)

    package var file: [UInt8] {
        Self.header + binding + root + (endorsement ?? [UInt8](repeating: 0, count: Self.nameSize))
            + Self.field(blob.publicPart) + Self.field(blob.privatePart)
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    /// - Throws: `notAvailable` for anything else than a whole file of this version.
    package init(file: [UInt8]) throws(KeychainError) {
        guard file.starts(with: Self.header) else { throw Self.damaged }
        var rest = file.dropFirst(Self.header.count)
        func take(_ count: Int) throws(KeychainError) -> [UInt8] {
            guard count <= rest.count else { throw Self.damaged }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func takeField() throws(KeychainError) -> [UInt8] {
            let count = try take(2).reduce(0) { $0 << 8 | Int($1) }
            guard count > 0, count <= Self.largestPart else { throw Self.damaged }
            return try take(count)
        }
        let binding = try take(16)
        let root = try take(Self.nameSize)
        let endorsement = try take(Self.nameSize)
        let blob = SealedBlob(publicPart: try takeField(), privatePart: try takeField())
        guard rest.isEmpty else { throw Self.damaged }
        self.init(
            binding: binding,
            root: root,
            endorsement: endorsement.allSatisfy { $0 == 0 } ? nil : endorsement,
            blob: blob
        )
    }

    private static let damaged = KeychainError(
        .notAvailable,
        "the device key is truncated, damaged or of a newer version; put the original file back"
    )
}

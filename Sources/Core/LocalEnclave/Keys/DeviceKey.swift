import Crypto
package import KeychainModel

/// The root of a keychain's keys, which never leaves its machine.
///
/// The file has 40 bytes: `CHdk`, the version 1, three zero bytes and the 32 bytes of the key.
package struct DeviceKey: Sendable {
    let key: SymmetricKey

    /// A new random key.
    package init() {
        key = SymmetricKey(size: .bits256)
    }

    init(_ key: SymmetricKey) {
        self.key = key
    }

    /// The size of the file.
    package static let fileSize = 40
    private static let header: [UInt8] = Array("CHdk".utf8) + [1, 0, 0, 0]

    /// Reads a file's contents.
    ///
    /// - Throws: `notAvailable` where they are not a device key of this version.
    package init(file contents: SecretBytes) throws(KeychainError) {
        let key: SymmetricKey? = unsafe contents.withUnsafeBytes { bytes in
            guard bytes.count == Self.fileSize, unsafe bytes.starts(with: Self.header) else { return nil }
            return unsafe SymmetricKey(data: bytes.dropFirst(Self.header.count))
        }
        guard let key else {
            throw KeychainError(
                .notAvailable,
                "the device key is truncated, damaged or of a newer version; put the original file back"
            )
        }
        self.key = key
    }

    /// The contents of the file.
    package var file: SecretBytes {
        unsafe SecretBytes(count: Self.fileSize) { target in
            unsafe target.copyBytes(from: Self.header)
            unsafe key.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[Self.header.count...]).copyMemory(from: bytes)
            }
        }
    }
}

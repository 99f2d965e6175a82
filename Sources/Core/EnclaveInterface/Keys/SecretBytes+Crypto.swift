import CKeychainLinux
package import Crypto
package import FoundationEssentials
package import KeychainModel

extension SecretBytes {
    /// Takes the bytes of a buffer that a cipher filled, and zeroes the buffer.
    package convenience init(moving data: inout Data) {
        // Not by way of another variable: a second holder of the buffer would make the zeroing copy it first.
        unsafe self.init(count: data.count) { target in unsafe target.copyBytes(from: data) }
        data.zero()
    }

    /// The bytes as a key.
    package func symmetricKey() -> SymmetricKey {
        unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}

extension Data {
    /// Overwrites the bytes in place. The data must be the only holder of its buffer.
    package mutating func zero() {
        unsafe withUnsafeMutableBytes { buffer in
            if let address = buffer.baseAddress { unsafe clinux_zero(address, buffer.count) }
        }
    }
}

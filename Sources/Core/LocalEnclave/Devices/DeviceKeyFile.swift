import Crypto
import EnclaveInterface
package import KeychainModel

/// The device key's file where the key stands in it: version 1, or version 2, which also says for which machine it is.
///
/// `docs/formats/device-key.md` gives every byte.
package struct DeviceKeyFile: Sendable {
    package let key: DeviceKey
    /// Authenticates the machine's identity under the key; nil in a file for any machine.
    private let check: [UInt8]?

    /// - Parameter machine: the one that the file is for; nil for any.
    package init(_ key: DeviceKey, for machine: MachineIdentity?) {
        self.key = key
        check = machine.map { Self.check(of: $0, under: key) }
    }

    private static let boundHeader: [UInt8] = Array("CHdk".utf8) + [2, DeviceBindingKind.file.rawValue, 0, 0]
    private static let checkSize = 32
    package static let largestFile = DeviceKey.fileSize + checkSize

    /// - Throws: `notAvailable` where they are not a device key of a known version.
    package init(file contents: SecretBytes) throws(KeychainError) {
        let parts: (key: SecretBytes, check: [UInt8])? = unsafe contents.withUnsafeBytes { bytes in
            guard bytes.count == Self.largestFile, unsafe bytes.starts(with: Self.boundHeader) else { return nil }
            let secret = unsafe SecretBytes(bytes[Self.boundHeader.count..<DeviceKey.fileSize])
            return unsafe (secret, Array(bytes[DeviceKey.fileSize...]))
        }
        guard let parts else {
            key = try DeviceKey(file: contents)
            check = nil
            return
        }
        key = DeviceKey(parts.key.symmetricKey())
        check = parts.check
    }

    package var contents: SecretBytes {
        guard let check else { return key.file }
        return unsafe SecretBytes(count: Self.largestFile) { target in
            unsafe key.file.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            unsafe target.copyBytes(from: Self.boundHeader)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[DeviceKey.fileSize...]).copyBytes(from: check)
        }
    }

    /// Whether the file may be used on a machine.
    package func isFor(_ machine: MachineIdentity?) -> Bool {
        guard let check else { return true }
        guard let machine else { return false }
        return check == Self.check(of: machine, under: key)
    }

    private static func check(of machine: MachineIdentity, under key: DeviceKey) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Array("chatelaine machine 1".utf8) + machine.bytes,
                using: key.key
            )
        )
    }
}

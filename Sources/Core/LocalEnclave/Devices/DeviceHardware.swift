import EnclaveInterface
import KeychainFiles
import KeychainModel
import KeychainSystem

/// Hardware that seals device keys.
package protocol DeviceHardware: Sendable {
    /// Whether it is there and new keychains are to be bound to it.
    var isForNewKeychains: Bool { get }

    /// - Parameter path: of the file that the sealed key stands in.
    func binding(forKeyAt path: String) -> any DeviceBinding
}

/// The bindings that a folder's device key can have, and which one it has.
package struct DeviceBindings: Sendable {
    private let path: String
    private let credential: String?
    private let hardware: (any DeviceHardware)?

    /// - Parameters:
    ///   - path: of the device key's file.
    ///   - credentials: where systemd has put the service's credentials, if it has.
    ///   - hardware: nil where none is to be used.
    package init(forKeyAt path: String, credentials: String?, hardware: (any DeviceHardware)?) {
        self.path = path
        credential = credentials.map { $0 + "/" + CredentialBinding.credentialName }
        self.hardware = hardware
    }

    /// A credential comes before the file, the file says itself what it is, and for a new keychain there is a TPM,
    /// where there is one, or a file.
    package var chosen: any DeviceBinding {
        if let credential, FileStamp.ofFile(credential) != nil { return CredentialBinding(path: credential) }
        guard FileStamp.ofFile(path) != nil else {
            guard let hardware, hardware.isForNewKeychains else { return FileBinding(path: path) }
            return hardware.binding(forKeyAt: path)
        }
        guard isSealed else { return FileBinding(path: path) }
        return hardware?.binding(forKeyAt: path) ?? AbsentHardware(path: path)
    }

    /// Whether the file is one that hardware has sealed. The next reader reports what is wrong with any other file.
    private var isSealed: Bool {
        guard let file = try? SecureFile.read(path, largest: Self.largestFile, ownership: .own) else { return false }
        return unsafe file.withUnsafeBytes { unsafe $0.starts(with: Self.sealedHeader) }
    }

    /// `CHdk`, the version 2, and a TPM.
    package static let sealedHeader: [UInt8] = Array("CHdk".utf8) + [2, DeviceBindingKind.tpm.rawValue, 0, 0]
    package static let largestFile = 4096
}

/// A device key that was sealed by hardware which is not to be used here.
private struct AbsentHardware: DeviceBinding {
    let path: String

    var kind: DeviceBindingKind { .tpm }
    var passcodeSecrets: (any PasscodeSecretStore)? { nil }
    var rollbackCounter: (any RollbackCounter)? { nil }

    func deviceKey() throws(KeychainError) -> DeviceKey? { throw failure }
    func makeDeviceKey() throws(KeychainError) -> DeviceKey { throw failure }

    private var failure: KeychainError {
        KeychainError(
            .notAvailable,
            "\(path) was sealed by a TPM, which this program does not use; start the service with --tpm"
        )
    }
}

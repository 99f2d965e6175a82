package import EnclaveInterface
import KeychainFiles
package import KeychainModel

/// A device key that systemd hands to the service at its start (systemd.exec(5), "CREDENTIALS").
package struct CredentialBinding: DeviceBinding {
    private let path: String

    /// The name of the credential that stands in for the device key's file.
    package static let credentialName = "chatelaine.device-key"

    package init(path: String) {
        self.path = path
    }

    package var kind: DeviceBindingKind { .credential }

    package func deviceKey() throws(KeychainError) -> DeviceKey? {
        guard let file = try SecureFile.read(path, largest: DeviceKeyFile.largestFile, ownership: .credential) else {
            return nil
        }
        // For which machine it is is systemd's affair.
        return try DeviceKeyFile(file: file).key
    }

    package func makeDeviceKey() throws(KeychainError) -> DeviceKey {
        throw KeychainError(.notAvailable, "the credential \(path) is missing; systemd has to hand it over")
    }

    package var passcodeSecrets: (any PasscodeSecretStore)? { nil }
    package var rollbackCounter: (any RollbackCounter)? { nil }
}

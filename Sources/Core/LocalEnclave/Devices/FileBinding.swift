package import EnclaveInterface
import KeychainFiles
package import KeychainModel

/// A device key in a file that only its owner reads: a thief of the disk has it.
///
/// The file says for which machine it is, so that a folder that was copied elsewhere, or is synchronized, does not open
/// there by accident. A person who means to can make it open all the same: the key stands in the file.
package struct FileBinding: DeviceBinding {
    private let path: String
    private let machine: MachineIdentity?

    package init(path: String, machine: MachineIdentity? = .current) {
        self.path = path
        self.machine = machine
    }

    package var kind: DeviceBindingKind { .file }

    package func deviceKey() throws(KeychainError) -> DeviceKey? {
        guard let file = try read() else { return nil }
        guard file.isFor(machine) else {
            throw KeychainError(
                .notAvailable,
                "\(path) was made on another machine, or /etc/machine-id has changed; restore a backup here, or, if the "
                    + "keychain is to open on this machine from now on, run: chatelaine adopt-keychain"
            )
        }
        return file.key
    }

    private func read() throws(KeychainError) -> DeviceKeyFile? {
        guard let contents = try SecureFile.read(path, largest: DeviceKeyFile.largestFile, ownership: .own) else {
            return nil
        }
        return try DeviceKeyFile(file: contents)
    }

    package func makeDeviceKey() throws(KeychainError) -> DeviceKey {
        let key = DeviceKey()
        try SecureFile.write(DeviceKeyFile(key, for: machine).contents, to: path)
        return key
    }

    /// Has the key open on this machine from now on, and on the one that it was made on no more.
    ///
    /// - Throws: `notAvailable` where there is none.
    package func adopt() throws(KeychainError) {
        guard let file = try read() else { throw KeychainError.missing(path) }
        try SecureFile.write(DeviceKeyFile(file.key, for: machine).contents, to: path)
    }

    package var passcodeSecrets: (any PasscodeSecretStore)? { nil }
    package var rollbackCounter: (any RollbackCounter)? { nil }
}

package import EnclaveInterface
package import KeychainModel

/// A device key that goes with its process.
package struct MemoryBinding: DeviceBinding {
    private let key: DeviceKey

    package init(_ key: DeviceKey = DeviceKey()) {
        self.key = key
    }

    package var kind: DeviceBindingKind { .memory }
    package func deviceKey() throws(KeychainError) -> DeviceKey? { key }
    package func makeDeviceKey() throws(KeychainError) -> DeviceKey { key }
    package var passcodeSecrets: (any PasscodeSecretStore)? { nil }
    package var rollbackCounter: (any RollbackCounter)? { nil }
}

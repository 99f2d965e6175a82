import Crypto
import Foundation
import KeychainModel
import LocalEnclave
import TPMEnclave

extension SecretBytes {
    convenience init(randomCount count: Int) {
        self.init((0..<count).map { _ in UInt8.random(in: .min ... .max) })
    }

    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension [UInt8] {
    func contains(bytes: [UInt8]) -> Bool { Data(self).range(of: Data(bytes)) != nil }
}

extension TPMBinding {
    func passcodes() throws -> any PasscodeSecretStore {
        guard let store = passcodeSecrets else { throw CocoaError(.featureUnsupported) }
        return store
    }

    func counter() throws -> any RollbackCounter {
        guard let counter = rollbackCounter else { throw CocoaError(.featureUnsupported) }
        return counter
    }

    func keys() throws -> any HardwareKeys {
        guard let keys = hardwareKeys else { throw CocoaError(.featureUnsupported) }
        return keys
    }

    /// A binding whose key has just been made.
    static func made(_ tpm: EmulatedTPM, _ name: String = "device.key") throws -> TPMBinding {
        let binding = tpm.binding(name)
        _ = try binding.makeDeviceKey()
        return binding
    }
}

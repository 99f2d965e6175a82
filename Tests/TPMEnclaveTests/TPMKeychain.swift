import Crypto
import Foundation
import KeychainModel
import TPMEnclave
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainFiles
@testable import LocalEnclave

/// A keychain's keys in a folder, bound to a TPM, with a scrypt that costs nothing.
final class TPMKeychain {
    let tpm: EmulatedTPM
    let path: String

    init(_ tpm: EmulatedTPM, _ name: String = "keychain") throws {
        self.tpm = tpm
        path = tpm.surroundings + "/" + name
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// One that is there already.
    static func made() throws -> TPMKeychain {
        let keychain = try TPMKeychain(EmulatedTPM())
        try keychain.folder().create()
        return keychain
    }

    func folder(of tpm: EmulatedTPM? = nil, timeout: Int32 = TPMDevice.standardTimeout) -> LocalEnclaveFolder {
        LocalEnclaveFolder(
            path: path,
            hardware: TPMHardware((tpm ?? self.tpm).device(timeout: timeout), isForNewKeychains: true),
            cost: .uncheckedLeast
        )
    }

    /// As after a start of the process.
    func open() throws -> LocalEnclave { try folder().openLocal() }

    func set(_ new: String?, insteadOf old: String?) throws {
        try open().owner.changePasscode(from: old.map(secret), to: new.map(secret))
    }

    /// What comes of a passcode, in a new process.
    func unlock(_ passcode: String) -> KeychainError.Code? {
        do {
            try open().owner.unlock(secret(passcode))
            return nil
        } catch {
            return (error as? KeychainError)?.code ?? .internalError
        }
    }

    /// What a thief with a copy of the disk, or a power cut, has.
    func copy(_ name: String) throws -> TPMKeychain {
        let copy = try TPMKeychain(tpm, name)
        for file in ["device.key", "keybag", "attempts"] where FileManager.default.fileExists(atPath: path + "/" + file)
        {
            try FileManager.default.copyItem(atPath: path + "/" + file, toPath: copy.path + "/" + file)
        }
        return copy
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try SecureFile.write(SecretBytes(bytes), to: path + "/" + name)
    }
}

extension LocalEnclave {
    var owner: LocalControl { LocalControl(self, for: .owner) }

    func opensAll() throws -> Bool { try serviceKeys().metadata.count == Accessibility.allCases.count }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

/// A TPM's binding without its counter: what is left where somebody gets round that.
struct UncountedBinding: DeviceBinding {
    let inner: any DeviceBinding

    var kind: DeviceBindingKind { inner.kind }
    var passcodeSecrets: (any PasscodeSecretStore)? { inner.passcodeSecrets }
    var rollbackCounter: (any RollbackCounter)? { nil }
    func deviceKey() throws(KeychainError) -> DeviceKey? { try inner.deviceKey() }
    func makeDeviceKey() throws(KeychainError) -> DeviceKey { try inner.makeDeviceKey() }
}

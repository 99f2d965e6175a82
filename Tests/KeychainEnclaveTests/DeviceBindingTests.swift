import Foundation
import KeychainModel
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("What a device key is bound to")
struct DeviceBindingTests {
    private let here = MachineIdentity([UInt8](repeating: 1, count: 16))
    private let elsewhere = MachineIdentity([UInt8](repeating: 2, count: 16))

    private func binding(_ fixture: EnclaveFixture, on machine: MachineIdentity?) -> FileBinding {
        FileBinding(path: fixture.path + "/device.key", machine: machine)
    }

    @Test func `a folder that was copied to another machine does not open there by accident`() throws {
        let fixture = try EnclaveFixture()
        try FileManager.default.removeItem(atPath: fixture.path + "/device.key")
        let made = try binding(fixture, on: here).makeDeviceKey()
        #expect(try binding(fixture, on: here).deviceKey()?.file.bytes == made.file.bytes)
        for other in [elsewhere, nil] {
            let error = #expect(throws: KeychainError.self) { try binding(fixture, on: other).deviceKey() }
            #expect(error?.code == .notAvailable)
            #expect(error?.message.contains("another machine") == true)
            #expect(error?.message.contains("adopt-keychain") == true)
        }
    }

    @Test func `whoever means to can have it open there, and then it does not at the old place`() throws {
        let fixture = try EnclaveFixture()
        try FileManager.default.removeItem(atPath: fixture.path + "/device.key")
        let made = try binding(fixture, on: here).makeDeviceKey()
        try binding(fixture, on: elsewhere).adopt()
        #expect(try binding(fixture, on: elsewhere).deviceKey()?.file.bytes == made.file.bytes)
        #expect(throws: KeychainError(.notAvailable, "")) { try binding(fixture, on: here).deviceKey() }
    }

    @Test func `a file without a machine, as older versions wrote it, opens on all`() throws {
        let fixture = try EnclaveFixture()
        let key = DeviceKey()
        try fixture.write(key.file.bytes, to: "device.key")
        for machine in [here, elsewhere, nil] {
            #expect(try binding(fixture, on: machine).deviceKey()?.file.bytes == key.file.bytes)
        }
        try FileManager.default.removeItem(atPath: fixture.path + "/device.key")
        _ = try binding(fixture, on: nil).makeDeviceKey()
        #expect(try fixture.read("device.key").count == 40)
    }

    @Test func `a file for a machine has the documented bytes`() throws {
        let key = DeviceKey()
        let file = DeviceKeyFile(key, for: here).contents.bytes
        #expect(file.count == 72)
        #expect(Array(file.prefix(8)) == Array("CHdk".utf8) + [2, 1, 0, 0])
        #expect(Array(file[8..<40]) == Array(key.file.bytes.dropFirst(8)))
        #expect(try DeviceKeyFile(file: SecretBytes(file)).isFor(here))
    }

    @Test func `a file that was cut or lengthened is refused, and one that was changed is no other machine's`() throws {
        let file = DeviceKeyFile(DeviceKey(), for: here).contents.bytes
        for length in 0..<file.count where length != 40 {
            #expect(throws: KeychainError(.notAvailable, "")) {
                try DeviceKeyFile(file: SecretBytes(file.prefix(length)))
            }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try DeviceKeyFile(file: SecretBytes(file + [0])) }
        for offset in file.indices {
            var changed = file
            changed[offset] ^= 1
            let read = try? DeviceKeyFile(file: SecretBytes(changed))
            #expect(read?.isFor(here) != true)
        }
    }

    @Test(arguments: [
        ("3d1219c7c4c5404aaa1f6d2a48adfda4\n", true), ("3d1219c7c4c5404aaa1f6d2a48adfda4", true),
        ("uninitialized\n", false), ("", false), ("00000000000000000000000000000000\n", false),
        ("3d1219c7c4c5404aaa1f6d2a48adfda", false), ("3d1219c7c4c5404aaa1f6d2a48adfdag\n", false),
        ("3d1219c7c4c5404aaa1f6d2a48adfda4a", false),
    ])
    func `a machine has the identity that its file says, or none`(text: String, isThere: Bool) throws {
        let fixture = try EnclaveFixture()
        try fixture.write(Array(text.utf8), to: "machine-id")
        #expect((MachineIdentity(file: fixture.path + "/machine-id") != nil) == isThere)
    }

    @Test func `a credential comes before the file, and one that is made of the file is the same key`() throws {
        let fixture = try EnclaveFixture()
        let own = try fixture.open().locking.deviceKey.file.bytes
        try fixture.write(fixture.read("device.key"), to: CredentialBinding.credentialName)
        let bindings = DeviceBindings(
            forKeyAt: fixture.path + "/device.key",
            credentials: fixture.path,
            hardware: nil
        )
        #expect(bindings.chosen.kind == .credential)
        #expect(try bindings.chosen.deviceKey()?.file.bytes == own)
    }
}

extension SecretBytes {
    fileprivate var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

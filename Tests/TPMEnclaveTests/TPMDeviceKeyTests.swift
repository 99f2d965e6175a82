import Foundation
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import SyncTestSupport
import Testing

@testable import LocalEnclave

/// A device whose signing key is in a TPM.
@Suite
struct TPMDeviceKeyTests {
    private let site = CircleSite()

    private func device(_ keychain: TPMKeychain) throws -> CircleDevice {
        let enclave = try keychain.open()
        return try CircleDevice(enclave, owner: enclave.control(isRoot: false), at: site)
    }

    @Test func `what a device signs for its circle, its TPM signs, and others take it`() throws {
        let keychain = try TPMKeychain.made()
        let alice = try device(keychain)
        try alice.owner.changePasscode(from: nil, to: CircleDevice.passcode)
        try alice.found()
        let bob = try CircleDevice(at: site)
        try alice.approve(bob)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        let name = SyncHash(of: [1])
        try alice.write("hunter2", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == "hunter2")
        // The private key is a blob of the TPM's.
        let file = try Data(contentsOf: URL(filePath: keychain.path + "/sync.keys"))
        var reader = try SyncReader(Array(file.dropFirst(24)), atMost: file.count)
        #expect(EnclaveKey(try reader.field(atMost: EnclaveKey.largest))?.kind == .tpm)
        #expect(try keychain.tpm.loaded().isEmpty)
    }

    @Test func `on another machine its keys are of no use`() throws {
        let keychain = try TPMKeychain.made()
        let alice = try device(keychain)
        try alice.found()
        let replica = try #require(alice.replica)
        let enclave = try keychain.folder(of: EmulatedTPM()).openLocal
        #expect(failure { try enclave() } == .notAvailable)
        // And none are lost on their own.
        let again = try device(keychain)
        again.replica = replica
        try again.write("still here", as: SyncHash(of: [2]))
    }
}

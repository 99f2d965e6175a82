import EnclaveInterface
import Foundation
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import KeychainTestSupport
import SyncTestSupport
import Testing

@testable import EnclaveClient

/// What devices of a circle ask of the enclave's own process, with its rights and system calls taken away.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can start the enclave's process"))
struct SyncEnclaveProcessTests {
    private let site = CircleSite()

    private func device(_ uid: UInt32, in process: EnclaveProcess, over connection: EnclaveConnection) throws
        -> CircleDevice
    {
        let folder = RemoteEnclaveFolder(connection, uid: uid)
        try folder.create()
        let owner = try RemoteEnclaveControl(connectingTo: process.controlPath, uid: uid)
        try owner.changePasscode(from: nil, to: CircleDevice.passcode)
        return try CircleDevice(try folder.open(), owner: owner, at: site)
    }

    @Test func `two devices share items, keep nothing of them in memory, and forget their circle`() throws {
        let process = try EnclaveProcess()
        let connection = process.connection()
        let alice = try device(1000, in: process, over: connection)
        let bob = try device(1001, in: process, over: connection)
        try alice.found()
        try alice.approve(bob)
        for _ in 0..<3 { for device in [bob, alice] { try device.synchronize() } }
        let name = SyncHash(of: [1])
        try alice.write("hunter2", as: name)
        try bob.synchronize()
        #expect(bob.text(name) == "hunter2")
        let epoch = try #require(alice.replica?.circle.state.goodEpochs.first?.id)
        let request = SyncBoxKeyRequest(SyncTier.unlocked.rawValue, in: epoch.bytes, for: name.bytes)
        let key = try alice.enclave.answer(request).withUnsafeBytes { Array($0) }
        // The control is something that the process has for as long as it lives.
        let needles = ["box": key, "folder": Array(process.directory.utf8)]
        #expect(process.memoryContains(needles) == ["folder"])
        try alice.lock()
        #expect(failure { try alice.enclave.answer(request) } == .interactionNotAllowed)
        #expect(process.memoryContains(needles) == ["folder"])
        try alice.unlock()
        let path = "\(process.directory)/users/1000/sync.keys"
        #expect(FileManager.default.fileExists(atPath: path))
        try alice.owner.allow(.forget, with: try alice.token())
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

import Crypto
import Foundation
import KeychainEnclave
import KeychainModel
import KeychainTestSupport
import Testing

@testable import EnclaveProtocol

/// The enclave's process, looked at and into from outside.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can start the enclave's process"))
struct EnclaveProcessTests {
    private let uid: UInt32 = 1000

    private func binding() -> ItemBinding {
        ItemBinding(
            itemClass: .genericPassword,
            uuid: ItemUUID(),
            version: ItemUUID().bytes,
            accessGroup: "TEAM.a",
            accessibility: Accessibility.whenUnlocked.code,
            isSynchronizable: false,
            isTombstone: false,
            accessControl: []
        )
    }

    @Test
    func `it has given up all rights before it answers`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        #expect(process.status("Uid") == Array(repeating: "\(EnclaveProcess.user)", count: 4).joined(separator: "\t"))
        #expect(process.status("CapPrm") == "0000000000000000")
        #expect(process.status("CapBnd") == "0000000000000000")
        #expect(process.status("NoNewPrivs") == "1")
        #expect(process.status("Seccomp") == "2")
        #expect(process.status("Threads") == "3")
        // What cannot be dumped belongs to root.
        var status = stat()
        stat("/proc/\(process.identifier)/mem", &status)
        #expect(status.st_uid == 0)
    }

    /// On one processor, a thread of this kind runs until it has to wait; those that it starts begin no sooner.
    private static let startsThreadsLate = ["chrt", "-f", "1", "taskset", "-c", "0"]

    @Test(.enabled(if: Machine.succeeds(startsThreadsLate + ["true"]), "needs chrt and the right to use it"))
    func `system calls are filtered no sooner than its threads have begun (needs chrt)`() throws {
        // The C library ends a process one of whose threads cannot say that it begins (rseq).
        let process = try EnclaveProcess(wrapper: Self.startsThreadsLate)
        defer { withExtendedLifetime(process) {} }
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        #expect(try folder.presence() == .complete)
    }

    @Test
    func `neither class keys nor item keys nor a passcode are in its memory, unlocked or locked`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let passcode = "PASSCODE-\(UUID().uuidString)"
        let owner = try RemoteEnclaveControl(connectingTo: process.controlPath, uid: uid)
        try owner.changePasscode(from: nil, to: SecretBytes(Array(passcode.utf8)))
        let key = UnwrappedItemKey(binding: binding(), key: SymmetricKey(size: .bits256))
        let box = try #require(try enclave.wrap([key]).first)
        let opened = try enclave.unwrap([WrappedItemKey(binding: key.binding, box: box)])
        #expect(try opened.first?.get() == key.key)
        var needles: [String: [UInt8]] = [
            "passcode": Array(passcode.utf8), "item key": key.key.withUnsafeBytes { Array($0) },
            // The control: something that the process has for as long as it lives.
            "folder": Array(process.directory.utf8),
        ]
        for (accessibility, keys) in try enclave.serviceKeys().metadata {
            for (index, key) in keys.enumerated() {
                needles["\(accessibility) \(index)"] = key.withUnsafeBytes { Array($0) }
            }
        }
        #expect(process.memoryContains(needles) == ["folder"])
        try owner.lock()
        #expect(process.memoryContains(needles) == ["folder"])
        try owner.unlock(SecretBytes(Array(passcode.utf8)))
        try owner.lock()
        #expect(process.memoryContains(needles) == ["folder"])
    }

    @Test
    func `a service whose enclave is killed gets errors, and no answer that is none`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let key = UnwrappedItemKey(binding: binding(), key: SymmetricKey(size: .bits256))
        let box = try #require(try enclave.wrap([key]).first)
        let wrapped = WrappedItemKey(binding: key.binding, box: box)
        let threads = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: threads) {
                // Right answers until it ends, and errors after that.
                while let answer = try? enclave.unwrap([wrapped]) { #expect(answer.first == .success(key.key)) }
            }
        }
        usleep(50_000)
        kill(process.identifier, SIGKILL)
        threads.wait()
        #expect(throws: KeychainError(.notAvailable, "")) { try enclave.serviceKeys() }
    }
}

import Foundation
import KeychainModel
import LocalEnclave
import Synchronization
import Testing

@testable import EnclaveClient
@testable import EnclaveServer

/// Enclaves of more users than there is room for, and more requests than can wait.
struct CrowdedEnclaveTests {
    private func folder() -> String {
        FileManager.default.temporaryDirectory.path + "/crowded-\(UUID().uuidString)"
    }

    private func table(_ folder: String, mostUsers: Int, idleTime: Duration = .zero) -> EnclaveTable {
        let host = UserEnclaves(directory: folder) { (path, _) throws(KeychainError) in
            LocalEnclaveFolder(path: path, cost: .uncheckedLeast)
        }
        return EnclaveTable(host, mostUsers: mostUsers, idleTime: idleTime)
    }

    @Test func `enclaves that lose nothing make room, and open again as they were`() throws {
        let folder = folder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let table = table(folder, mostUsers: 8)
        try table.create(for: 1)
        let first = try table.enclave(of: 1).state()
        for uid in UInt32(2)..<60 {
            try table.create(for: uid)
            _ = try table.enclave(of: uid)
            #expect(table.count <= 8)
        }
        let again = try table.enclave(of: 1).state()
        #expect(again.keychain == first.keychain)
        // Whoever knew the enclave as it was takes its next change for a later one.
        #expect(again.epoch >= first.epoch)
    }

    @Test func `what a passcode has unlocked stays, and so does who was used a moment ago`() throws {
        let folder = folder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let table = table(folder, mostUsers: 4)
        try table.create(for: 1)
        try table.rootControl(of: 1).changePasscode(from: nil, to: SecretBytes(Array("passcode".utf8)))
        for uid in UInt32(2)..<20 {
            try table.create(for: uid)
            _ = try table.enclave(of: uid)
        }
        #expect(try table.enclave(of: 1).state().lock == .unlocked)
        try table.enclave(of: 1).logOut()
        for uid in UInt32(20)..<30 {
            try table.create(for: uid)
            _ = try table.enclave(of: uid)
        }
        #expect(try table.enclave(of: 1).state().lock == .beforeFirstUnlock)

        let busy = self.table(folder, mostUsers: 4, idleTime: .seconds(600))
        for uid in UInt32(2)..<6 { _ = try busy.enclave(of: uid) }
        #expect(throws: KeychainError(.notAvailable, "")) { try busy.enclave(of: 6) }
    }

    @Test func `whom the service has let go of is not told of changes any more`() throws {
        let served = try ServedEnclave()
        let connection = served.connection()
        for uid in UInt32(1_000)..<1_050 {
            let folder = RemoteEnclaveFolder(connection, uid: uid)
            try folder.create()
            let enclave = try folder.open()
            #expect(connection.observedUsers == 1)
            withExtendedLifetime(enclave) {}
        }
        #expect(connection.observedUsers == 0)
    }

    @Test func `the status of who has no keychain is told, and nothing is made for it`() throws {
        let served = try ServedEnclave()
        let connection = served.connection()
        for uid in UInt32(2_000)..<2_200 {
            let folder = RemoteEnclaveFolder(connection, uid: uid)
            #expect(try folder.presenceStatusWithoutKeychain()?[.passcode].obstacle == .noPasscode)
            #expect(throws: KeychainError(.itemNotFound, "")) { try served.owner(of: uid).state() }
            #expect(throws: KeychainError(.itemNotFound, "")) { try served.owner(of: uid).lock() }
        }
        #expect(!FileManager.default.fileExists(atPath: served.folder + "/users"))
        #expect(served.service.table.count == 0)
    }

    // MARK: - Queues

    @Test func `a newcomer gets a place in a full queue, and its turn before the others' second one`() throws {
        let worker = try EnclaveWorker(most: 8, mostOfUser: 6)
        let gate = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let order = Mutex<[UInt32]>([])
        let refused = Mutex<[UInt32]>([])
        func job(_ uid: UInt32) -> EnclaveWorker.Job {
            EnclaveWorker.Job(
                uid: uid,
                refuse: {
                    refused.withLock { $0.append(uid) }
                    done.signal()
                },
                run: {
                    order.withLock { $0.append(uid) }
                    done.signal()
                }
            )
        }
        let isBlocked = DispatchSemaphore(value: 0)
        try worker.add(
            EnclaveWorker.Job(uid: 9) {
                isBlocked.signal()
                gate.wait()
            }
        )
        isBlocked.wait()
        for _ in 0..<6 { try worker.add(job(1)) }
        for _ in 0..<2 { try worker.add(job(2)) }
        #expect(throws: KeychainError(.notAvailable, "")) { try worker.add(job(1)) }
        try worker.add(job(3))
        #expect(refused.withLock { $0 } == [1])
        try worker.add(job(0))
        for _ in 0..<10 { gate.signal() }
        for _ in 0..<10 { done.wait() }
        let turns = order.withLock { $0 }
        #expect(turns.first == 0)
        #expect(Set(turns[1...3]) == [1, 2, 3])
    }
}

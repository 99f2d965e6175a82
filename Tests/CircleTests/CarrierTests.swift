import Foundation
import KeychainCircles
import KeychainModel
import KeychainSync
import SyncCarrier
import Synchronization
import Testing

@testable import KeychainEngine

@Suite("What carries between a keychain and a folder")
struct CarrierTests {
    /// A keychain in which a program stores something at the end of the second round. The first is followed by another in any
    /// case, since the folder was not watched before.
    private final class BusyKeychain: CircleService, @unchecked Sendable {
        // Unchecked: one thread runs the carrier.
        private let device: SharedKeychain
        private var rounds = 0

        init(_ device: SharedKeychain) {
            self.device = device
        }

        func answer(_ request: CircleRequest) throws(KeychainError) -> CircleAnswer {
            try device.circle.answer(request)
        }

        func synchronize(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError) -> SyncReport {
            defer {
                rounds += 1
                if rounds == 2 { _ = try? device.add("late") }
            }
            return try device.circle.synchronize(over: transport, ifAt: place)
        }
    }

    @Test func `what is stored during a round goes with the next one, which comes at once`() throws {
        let folder = try CircleFolder()
        let device = try SharedKeychain(at: folder)
        try device.found()
        try device.circle.place(folder.path, device.token())
        let start = ContinuousClock.now
        var sent = 0
        try SyncCarrier(BusyKeychain(device), isHinted: false) { _ in }.run { event in
            if case .round(let report) = event { sent += report.sent }
            return sent > 0
        }
        #expect(sent == 1)
        // Nothing else would begin a round for a minute.
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `a place that the keychain has left gets nothing more`() throws {
        let (old, new) = (try CircleFolder(), try CircleFolder())
        let device = try SharedKeychain(at: old)
        try device.found()
        try device.circle.place(old.path, device.token())
        let carrier = try SyncCarrier(device.circle, isHinted: true) { _ in }
        var before: [String: Data] = [:]
        var rounds = 0
        var failures: [KeychainError] = []
        try carrier.run { event in
            if case .failure(let error) = event { failures.append(error) }
            if case .round = event { rounds += 1 }
            // The folder is watched by then, and another round has found nothing new.
            guard rounds == 2, before.isEmpty else { return !new.files.isEmpty }
            before = old.files
            _ = try? device.add("late")
            try? device.circle.place(new.path, device.token())
            carrier.hint()
            return false
        }
        #expect(!before.isEmpty && old.files == before)
        #expect(failures.isEmpty)
    }

    @Test func `a round for a place that the keychain has left does nothing`() throws {
        let (old, new) = (try CircleFolder(), try CircleFolder())
        let device = try SharedKeychain(at: old)
        try device.found()
        try device.circle.place(new.path, device.token())
        _ = try device.add("late")
        let before = old.files
        let error = #expect(throws: KeychainError.self) {
            try device.circle.synchronize(over: old.transport, ifAt: old.path)
        }
        #expect(error?.code == .invalidParameter && old.files == before)
        #expect(try device.circle.synchronize(over: new.transport, ifAt: new.path).sent == 1)
    }

    @Test func `a place that the keychain leaves during a round gets nothing more`() throws {
        let (old, new) = (try CircleFolder(), try CircleFolder())
        let device = try SharedKeychain(at: old)
        try device.found()
        try device.circle.place(old.path, device.token())
        _ = try device.add("late")
        let before = old.files
        let transport = WatchedTransport(old.transport) { step in
            if step == .list, let token = try? device.token() { try? device.circle.place(new.path, token) }
        }
        let error = #expect(throws: KeychainError.self) {
            try device.circle.synchronize(over: transport, ifAt: old.path)
        }
        #expect(error?.code == .invalidParameter && old.files == before)
        #expect(try device.circle.synchronize(over: new.transport, ifAt: new.path).sent == 1)
    }

    @Test func `a keychain without a circle says so, whatever place a round is for`() throws {
        let folder = try CircleFolder()
        let device = try SharedKeychain(at: folder)
        let error = #expect(throws: KeychainError.self) {
            try device.circle.synchronize(over: folder.transport, ifAt: folder.path)
        }
        #expect(error?.code == .itemNotFound)
    }

    /// A keychain that gives no answer when it is asked for the first time after some round.
    private final class SilentKeychain: CircleService, @unchecked Sendable {
        // Unchecked: one thread runs the carrier.
        private let device: SharedKeychain
        private let rounds = Mutex(0)
        private var isSilent = false
        var count: Int { rounds.withLock(\.self) }
        let silentAfter: Int

        init(_ device: SharedKeychain, after rounds: Int) {
            self.device = device
            silentAfter = rounds
        }

        func answer(_ request: CircleRequest) throws(KeychainError) -> CircleAnswer {
            guard !isSilent else {
                isSilent = false
                throw KeychainError(.notAvailable, "no memory is left")
            }
            return try device.circle.answer(request)
        }

        func synchronize(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError) -> SyncReport {
            let report = try device.circle.synchronize(over: transport, ifAt: place)
            let done = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            isSilent = done == silentAfter
            return report
        }
    }

    @Test func `a keychain that does not answer after a round is not asked for another one at once`() throws {
        let folder = try CircleFolder()
        let device = try SharedKeychain(at: folder)
        try device.found()
        try device.circle.place(folder.path, device.token())
        // The folder is watched by then, and another round has found nothing new.
        let keychain = SilentKeychain(device, after: 2)
        let carrier = try SyncCarrier(keychain, isHinted: true) { _ in }
        let counted = Mutex<Int?>(nil)
        var events: [SyncCarrier.Event] = []
        try carrier.run { event in
            events.append(event)
            if keychain.count == 2, counted.withLock({ $0 == nil }) {
                Thread.detachNewThread {
                    // The first failure would be told by then, or the next round.
                    Thread.sleep(forTimeInterval: 1)
                    counted.withLock { $0 = keychain.count }
                    carrier.hint()
                }
            }
            return keychain.count > 2
        }
        #expect(counted.withLock(\.self) == 2)
        #expect(events.count == 3)
    }
}

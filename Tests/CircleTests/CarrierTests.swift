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

        func synchronize(over transport: some SyncTransport) throws(KeychainError) -> SyncReport {
            defer {
                rounds += 1
                if rounds == 2 { _ = try? device.add("late") }
            }
            return try device.circle.synchronize(over: transport)
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
}

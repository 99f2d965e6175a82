import EnclaveClient
import EnclaveInterface
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Changes of keys that a service hears of before anybody has asked it for anything.
@Suite("What comes before a service's first request", .serialized, .timeLimit(.minutes(3)))
struct FirstChangeTests {
    @Test(arguments: ServiceProcess.Mode.possible)
    func `an unlock and a lock end neither the service nor the enclave`(mode: ServiceProcess.Mode) throws {
        let service = try LockedService(mode)
        _ = try service.client.add(Item.add("a", secret: [1]))
        try service.control().changePasscode(from: nil, to: LockedService.passcode)
        try service.restart()
        let owner = try service.control()
        try owner.unlock(LockedService.passcode)
        try owner.lock()
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try service.client.find(Item.find("a")) }
        try owner.unlock(LockedService.passcode)
        #expect(try service.client.find(Item.find("a")).count == 1)
    }
}

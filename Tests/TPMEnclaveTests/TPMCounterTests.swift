import EnclaveInterface
import KeychainModel
import TPMEnclave
import Testing

@Suite
struct TPMCounterTests {
    @Test func `a counter counts, for all processes`() throws {
        let tpm = try EmulatedTPM()
        let counter = try TPMBinding.made(tpm).counter()
        let start = try counter.start()
        #expect(try counter.value() == start)
        #expect(try counter.start() == start)
        #expect(try counter.increment() == start + 1)
        #expect(try tpm.binding().counter().value() == start + 1)
    }

    @Test func `a counter that was taken away is missed, and one that is made in its place is higher`() throws {
        let tpm = try EmulatedTPM()
        let counter = try TPMBinding.made(tpm).counter()
        _ = try counter.start()
        let last = try counter.increment()
        try tpm.undefine(tpm.handles(role: 2)[0])
        #expect(throws: KeychainError(.notAvailable, "")) { try counter.value() }
        #expect(try counter.start() > last)
    }

    @Test func `a start that was stopped in the middle is gone on with`() throws {
        let tpm = try EmulatedTPM()
        let counter = try TPMBinding.made(tpm).counter()
        // NV_Increment does not pass.
        tpm.bus.interfere { _, command in command == 0x134 ? .hangUp : nil }
        #expect(throws: KeychainError.self) { try counter.start() }
        tpm.bus.interfere(nil)
        let start = try counter.start()
        #expect(try counter.value() == start)
    }

    @Test func `a wrong authorisation of a counter does not count towards a lock-out`() throws {
        let tpm = try EmulatedTPM()
        let counter = try TPMBinding.made(tpm).counter()
        _ = try counter.start()
        let handle = try tpm.handles(role: 2)[0]
        for _ in 0..<5 { _ = try? tpm.readInClear(handle, authorization: [1, 2, 3]) }
        #expect(try tpm.device().properties().failedTries == 0)
    }
}

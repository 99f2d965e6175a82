import Crypto
import KeychainModel
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Wrong passcodes")
struct ThrottleTests {
    private let fixture: EnclaveFixture
    private let clock = TestClock()

    init() throws {
        fixture = try EnclaveFixture()
        try fixture.open().owner.changePasscode(from: nil, to: secret("right"))
    }

    private func guess(_ text: String, at enclave: LocalEnclave) -> String {
        do {
            try enclave.owner.unlock(secret(text))
            return "right"
        } catch {
            return error.message
        }
    }

    private static let wrong = "the passcode is wrong"

    private static func waiting(_ seconds: Int) -> String {
        "wrong passcodes were given; the next one can be given in \(seconds) seconds"
    }

    @Test func `each wrong passcode after the third makes the next wait longer, and a right one ends it`() throws {
        try clock.run { () throws in
            let enclave = try fixture.open()
            for _ in 1...4 { #expect(guess("wrong", at: enclave) == Self.wrong) }
            for delay in [5, 30, 60, 300, 900, 3_600, 3_600] {
                #expect(guess("right", at: enclave) == Self.waiting(delay), "the right one waits as well")
                clock.advance(UInt64(delay - 1))
                #expect(guess("right", at: enclave) == Self.waiting(1))
                clock.advance(1)
                #expect(guess("wrong", at: enclave) == Self.wrong)
            }
            clock.advance(3_600)
            #expect(guess("right", at: enclave) == "right")
            for _ in 1...4 { #expect(guess("wrong", at: enclave) == Self.wrong) }
        }
    }

    @Test func `the waiting survives the process, and begins anew with the machine`() throws {
        try clock.run { () throws in
            for _ in 1...5 {
                #expect(try guess("wrong", at: fixture.open()) == Self.wrong)
                clock.advance(5)
            }
            #expect(try guess("right", at: fixture.open()) == Self.waiting(25))
            clock.restart()
            #expect(try guess("right", at: fixture.open()) == Self.waiting(30))
            clock.advance(10)
            #expect(try guess("right", at: fixture.open()) == Self.waiting(20))
        }
    }

    @Test func `a clock that goes back spares nobody the waiting, and keeps no leave fresh`() throws {
        try clock.run { () throws in
            let enclave = try fixture.open()
            let token = try enclave.administrator.authorize(.backup, passcode: nil)
            for _ in 1...5 {
                #expect(guess("wrong", at: enclave) == Self.wrong)
                clock.advance(5)
            }
            #expect(guess("right", at: enclave) == Self.waiting(25))
            clock.goBack(500)
            #expect(guess("right", at: enclave) == Self.waiting(30))
            #expect(try guess("right", at: fixture.open()) == Self.waiting(30))
            #expect(failure { try enclave.redeem(token, for: .backup) } == .authenticationFailed)
            clock.advance(30)
            #expect(guess("right", at: enclave) == "right")
        }
    }

    @Test func `verifying, changing and authorizing count as well`() throws {
        try clock.run { () throws in
            let enclave = try fixture.open()
            #expect(failure { try enclave.owner.verify(secret("wrong")) } == .authenticationFailed)
            #expect(
                failure { try enclave.owner.changePasscode(from: secret("wrong"), to: nil) } == .authenticationFailed
            )
            #expect(failure { try enclave.owner.authorize(.backup, passcode: secret("x")) } == .authenticationFailed)
            #expect(failure { try enclave.owner.change(.init(), passcode: secret("x")) } == .authenticationFailed)
            #expect(guess("right", at: enclave) == Self.waiting(5))
        }
    }

    @Test func `the administrator's passcodes are neither counted nor delayed`() throws {
        try clock.run { () throws in
            let enclave = try fixture.open()
            for _ in 1...20 {
                #expect(failure { try enclave.administrator.unlock(secret("wrong")) } == .authenticationFailed)
            }
            for _ in 1...4 { #expect(guess("wrong", at: enclave) == Self.wrong) }
            #expect(guess("right", at: enclave) == Self.waiting(5))
            try enclave.administrator.unlock(secret("right"))
            #expect(guess("wrong", at: enclave) == Self.wrong)
        }
    }

    @Test func `a count that was edited counts as many`() throws {
        try clock.run { () throws in
            #expect(try guess("wrong", at: fixture.open()) == Self.wrong)
            let file = try fixture.read("attempts")
            for index in file.indices {
                var edited = file
                edited[index] ^= 1
                try fixture.write(edited, to: "attempts")
                #expect(try guess("right", at: fixture.open()) == Self.waiting(3_600), "byte \(index)")
            }
            try fixture.write([], to: "attempts")
            #expect(try guess("right", at: fixture.open()) == Self.waiting(3_600))
            try fixture.write(file, to: "attempts")
            #expect(try guess("right", at: fixture.open()) == "right")
        }
    }

    @Test func `keys are destroyed only where the owner wished it, and then for good`() throws {
        try clock.run { () throws in
            let enclave = try fixture.open()
            try enclave.owner.unlock(secret("right"))
            try enclave.finishTheRotation()
            let key = SymmetricKey(size: .bits256)
            let (locked, always) = (try enclave.box(key, .whenUnlocked), try enclave.box(key, .always))
            try enclave.owner.change(LockSettings(wipesAfter: 3), passcode: secret("right"))
            for _ in 1...2 { #expect(guess("wrong", at: enclave) == Self.wrong) }
            #expect(guess("right", at: enclave) == "right")
            for _ in 1...2 { #expect(guess("wrong", at: enclave) == Self.wrong) }
            #expect(guess("wrong", at: enclave).contains("destroyed"))
            #expect(try !enclave.state().hasPasscode)
            #expect(try enclave.opens(locked) == .undecodable)
            #expect(try enclave.opens(always) == nil)
            let restarted = try fixture.open()
            #expect(try restarted.opens(locked) == .undecodable)
            #expect(failure { try restarted.owner.unlock(secret("right")) } == .authenticationFailed)
            try restarted.owner.changePasscode(from: nil, to: secret("new"))
        }
    }

    @Test func `a hundred unlocks at once are each answered`() async throws {
        let enclave = try fixture.open()
        let right = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...100 {
                group.addTask { failure { try enclave.owner.unlock(secret("right")) } == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 100)
    }

    @Test(
        arguments: [
            (7_200, [0, 0, 60, 1_200, 7_200, 7_200]), (1_000, [0, 0, 60, 1_000, 1_000, 1_000]),
        ] as [(UInt64, [UInt64])]
    )
    func `where hardware limits guesses, they soon wait as long as it takes to forgive one`(
        interval: UInt64,
        delays: [UInt64]
    ) {
        #expect((UInt32(0)...5).map { Attempts.delay(after: $0, hardware: interval) } == delays)
    }
}

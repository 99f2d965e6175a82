import Foundation
import KeychainModel
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

/// What a program of the owner's may do where a service keeps them apart, and what root, a log-in and a token add.
@Suite("The trusted path to a passcode and to what it allows")
struct TrustedPathTests {
    private let fixture: EnclaveFixture
    private let enclave: LocalEnclave

    init() throws {
        fixture = try EnclaveFixture(keepsProgramsApart: true)
        enclave = try fixture.open()
    }

    private func failure(_ body: () throws -> Void) -> KeychainError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? KeychainError)?.code
        }
    }

    private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    private func token(_ operation: GuardedOperation) throws -> AuthorizationToken {
        try enclave.administrator.authorize(operation, passcode: nil)
    }

    private static let invented = AuthorizationToken([UInt8](repeating: 7, count: AuthorizationToken.size))

    /// The first passcode over an untrusted path, as keybags of the second version have it.
    private func setUnconfirmed(_ passcode: String) throws {
        try enclave.owner.changePasscode(from: nil, to: secret(passcode))
        try #require(try enclave.state().isPasscodeConfirmed == false)
    }

    @Test func `a program sets the first passcode with the token for it, and with none other`() throws {
        let program = enclave.program
        #expect(failure { try program.changePasscode(from: nil, to: secret("x")) } == .authenticationFailed)
        for operation in GuardedOperation.allCases where operation != .setPasscode {
            let other = try token(operation)
            #expect(
                failure { try program.changePasscode(from: nil, to: secret("x"), with: other) } == .authenticationFailed
            )
            // It is used up.
            #expect(failure { try enclave.redeem(other, for: operation) } == .authenticationFailed)
        }
        #expect(
            failure { try program.changePasscode(from: nil, to: secret("x"), with: Self.invented) }
                == .authenticationFailed
        )
        #expect(try enclave.state().hasPasscode == false)
        let given = try token(.setPasscode)
        try program.changePasscode(from: nil, to: secret("first"), with: given)
        #expect(try enclave.state().isPasscodeConfirmed)
        #expect(try fixture.open().state().isPasscodeConfirmed)
        #expect(failure { try enclave.redeem(given, for: .setPasscode) } == .authenticationFailed)
    }

    @Test
    func `a passcode that root sets is confirmed, and one of a keychain whose programs nobody keeps apart is not`()
        throws
    {
        try enclave.administrator.changePasscode(from: nil, to: secret("first"))
        #expect(try enclave.state().isPasscodeConfirmed)
        let place = try EnclaveFixture()
        let session = try place.open()
        try session.owner.changePasscode(from: nil, to: secret("first"))
        #expect(try session.state().isPasscodeConfirmed == false)
        try session.owner.confirmPasscode(secret("first"), with: nil)
        #expect(try session.state().isPasscodeConfirmed == false)
        #expect(try session.state().isPasscodeEnough)
    }

    @Test func `whoever knows the passcode changes it, which confirms nothing, and takes it away with a token alone`()
        throws
    {
        try setUnconfirmed("first")
        try enclave.program.changePasscode(from: secret("first"), to: secret("second"))
        #expect(try enclave.state().isPasscodeConfirmed == false)
        for token in try [nil, Self.invented, token(.setPasscode)] {
            // A wrong passcode is not even tried: it counts for nothing.
            for _ in 0..<8 {
                #expect(
                    failure { try enclave.program.changePasscode(from: secret("wrong"), to: nil, with: token) }
                        == .authenticationFailed
                )
            }
            #expect(
                failure { try enclave.program.changePasscode(from: secret("second"), to: nil, with: token) }
                    == .authenticationFailed
            )
        }
        try enclave.program.verify(secret("second"))
        let (wrong, right) = try (token(.removePasscode), token(.removePasscode))
        #expect(
            failure { try enclave.program.changePasscode(from: secret("wrong"), to: nil, with: wrong) }
                == .authenticationFailed
        )
        try enclave.program.changePasscode(from: secret("second"), to: nil, with: right)
        #expect(try enclave.state().hasPasscode == false)
    }

    @Test func `a changed passcode stays confirmed`() throws {
        try enclave.administrator.changePasscode(from: nil, to: secret("first"))
        try enclave.program.changePasscode(from: secret("first"), to: secret("second"))
        #expect(try fixture.open().state().isPasscodeConfirmed)
    }

    @Test(arguments: GuardedOperation.allCases)
    func `a passcode is leave for what takes one once it is confirmed, and a missing one never`(
        _ operation: GuardedOperation
    ) throws {
        #expect(failure { _ = try enclave.program.authorize(operation, passcode: nil) } == .authenticationFailed)
        #expect(
            failure { _ = try enclave.program.authorize(operation, passcode: secret("x")) } == .authenticationFailed
        )
        try enclave.redeem(token(operation), for: operation)
        try setUnconfirmed("first")
        // Neither the right one nor, and that without being counted, a wrong one.
        for passcode in ["first", "wrong", "wrong", "wrong", "wrong", "wrong"] {
            #expect(
                failure { _ = try enclave.program.authorize(operation, passcode: secret(passcode)) }
                    == .authenticationFailed
            )
        }
        try enclave.program.confirmPasscode(secret("first"), with: token(.confirmPasscode))
        #expect(failure { _ = try enclave.program.authorize(operation, passcode: nil) } == .authenticationFailed)
        if operation.takesPasscode {
            try enclave.redeem(enclave.program.authorize(operation, passcode: secret("first")), for: operation)
        } else {
            #expect(
                failure { _ = try enclave.program.authorize(operation, passcode: secret("first")) }
                    == .authenticationFailed
            )
        }
    }

    @Test func `to confirm takes the passcode and the token`() throws {
        #expect(
            failure { try enclave.program.confirmPasscode(secret("x"), with: token(.confirmPasscode)) }
                == .authenticationFailed
        )
        try setUnconfirmed("first")
        for token in try [nil, Self.invented, token(.setPasscode), token(.changeSettings)] {
            #expect(
                failure { try enclave.program.confirmPasscode(secret("first"), with: token) } == .authenticationFailed
            )
        }
        let given = try token(.confirmPasscode)
        #expect(failure { try enclave.program.confirmPasscode(secret("wrong"), with: given) } == .authenticationFailed)
        #expect(failure { try enclave.program.confirmPasscode(secret("first"), with: given) } == .authenticationFailed)
        #expect(try enclave.state().isPasscodeConfirmed == false)
        try enclave.program.confirmPasscode(secret("first"), with: token(.confirmPasscode))
        #expect(try fixture.open().state().isPasscodeConfirmed)
    }

    @Test(arguments: [true, false])
    func `root's right passcode confirms it, as after a log-in, and a program's does not`(unlocks: Bool) throws {
        try setUnconfirmed("first")
        try enclave.lock()
        func bring(_ passcode: String, _ control: LocalControl) throws {
            if unlocks { try control.unlock(secret(passcode)) } else { try control.verify(secret(passcode)) }
        }
        try bring("first", enclave.program)
        #expect(failure { try bring("wrong", enclave.administrator) } == .authenticationFailed)
        #expect(try enclave.state().isPasscodeConfirmed == false)
        try bring("first", enclave.administrator)
        #expect(try enclave.state().isPasscodeConfirmed)
        #expect(try fixture.open().state().isPasscodeConfirmed)
        // The keybag was written anew, and it still opens.
        try enclave.lock()
        try enclave.program.unlock(secret("first"))
        #expect(try enclave.state().lock == .unlocked)
    }

    @Test func `a program makes the settings stricter, and all else takes a token or a confirmed passcode`() throws {
        let program = enclave.program
        let strict = LockSettings(timeout: 60)
        try program.change(strict, passcode: nil)
        let laxer = [LockSettings(timeout: 61), LockSettings(), LockSettings(locksOnSleep: false, timeout: 60)]
        for settings in laxer + [LockSettings(timeout: 60, wipesAfter: 1)] {
            #expect(failure { try program.change(settings, passcode: nil) } == .authenticationFailed)
        }
        try setUnconfirmed("first")
        for settings in laxer + [LockSettings(timeout: 60, wipesAfter: 1)] {
            for passcode in [nil, "first", "wrong"] {
                #expect(
                    failure { try program.change(settings, passcode: passcode.map(secret)) } == .authenticationFailed
                )
            }
        }
        #expect(try enclave.state().settings == strict)
        try program.confirmPasscode(secret("first"), with: token(.confirmPasscode))
        for settings in laxer {
            #expect(failure { try program.change(settings, passcode: secret("wrong")) } == .authenticationFailed)
            try program.verify(secret("first"))
            try program.change(settings, passcode: secret("first"))
            try program.change(strict, passcode: nil)
        }
    }

    @Test func `what destroys keys is never a program's to set, not even with a confirmed passcode`() throws {
        try enclave.administrator.changePasscode(from: nil, to: secret("first"))
        let wipes = LockSettings(wipesAfter: 3)
        for token in try [nil, Self.invented, token(.backup)] {
            #expect(
                failure { try enclave.program.change(wipes, passcode: secret("first"), with: token) }
                    == .authenticationFailed
            )
        }
        try enclave.program.change(wipes, passcode: nil, with: token(.changeSettings))
        #expect(try enclave.state().settings.wipesAfter == 3)
        for limit: UInt32? in [nil, 2, 4] {
            #expect(
                failure { try enclave.program.change(LockSettings(wipesAfter: limit), passcode: secret("first")) }
                    == .authenticationFailed
            )
        }
        try enclave.administrator.change(LockSettings(wipesAfter: 10), passcode: nil)
        #expect(try fixture.open().state().settings.wipesAfter == 10)
    }

    private struct Silent: Prompter {
        func show(_ prompt: Prompt) {}
        func withdraw(_ question: ItemUUID) {}
    }

    @Test func `an unconfirmed passcode opens no view of all items, and agrees to no change`()
        throws
    {
        try setUnconfirmed("first")
        let proof = Mutex<PresenceProof?>(nil)
        _ = enclave.desk.register(Silent(), for: .typing)
        func prove(_ scope: PresenceScope) throws -> PresenceProof {
            let question = PresenceQuestion(of: .named("program", isVerified: false), .owner, for: scope)
            let id = try enclave.desk.begin(question) { result in proof.withLock { $0 = try? result.get() } }
            #expect(try enclave.desk.answer(id, typed: secret("first")) == .accepted)
            let kept = proof.withLock { $0 }
            return try #require(kept)
        }
        let single = PresenceScope.items([ItemUUID(): "TEAM.a"])
        let (view, item) = (try prove(.ownersView), try prove(single))
        #expect(failure { try enclave.require([view], for: .ownersView) } == .authenticationFailed)
        #expect(failure { try enclave.require([item], for: single) } == .authenticationFailed)
        try enclave.program.confirmPasscode(secret("first"), with: token(.confirmPasscode))
        try enclave.require([view], for: .ownersView)
        try enclave.require([item], for: single)
    }

    @Test func `a token is good at one keychain`() throws {
        let place = try EnclaveFixture(keepsProgramsApart: true)
        let other = try place.open()
        let foreign = try other.administrator.authorize(.setPasscode, passcode: nil)
        #expect(
            failure { try enclave.program.changePasscode(from: nil, to: secret("x"), with: foreign) }
                == .authenticationFailed
        )
        try other.program.changePasscode(from: nil, to: secret("x"), with: foreign)
    }

    @Test func `what needs a token and brings none costs next to nothing`() throws {
        let start = ContinuousClock.now
        for _ in 0..<10_000 {
            #expect(failure { try enclave.program.changePasscode(from: nil, to: secret("x")) } == .authenticationFailed)
        }
        // One passcode of the standard cost takes longer than all of these by far.
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

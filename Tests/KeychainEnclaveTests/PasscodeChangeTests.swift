import Crypto
import KeychainModel
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Setting, changing and removing the passcode")
struct PasscodeChangeTests {
    private let fixture: EnclaveFixture
    private let enclave: LocalEnclave
    private let key = SymmetricKey(size: .bits256)

    init() throws {
        fixture = try EnclaveFixture()
        enclave = try fixture.open()
    }

    @Test func `the first passcode makes new keys, and the old ones go with the rotation's end`() throws {
        let old = try enclave.box(key, .whenUnlocked)
        let unprotected = try fixture.read("keybag")
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        #expect(try enclave.state().isRotating)
        #expect(try enclave.opens(old) == nil)
        let new = try enclave.box(key, .whenUnlocked)
        #expect(try enclave.finishTheRotation().isRotating == false)
        #expect(try enclave.opens(old) == .undecodable)
        #expect(try enclave.opens(new) == nil)
        // Whoever has kept the keybag of before opens what was wrapped before, and nothing else.
        try fixture.write(unprotected, to: "keybag")
        let thief = try fixture.open()
        #expect(try thief.opens(old) == nil)
        #expect(try thief.opens(new) == .undecodable)
    }

    @Test func `a change leaves the keys and takes the old passcode's place`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        try enclave.finishTheRotation()
        let boxes = try Accessibility.allCases.map { try enclave.box(key, $0) }
        let generation = try enclave.state().generation
        try enclave.owner.changePasscode(from: secret("first"), to: secret("second"))
        #expect(try enclave.state().generation == generation + 1)
        #expect(try !enclave.state().isRotating)
        for box in boxes { #expect(try enclave.opens(box) == nil) }
        let restarted = try fixture.open()
        #expect(failure { try restarted.owner.unlock(secret("first")) } == .authenticationFailed)
        try restarted.owner.unlock(secret("second"))
        for box in boxes { #expect(try restarted.opens(box) == nil) }
    }

    @Test func `a change while locked unlocks nothing`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        let restarted = try fixture.open()
        try restarted.owner.changePasscode(from: secret("first"), to: secret("second"))
        #expect(try restarted.state().lock == .beforeFirstUnlock)
        try restarted.owner.unlock(secret("second"))
        try restarted.lock()
        try restarted.owner.changePasscode(from: secret("second"), to: secret("third"))
        #expect(try restarted.state().lock == .locked)
        try restarted.owner.unlock(secret("third"))
    }

    @Test func `removal destroys the WhenPasscodeSet key for good and leaves the others`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        try enclave.finishTheRotation()
        let bound = try enclave.box(key, .whenPasscodeSetThisDeviceOnly)
        let other = try enclave.box(key, .whenUnlocked)
        try enclave.lock()
        try enclave.owner.changePasscode(from: secret("first"), to: nil)
        #expect(try enclave.state().lock == .unlocked)
        #expect(try enclave.opens(bound) == .undecodable)
        #expect(try enclave.opens(other) == nil)
        #expect(failure { try enclave.box(key, .whenPasscodeSetThisDeviceOnly) } == .undecodable)
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        #expect(try enclave.opens(bound) == .undecodable)
        let restarted = try fixture.open()
        try restarted.owner.unlock(secret("first"))
        #expect(try restarted.opens(bound) == .undecodable)
    }

    @Test func `a passcode is not replaced by whoever does not know it`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        for visitor in [enclave.owner, enclave.administrator] {
            #expect(failure { try visitor.changePasscode(from: nil, to: secret("second")) } == .duplicateItem)
            #expect(failure { try visitor.changePasscode(from: nil, to: nil) } == .duplicateItem)
            let wrong = secret("wrong")
            #expect(failure { try visitor.changePasscode(from: wrong, to: secret("x")) } == .authenticationFailed)
        }
        try enclave.owner.verify(secret("first"))
    }

    @Test func `a rotation keeps what was wrapped until it is finished`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        try enclave.finishTheRotation()
        let old = try Accessibility.allCases.map { try enclave.box(key, $0) }
        let token = try enclave.owner.authorize(.rotateKeys, passcode: secret("first"))
        #expect(try enclave.beginRotation(token).isRotating)
        for box in old { #expect(try enclave.opens(box) == nil) }
        let new = try Accessibility.allCases.map { try enclave.box(key, $0) }
        // What looked through the rows before this rotation has begun does not end it.
        #expect(try enclave.finishRotation(of: enclave.state().generation - 1).isRotating)
        // Stopped here, it goes on later.
        let restarted = try fixture.open()
        #expect(try restarted.state().isRotating)
        #expect(failure { try restarted.finishTheRotation() } == .interactionNotAllowed)
        try restarted.owner.unlock(secret("first"))
        for box in old + new { #expect(try restarted.opens(box) == nil) }
        #expect(try restarted.finishTheRotation().isRotating == false)
        for box in old { #expect(try restarted.opens(box) == .undecodable) }
        for box in new { #expect(try restarted.opens(box) == nil) }
        #expect(failure { try restarted.beginRotation(token) } == .authenticationFailed)
    }

    @Test func `tokens are for one operation, once, within a minute`() throws {
        let clock = TestClock()
        try clock.run { () throws in
            try enclave.owner.changePasscode(from: nil, to: secret("first"))
            #expect(failure { try enclave.owner.authorize(.backup, passcode: nil) } == .authenticationFailed)
            #expect(failure { try enclave.owner.authorize(.backup, passcode: secret("x")) } == .authenticationFailed)
            let token = try enclave.owner.authorize(.backup, passcode: secret("first"))
            try enclave.redeem(token, for: .backup)
            #expect(failure { try enclave.redeem(token, for: .backup) } == .authenticationFailed)
            let other = try enclave.administrator.authorize(.backup, passcode: nil)
            #expect(failure { try enclave.redeem(other, for: .export) } == .authenticationFailed)
            #expect(failure { try enclave.redeem(other, for: .backup) } == .authenticationFailed)
            let late = try enclave.administrator.authorize(.backup, passcode: nil)
            clock.advance(61)
            #expect(failure { try enclave.redeem(late, for: .backup) } == .authenticationFailed)
            let locked = try enclave.administrator.authorize(.backup, passcode: nil)
            try enclave.lock()
            #expect(failure { try enclave.redeem(locked, for: .backup) } == .authenticationFailed)
        }
        let guarded = LocalControl(try EnclaveFixture().open(), for: .program)
        #expect(failure { try guarded.authorize(.export, passcode: nil) } == .authenticationFailed)
    }

    @Test func `the backup keys outlive rotations and passcodes`() throws {
        let signer = try enclave.backupSigner()
        let uuid = ItemUUID()
        let backup = try enclave.deviceKey(ofBackup: uuid)
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        try enclave.finishTheRotation()
        _ = try enclave.beginRotation(enclave.owner.authorize(.rotateKeys, passcode: secret("first")))
        try enclave.finishTheRotation()
        let restarted = try fixture.open()
        #expect(try restarted.backupSigner() == signer)
        #expect(try restarted.deviceKey(ofBackup: uuid) == backup)
        #expect(try restarted.deviceKey(ofBackup: ItemUUID()) != backup)
        let digest = [UInt8](repeating: 7, count: 32)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: restarted.sign(backupDigest: digest))
        let key = try P256.Signing.PublicKey(x963Representation: signer)
        #expect(key.isValidSignature(signature, for: Array("chatelaine backup signature 1".utf8) + digest))
    }

    @Test(arguments: [
        "", String(repeating: "x", count: 1_025), String(repeating: "x", count: 10_000), "a\u{0}b", "a\u{7F}",
    ])
    func `a passcode that is none is refused, and nothing has changed`(text: String) throws {
        #expect(failure { try enclave.owner.changePasscode(from: nil, to: secret(text)) } == .invalidParameter)
        #expect(try !enclave.state().hasPasscode)
    }

    @Test(arguments: ["x", String(repeating: "x", count: 1_024), "Zürich", "\u{1F511} key", "\u{0645}\u{200C}\u{0627}"])
    func `any other passcode opens what it was set on`(text: String) throws {
        try enclave.owner.changePasscode(from: nil, to: secret(text))
        try fixture.open().owner.unlock(secret(text))
    }

    @Test func `spellings that look alike are the same passcode, letters that differ are not`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("Zu\u{308}rich\u{A0}1"))
        try enclave.owner.verify(secret("Z\u{FC}rich 1"))
        #expect(failure { try enclave.owner.verify(secret("z\u{FC}rich 1")) } == .authenticationFailed)
        #expect(failure { try enclave.owner.verify(secret("Zurich 1")) } == .authenticationFailed)
        #expect(failure { try enclave.owner.verify(SecretBytes([0xFF, 0xFE])) } == .invalidParameter)
    }
}

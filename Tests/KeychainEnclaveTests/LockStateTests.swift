import Crypto
import KeychainModel
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("What is locked when")
struct LockStateTests {
    private let fixture: EnclaveFixture
    private let all = Set(Accessibility.allCases)
    private let always: Set<Accessibility> = [.always, .alwaysThisDeviceOnly]
    private let afterFirst: Set<Accessibility> = [.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly]

    init() throws {
        fixture = try EnclaveFixture()
    }

    @Test func `without a passcode all is open but WhenPasscodeSet`() throws {
        let enclave = try fixture.open()
        #expect(try enclave.state().lock == .unlocked)
        #expect(try !enclave.state().hasPasscode)
        #expect(try enclave.open() == all.subtracting([.whenPasscodeSetThisDeviceOnly]))
        try enclave.lock()
        #expect(try enclave.state().lock == .unlocked)
        #expect(try enclave.open().count == 6)
    }

    @Test func `each state has its classes`() throws {
        let enclave = try fixture.open()
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        #expect(try enclave.open() == all)
        try enclave.lock()
        #expect(try enclave.state().lock == .locked)
        #expect(try enclave.open() == always.union(afterFirst))
        try enclave.owner.unlock(secret("first"))
        #expect(try enclave.open() == all)

        let restarted = try fixture.open()
        #expect(try restarted.state().lock == .beforeFirstUnlock)
        #expect(try restarted.open() == always)
        try restarted.lock()
        #expect(try restarted.state().lock == .beforeFirstUnlock, "locking opens nothing")
        try restarted.owner.unlock(secret("first"))
        #expect(try restarted.state().lock == .unlocked)
        #expect(try restarted.open() == all)
    }

    @Test func `item keys of locked classes are neither wrapped nor unwrapped, and come back with the passcode`() throws
    {
        let enclave = try fixture.open()
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        let key = SymmetricKey(size: .bits256)
        let boxes = try Accessibility.allCases.map { ($0, try enclave.box(key, $0)) }
        try enclave.lock()
        for (accessibility, box) in boxes {
            let isOpen = always.union(afterFirst).contains(accessibility)
            #expect(try enclave.opens(box) == (isOpen ? nil : .interactionNotAllowed), "\(accessibility)")
            #expect(failure { try enclave.box(key, accessibility) } == (isOpen ? nil : .interactionNotAllowed))
        }
        try enclave.owner.unlock(secret("first"))
        for (_, box) in boxes { #expect(try enclave.opens(box) == nil) }
    }

    @Test func `observers are told before the one who locks goes on, and find the keys gone`() throws {
        let enclave = try fixture.open()
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        let told = Mutex<[EnclaveState.Lock]>([])
        let found = Mutex<[Int]>([])
        enclave.observe { [weak enclave] state in
            told.withLock { $0.append(state.lock) }
            let count = (try? enclave?.serviceKeys().metadata.count) ?? -1
            found.withLock { $0.append(count) }
        }
        try enclave.lock()
        #expect(told.withLock { $0 } == [.locked])
        #expect(found.withLock { $0 } == [4])
        try enclave.owner.unlock(secret("first"))
        #expect(told.withLock { $0 } == [.locked, .unlocked])
        #expect(found.withLock { $0 } == [4, 7])
    }

    @Test func `the epoch grows with each change`() throws {
        let enclave = try fixture.open()
        var epochs = [try enclave.epoch]
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        epochs.append(try enclave.epoch)
        try enclave.lock()
        epochs.append(try enclave.epoch)
        try enclave.owner.unlock(secret("first"))
        epochs.append(try enclave.epoch)
        #expect(epochs == epochs.sorted() && Set(epochs).count == epochs.count)
        #expect(try enclave.serviceKeys().epoch == epochs.last)
    }

    @Test func `an unused keychain locks itself, and a used one does not`() throws {
        let clock = TestClock()
        try clock.run { () throws in
            let enclave = try fixture.open()
            try enclave.owner.changePasscode(from: nil, to: secret("first"))
            try enclave.owner.change(LockSettings(timeout: 60), passcode: nil)
            #expect(try enclave.state().lock == .unlocked)
            clock.advance(59)
            _ = try enclave.epoch
            clock.advance(59)
            #expect(try enclave.state().lock == .unlocked)
            clock.advance(1)
            #expect(try enclave.state().lock == .locked)
            #expect(try enclave.open() == always.union(afterFirst))
        }
    }

    @Test func `the settings can be made stricter by any program, and laxer with the passcode alone`() throws {
        let enclave = try fixture.open()
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        try enclave.owner.change(LockSettings(timeout: 60), passcode: nil)
        for laxer in [LockSettings(timeout: 61), LockSettings(), LockSettings(locksOnSleep: false, timeout: 60)] {
            #expect(failure { try enclave.owner.change(laxer, passcode: nil) } == .authenticationFailed)
            #expect(failure { try enclave.owner.change(laxer, passcode: secret("x")) } == .authenticationFailed)
        }
        let harsher = LockSettings(timeout: 60, wipesAfter: 1)
        #expect(failure { try enclave.owner.change(harsher, passcode: nil) } == .authenticationFailed)
        try enclave.owner.change(LockSettings(locksOnSleep: false), passcode: secret("first"))
        #expect(try fixture.open().state().settings == LockSettings(locksOnSleep: false))
        try enclave.administrator.change(LockSettings(timeout: 9), passcode: nil)
        #expect(try fixture.open().state().settings.timeout == 9)
    }

    @Test func `a setting of 0, which the keybag takes for never, turns nothing off`() throws {
        let enclave = try fixture.open()
        try enclave.owner.changePasscode(from: nil, to: secret("first"))
        try enclave.owner.change(LockSettings(timeout: 60), passcode: nil)
        #expect(failure { try enclave.owner.change(LockSettings(timeout: 0), passcode: nil) } == .invalidParameter)
        let wipe = LockSettings(timeout: 60, wipesAfter: 0)
        #expect(failure { try enclave.owner.change(wipe, passcode: secret("first")) } == .invalidParameter)
        #expect(try fixture.open().state().settings == LockSettings(timeout: 60))
    }
}

import Foundation
import KeychainModel
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave
@testable import TPMEnclave

@Suite
struct TPMKeychainTests {
    @Test func `a new keychain is bound to the TPM, and its passcode works in another process`() throws {
        let keychain = try TPMKeychain.made()
        try keychain.tpm.limitGuesses(tries: 32, interval: 7200)
        #expect(try keychain.open().state().binding == .tpm)
        try keychain.set("right", insteadOf: nil)
        #expect(keychain.unlock("wrong") == .authenticationFailed)
        #expect(keychain.unlock("right") == nil)
        try keychain.set("other", insteadOf: "right")
        #expect(keychain.unlock("right") == .authenticationFailed)
        #expect(keychain.unlock("other") == nil)
        try keychain.set(nil, insteadOf: "other")
        #expect(try !keychain.open().state().hasPasscode)
    }

    @Test func `where no TPM is to be used, a keychain that needs one says so`() throws {
        let keychain = try TPMKeychain.made()
        let folder = LocalEnclaveFolder(path: keychain.path)
        #expect(try folder.presence() == .complete)
        let error = #expect(throws: KeychainError.self) { try folder.open() }
        #expect(error?.code == .notAvailable)
        #expect(error?.message.contains("--tpm") == true)
    }

    @Test(.enabled(if: access(TPMSetting.standardDevice, F_OK) != 0, "this machine has a TPM of its own"))
    func `where there is no TPM a new keychain is bound to a file, and stays so when one comes`() throws {
        let keychain = try TPMKeychain(EmulatedTPM())
        let absent = TPMHardware(TPMDevice(.automatic), isForNewKeychains: true)
        try LocalEnclaveFolder(path: keychain.path, hardware: absent).create()
        #expect(try keychain.open().state().binding == .file)
    }

    @Test func `where the TPM that was named is not there no keychain is made, and none with a file in its place`()
        throws
    {
        let tpm = try EmulatedTPM()
        let keychain = try TPMKeychain(tpm)
        let device = TPMDevice(.socket(tpm.surroundings + "/nothing"))
        try? device.settle()
        let folder = LocalEnclaveFolder(
            path: keychain.path,
            hardware: TPMHardware(device, isForNewKeychains: true)
        )
        #expect(throws: KeychainError(.notAvailable, "")) { try folder.create() }
        #expect(try folder.presence() == .none)
    }

    // MARK: - Old copies

    @Test func `with a file an old keybag opens with its old passcode after a change`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = LocalEnclaveFolder(path: folder, cost: .uncheckedLeast)
        try place.create()
        try place.openLocal().owner.changePasscode(from: nil, to: secret("old"))
        let old = try Data(contentsOf: URL(fileURLWithPath: place.keybagPath))
        try place.openLocal().owner.changePasscode(from: secret("old"), to: secret("new"))
        try old.write(to: URL(fileURLWithPath: place.keybagPath))
        chmod(place.keybagPath, 0o600)
        let enclave = try place.openLocal()
        try enclave.owner.unlock(secret("old"))
        #expect(try enclave.opensAll())
    }

    @Test func `with a TPM an old keybag opens with no passcode after a change, whoever gets round the counter`() throws
    {
        let keychain = try TPMKeychain.made()
        try keychain.set("old", insteadOf: nil)
        let stolen = try keychain.copy("stolen")
        // Before the change it opens: what follows is the change's doing.
        #expect(try stolen.open().owner.unlock(secret("old")) == ())
        try keychain.set("new", insteadOf: "old")
        #expect(stolen.unlock("old") == .notAvailable, "the counter stands in the way")
        let uncounted = LocalEnclaveFolder(
            path: stolen.path,
            binding: UncountedBinding(
                inner: TPMBinding(path: stolen.path + "/device.key", device: keychain.tpm.device())
            ),
            cost: .uncheckedLeast
        )
        for passcode in ["old", "new"] {
            let enclave = try uncounted.openLocal()
            #expect(throws: KeychainError.self) { try enclave.owner.unlock(secret(passcode)) }
            #expect(try !enclave.opensAll())
        }
        #expect(keychain.unlock("new") == nil)
    }

    @Test func `a keybag that went back together with all else on the disk is noticed`() throws {
        let keychain = try TPMKeychain.made()
        try keychain.set("old", insteadOf: nil)
        let before = try keychain.copy("before")
        try keychain.open().owner.change(LockSettings(timeout: 60), passcode: secret("old"))
        let error = #expect(throws: KeychainError.self) { try before.open() }
        #expect(error?.message.contains("older than this device remembers") == true)
        #expect(keychain.unlock("old") == nil)
    }

    @Test func `a counter that somebody took away is told`() throws {
        let keychain = try TPMKeychain.made()
        let sealed = try SealedDeviceKey(file: keychain.read("device.key"))
        try keychain.tpm.undefine(NVPlace(binding: sealed.binding, role: 2).handles[0])
        let error = #expect(throws: KeychainError.self) { try keychain.open() }
        #expect(error?.message.contains("somebody removed it") == true)
    }

    // MARK: - Other hardware

    @Test func `a folder that was copied to another machine opens there for nobody`() throws {
        let keychain = try TPMKeychain.made()
        let other = try EmulatedTPM()
        let error = #expect(throws: KeychainError.self) { try keychain.folder(of: other).open() }
        #expect(error?.message.contains("another TPM") == true)
        try keychain.tpm.clear()
        let cleared = #expect(throws: KeychainError.self) { try keychain.open() }
        #expect(cleared?.message.contains("was cleared") == true)
    }

    @Test func `a TPM that goes away while the keychain is open takes no item, and no passcode is counted wrong`()
        throws
    {
        let keychain = try TPMKeychain.made()
        try keychain.set("right", insteadOf: nil)
        let enclave = try keychain.open()
        try enclave.owner.unlock(secret("right"))
        keychain.tpm.bus.interfere { _, _ in .hangUp }
        #expect(try enclave.opensAll())
        try enclave.lock()
        for _ in 0..<10 {
            let error = #expect(throws: KeychainError.self) { try enclave.owner.unlock(secret("right")) }
            #expect(error?.code == .notAvailable)
        }
        keychain.tpm.bus.interfere(nil)
        try enclave.owner.unlock(secret("right"))
    }

    @Test func `a locked-out TPM is not taken for a wrong passcode, and is not asked again and again`() throws {
        let keychain = try TPMKeychain.made()
        try keychain.set("right", insteadOf: nil)
        try keychain.tpm.limitGuesses(tries: 3, interval: 7200)
        let clock = ClockOfATest()
        try clock.run { () throws in
            let enclave = try keychain.open()
            // Whoever guesses waits as long as they are told to, for months.
            for _ in 0..<50 {
                #expect(throws: KeychainError.self) { try enclave.owner.unlock(secret("wrong")) }
                clock.advance(100_000)
            }
            #expect(try !keychain.tpm.device().properties().isLockedOut)
            // The TPM has forgiven nothing yet; once it has, the owner gets in.
            let error = #expect(throws: KeychainError.self) { try enclave.owner.unlock(secret("right")) }
            #expect(error?.code == .notAvailable)
            try keychain.tpm.limitGuesses(tries: 50, interval: 7200)
            clock.advance(100_000)
            try enclave.owner.unlock(secret("right"))
        }
    }

    // MARK: - Stopped in the middle

    /// NV_DefineSpace, NV_Write, NV_UndefineSpace and NV_Increment: the commands that change something in a TPM.
    private static let changes: Set<UInt32> = [0x12A, 0x137, 0x122, 0x134]

    @Test(arguments: 0..<6, [false, true])
    func `a change of the passcode that is stopped at any step leaves one of both`(step: Int, isDone: Bool) throws {
        let keychain = try TPMKeychain.made()
        try keychain.set("old", insteadOf: nil)
        // Neither an answer nor an end comes: so it is for the one who is killed there.
        let enclave = try keychain.folder(timeout: 600_000).openLocal()
        let seen = Mutex(0)
        let isStopped = DispatchSemaphore(value: 0)
        keychain.tpm.bus.interfere { _, command in
            guard Self.changes.contains(command) else { return nil }
            let number = seen.withLock { seen in
                defer { seen += 1 }
                return seen
            }
            guard number == step else { return nil }
            isStopped.signal()
            return isDone ? .silence : .swallow
        }
        Thread.detachNewThread {
            try? enclave.owner.changePasscode(from: secret("old"), to: secret("new"))
            isStopped.signal()
        }
        isStopped.wait()
        // The command that was let through has come to its end once another one has.
        _ = try keychain.tpm.device().properties()
        let killed = try keychain.copy("killed")
        keychain.tpm.bus.interfere(nil)
        let (old, new) = (killed.unlock("old"), killed.unlock("new"))
        #expect((old == nil) != (new == nil), "old: \(String(describing: old)), new: \(String(describing: new))")
        // And it can be changed again, from the one that works.
        try killed.set("third", insteadOf: old == nil ? "old" : "new")
        #expect(killed.unlock("third") == nil)
        keychain.tpm.bus.hangUp()
    }

    @Test func `what a stopped change has left in the TPM goes at the next unlocking`() throws {
        let keychain = try TPMKeychain.made()
        try keychain.set("old", insteadOf: nil)
        let sealed = try SealedDeviceKey(file: keychain.read("device.key"))
        func isThere(_ role: UInt8) throws -> Bool {
            try keychain.tpm.device().look { (session) throws(TPMFailure) in
                try session.look(at: NVPlace(binding: sealed.binding, role: role).handles[0]) != nil
            }
        }
        // The last step, NV_UndefineSpace, does not pass.
        keychain.tpm.bus.interfere { _, command in command == 0x122 ? .hangUp : nil }
        try keychain.set("new", insteadOf: "old")
        keychain.tpm.bus.interfere(nil)
        #expect(try isThere(0) && isThere(1))
        #expect(keychain.unlock("new") == nil)
        #expect(try isThere(0) != isThere(1))
        #expect(keychain.unlock("new") == nil)
    }

    @Test func `the making of a keychain that is stopped at any command is gone on with`() throws {
        let tpm = try EmulatedTPM()
        for command in 0... {
            let keychain = try TPMKeychain(tpm, "keychain-\(command)")
            tpm.bus.interfere { count, _ in count >= command ? .hangUp : nil }
            let isMade = (try? keychain.folder().create()) != nil
            tpm.bus.interfere(nil)
            try keychain.folder().create()
            #expect(try keychain.open().state().binding == .tpm)
            // Room for the next.
            let sealed = try SealedDeviceKey(file: keychain.read("device.key"))
            try tpm.undefine(NVPlace(binding: sealed.binding, role: 2).handles[0])
            if isMade { break }
        }
    }

    @Test func `a full TPM leaves the old passcode as it was`() throws {
        let keychain = try TPMKeychain.made()
        try keychain.set("old", insteadOf: nil)
        keychain.tpm.bus.interfere { _, command in command == 0x12A ? .answer(0x14B) : nil }
        #expect(throws: KeychainError(.diskFull, "")) { try keychain.set("new", insteadOf: "old") }
        keychain.tpm.bus.interfere(nil)
        #expect(keychain.unlock("new") == .authenticationFailed)
        #expect(keychain.unlock("old") == nil)
    }
}

/// A clock that a test sets.
private final class ClockOfATest: Sendable {
    private let seconds = Mutex(UInt64(1_000))

    func advance(_ seconds: UInt64) { self.seconds.withLock { $0 += seconds } }

    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try StartClock.$uncheckedReading.withValue(
            { [self] in
                StartClock(start: [UInt8](repeating: 1, count: 16), now: seconds.withLock { $0 } * 1_000_000_000)
            },
            operation: body
        )
    }
}

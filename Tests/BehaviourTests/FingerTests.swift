import Dispatch
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// Fingers, read by the real fprintd with one of libfprint's virtual readers on a bus of the test's own.
@Suite(
    "Items that demand a finger",
    .enabled(if: FingerprintSite.obstacle == nil, "\(FingerprintSite.obstacle ?? "")"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FingerTests {
    /// Those whose service reads fingers; in others there is nobody whose word about them is worth anything.
    private static let transports: [Transport] = SystemMode.isPossible ? [.session, .system] : [.session]

    /// Who runs the tests.
    private static let user = "root"

    private func site() async throws -> FingerprintSite {
        let site = try FingerprintSite()
        try await site.startFprintd()
        try await site.enrol(of: Self.user, as: "mine")
        return site
    }

    private func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
    }

    private func addGuarded(_ flags: SecAccessControlCreateFlags, account: String = "alice") throws {
        try #require(add(password(account: account, [kSecAttrAccessControl: control(flags)])) == errSecSuccess)
    }

    /// What a call comes to.
    struct Reading: Equatable, Sendable {
        let status: OSStatus
        let value: Data?
    }

    /// Reads alice's item while somebody puts fingers on the reader, each time that it waits for one, and once more where
    /// one was not read.
    ///
    /// On a thread of its own: few threads run the tests.
    private func read(
        _ keychain: AttendedKeychain,
        account: String = "alice",
        _ site: FingerprintSite,
        _ scans: String...
    ) async -> Reading {
        let (dialogs, attempts) = (keychain.person.dialogs, site.verifications)
        let isDone = Flag()
        Thread.detachNewThread {
            var fingers = 0
            for (index, scan) in scans.enumerated() {
                // Each scan that is not the last one opens another dialog, and another attempt if it was a finger.
                while keychain.person.dialogs <= dialogs + index || site.verifications <= attempts + fingers {
                    if isDone.isSet { return }
                    usleep(5_000)
                }
                site.send(scan)
                if scan.hasPrefix("SCAN") { fingers += 1 }
            }
        }
        let reading = await onThread {
            defer { isDone.set() }
            return keychain.fixture.asProgram(groups: ["test.default"]) {
                let found = find(query(account: account, [kSecReturnData: true]))
                return Reading(status: found.status, value: found.result as? Data)
            }
        }
        // A dialog that a finger closes does so a little later, and would take an answer that is meant for the next one.
        _ = keychain.person.allClose()
        return reading
    }

    private static let success = Reading(status: errSecSuccess, value: secret)
    private static func failure(_ status: OSStatus) -> Reading { Reading(status: status, value: nil) }

    @Test(arguments: transports)
    func `a finger that is enrolled opens what it may, and the dialog closes`(transport: Transport) async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(transport, fingers: site)
        for flags in [.biometryAny, .userPresence, [.biometryAny, .devicePasscode, .or]]
            as [SecAccessControlCreateFlags]
        {
            try keychain.run { try addGuarded(flags) }
            let before = keychain.person.dialogs
            #expect(await read(keychain, site, "SCAN mine") == Self.success, "\(flags)")
            #expect(keychain.person.dialogs == before + 1, "\(flags)")
            #expect(keychain.person.allClose())
            try keychain.run { #expect(delete(query(account: "alice")) == errSecSuccess) }
        }
        #expect(keychain.person.shown.contains("fingerprint reader"))
    }

    @Test(arguments: transports)
    func `another finger opens nothing, and after five the passcode is needed`(transport: Transport) async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(transport, fingers: site)
        try keychain.run {
            try addGuarded(.biometryAny)
            try addGuarded(.userPresence, account: "bob")
        }
        let wrong = "SCAN somebody-elses"
        // Each attempt is one that the reader is asked for anew.
        #expect(await read(keychain, site, wrong, wrong, wrong, wrong, wrong) == Self.failure(errSecAuthFailed))
        #expect(keychain.person.shown.contains("not known here"))
        #expect(keychain.person.allClose())
        keychain.fixture.asProgram(groups: []) { #expect(AttendedKeychain.biometry == .biometryLockout) }
        let dialogs = keychain.person.dialogs
        #expect(await read(keychain, site) == Self.failure(errSecAuthFailed))
        #expect(keychain.person.dialogs == dialogs)
        keychain.person.answer(.secret("open sesame"))
        #expect(await read(keychain, account: "bob", site) == Self.success)
        // The passcode has let fingers in again.
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
    }

    @Test(arguments: transports)
    func `the passcode does where a finger would, and both are asked for where both are demanded`(
        transport: Transport
    ) async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(transport, fingers: site)
        try keychain.run {
            try addGuarded(.userPresence)
            try addGuarded([.biometryAny, .devicePasscode, .and], account: "bob")
        }
        keychain.person.answer(.secret("open sesame"))
        #expect(await read(keychain, site) == Self.success)
        keychain.person.answer(.secret("open sesame"))
        #expect(await read(keychain, account: "bob", site, "SCAN mine") == Self.success)
        keychain.person.answer(.no)
        #expect(await read(keychain, site) == Self.failure(errSecUserCanceled))
    }

    @Test(arguments: transports)
    func `a finger that was not read well is asked for again, in the reader's words`(transport: Transport) async throws
    {
        let site = try await site()
        let keychain = try AttendedKeychain(transport, fingers: site)
        try keychain.run { try addGuarded(.biometryAny) }
        #expect(await read(keychain, site, "RETRY 1", "SCAN mine") == Self.success)
        #expect(keychain.person.shown.contains("too short"))
    }

    @Test(arguments: transports)
    func `what stands in a finger's way is told apart, and costs no item`(transport: Transport) async throws {
        let site = try FingerprintSite()
        let keychain = try AttendedKeychain(transport, fingers: site)
        func code() -> LAError.Code? { keychain.fixture.asProgram(groups: []) { AttendedKeychain.biometry } }
        try keychain.run { try addGuarded(.biometryAny) }
        // No bus, and then no finger.
        #expect(code() == .biometryNotAvailable)
        #expect(await read(keychain, site) == Self.failure(errSecNotAvailable))
        let fprintd = try await site.startFprintd()
        try keychain.wait { AttendedKeychain.biometry == .biometryNotEnrolled }
        #expect(await read(keychain, site) == Self.failure(errSecNotAvailable))
        try await site.enrol(of: Self.user, as: "mine")
        #expect(code() == nil)
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
        // It dies while a finger is waited for, and is back.
        let killed = await read(keychain, site, "ERROR 0")
        #expect(killed == Self.failure(errSecNotAvailable))
        kill(fprintd.processIdentifier, SIGKILL)
        fprintd.waitForExit()
        #expect(code() == .biometryNotAvailable)
        #expect(await read(keychain, site) == Self.failure(errSecNotAvailable))
        try await site.startFprintdAlone()
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
    }

    @Test(arguments: transports)
    func `a lock takes the finger's question back`(transport: Transport) async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(transport, fingers: site)
        try keychain.run { try addGuarded(.biometryAny) }
        let control = keychain.control
        Thread.detachNewThread {
            _ = keychain.person.waitForDialog()
            try? control.lock()
        }
        #expect(await read(keychain, site) == Self.failure(errSecAuthFailed))
        #expect(keychain.person.allClose())
        try keychain.control.unlock(AttendedKeychain.passcode)
        // The reader is free again.
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
    }

    @Test(
        "the state of the domain changes with the fingers (as root)",
        .enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount")
    )
    func domainState() async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(.system, fingers: site)
        func state() -> Data? {
            keychain.fixture.asProgram(groups: []) {
                let context = LAContext()
                _ = context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
                return context.evaluatedPolicyDomainState
            }
        }
        let first = state()
        #expect(first != nil && first == state())
        try await site.enrol("left-thumb", of: Self.user, as: "another")
        #expect(state() != first)
    }

    @Test(arguments: transports)
    func `the example keeps its note until a finger is read`(transport: Transport) async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(transport, fingers: site)
        let address = try #require(keychain.fixture.address)
        @Sendable func run(_ words: String...) throws -> (status: Int32, text: String) {
            let process = Process()
            process.executableURL = URL(filePath: ServiceProcess.program("guarded-note"))
            process.arguments = words
            process.environment = ["CHATELAINE_KEYCHAIN": address]
            process.standardInput = FileHandle.nullDevice
            let output = FileManager.default.temporaryDirectory.appending(path: "note-\(UUID().uuidString)")
            _ = FileManager.default.createFile(atPath: output.path, contents: nil)
            defer { try? FileManager.default.removeItem(at: output) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.runHearingSignals()
            let status = process.waitForExit()
            return (status, try String(contentsOf: output, encoding: .utf8))
        }
        #expect(try run("write", "Buy tea") == (0, ""))
        #expect(try run("write", "Buy tea").status == 1)
        Thread.detachNewThread {
            guard keychain.person.waitForDialog() else { return }
            for _ in 0..<2_000 where site.verifications == 0 { usleep(5_000) }
            site.send("SCAN mine")
        }
        let (status, text) = await onThread { (try? run("read")) ?? (-1, "") }
        #expect(status == 0 && text == "Buy tea\n")
        #expect(keychain.person.shown.contains("Read your note"))
        #expect(try run("delete") == (0, ""))
        #expect(try run("read").text.contains("-25300"))
    }

    // MARK: - The fingers of an item's making

    private static let asRoot: ConditionTrait = .enabled(
        if: SystemMode.isPossible,
        "needs root, and a root folder that is a mount"
    )

    /// Whether alice's item, or another's, is there, which asks nobody.
    private func isThere(_ keychain: AttendedKeychain, account: String = "alice") -> OSStatus {
        keychain.fixture.asProgram(groups: ["test.default"]) {
            find(query(account: account, [kSecReturnAttributes: true])).status
        }
    }

    @Test("an item goes with the fingers it is bound to, and with nothing less (as root)", asRoot)
    func boundToFingers() async throws {
        let site = try FingerprintSite()
        let fprintd = try await site.startFprintd()
        try await site.enrol(of: Self.user, as: "mine")
        let keychain = try AttendedKeychain(.system, fingers: site)
        try keychain.run {
            try addGuarded(.biometryCurrentSet)
            try addGuarded(.biometryAny, account: "bob")
            try addGuarded([.biometryCurrentSet, .or, .devicePasscode], account: "carol")
        }
        for account in ["alice", "bob", "carol"] {
            #expect(await read(keychain, account: account, site, "SCAN mine") == Self.success)
        }
        // That nobody reads fingers now is no other set of them.
        kill(fprintd.processIdentifier, SIGKILL)
        fprintd.waitForExit()
        #expect(await read(keychain, site) == Self.failure(errSecNotAvailable))
        #expect(isThere(keychain) == errSecSuccess)
        try await site.startFprintdAlone()
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
        // The same finger by name, which is another one.
        try await site.delete("right-index-finger", of: Self.user)
        try await site.enrol("right-index-finger", of: Self.user, as: "somebody-elses")
        #expect(isThere(keychain) == errSecSuccess)
        let dialogs = keychain.person.dialogs
        #expect(await read(keychain, site) == Self.failure(errSecItemNotFound))
        #expect(keychain.person.dialogs == dialogs)
        #expect(isThere(keychain) == errSecItemNotFound)
        // The others have another way in.
        #expect(await read(keychain, account: "bob", site, "SCAN somebody-elses") == Self.success)
        keychain.person.answer(.secret("open sesame"))
        #expect(await read(keychain, account: "carol", site) == Self.success)
        #expect(!keychain.person.log.suffix(10).joined().contains("fingerprint"))
        // And the place is free.
        try keychain.run { try addGuarded(.biometryCurrentSet) }
        #expect(await read(keychain, site, "SCAN somebody-elses") == Self.success)
    }

    @Test("fingers that were put back open nothing that went with them (as root)", asRoot)
    func fingersPutBack() async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(.system, fingers: site)
        try keychain.run {
            try addGuarded(.biometryCurrentSet)
            try addGuarded(.biometryCurrentSet, account: "bob")
        }
        let templates = URL(filePath: site.templates)
        let copy = templates.deletingLastPathComponent().appending(path: "copy")
        try FileManager.default.copyItem(at: templates, to: copy)
        try await site.enrol("left-thumb", of: Self.user, as: "another")
        #expect(await read(keychain, site) == Self.failure(errSecItemNotFound))
        // Nobody has read this one meanwhile.
        try FileManager.default.removeItem(at: templates.appending(path: Self.user))
        try FileManager.default.copyItem(
            at: copy.appending(path: Self.user),
            to: templates.appending(path: Self.user)
        )
        #expect(await read(keychain, account: "bob", site) == Self.failure(errSecItemNotFound))
    }

    @Test("without an agent, the process that reads fingers can ask by a pinentry too (as root)", asRoot)
    func withoutAgent() async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(.system, fingers: site, hasAgent: false)
        try keychain.run { try addGuarded(.userPresence) }
        keychain.person.answer(.secret("wrong"), .secret("open sesame"))
        #expect(await read(keychain, site) == Self.success)
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
        keychain.person.answer(.no)
        #expect(await read(keychain, site) == Self.failure(errSecUserCanceled))
    }

    @Test("the last finger that is removed takes its items along (as root)", asRoot)
    func lastFinger() async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(.system, fingers: site)
        try keychain.run { try addGuarded(.biometryCurrentSet) }
        try await site.delete("right-index-finger", of: Self.user)
        #expect(await read(keychain, site) == Self.failure(errSecItemNotFound))
        #expect(isThere(keychain) == errSecItemNotFound)
        try keychain.run {
            let item = password(account: "alice", [kSecAttrAccessControl: try control(.biometryCurrentSet)])
            #expect(add(item) == errSecNotAvailable)
        }
    }

    @Test("nothing is bound to prints that a reader keeps on its chip (as root)", asRoot)
    func matchedOnChip() async throws {
        let site = try FingerprintSite()
        try await site.startFprintd(.storing)
        try await site.enrol(of: Self.user, as: "mine")
        let keychain = try AttendedKeychain(.system, fingers: site)
        try keychain.run {
            let item = password(account: "alice", [kSecAttrAccessControl: try control(.biometryCurrentSet)])
            #expect(add(item) == errSecNotAvailable)
            try addGuarded(.biometryAny)
        }
        #expect(await read(keychain, site, "SCAN mine") == Self.success)
    }

    @Test func `where nobody may read the templates, nothing is bound to them`() async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(.session, fingers: site)
        try keychain.run {
            let item = password(account: "alice", [kSecAttrAccessControl: try control(.biometryCurrentSet)])
            #expect(add(item) == errSecNotAvailable)
        }
    }

    @Test("whatever the flags, each means opens what it is enough for (as root)", asRoot)
    func flagsAndMeans() async throws {
        let site = try await site()
        let keychain = try AttendedKeychain(.system, fingers: site)
        let table: [(flags: SecAccessControlCreateFlags, finger: Bool, passcode: Bool)] = [
            (.userPresence, true, true), (.devicePasscode, false, true), (.biometryAny, true, false),
            (.touchIDAny, true, false), (.biometryCurrentSet, true, false),
            ([.biometryAny, .devicePasscode, .or], true, true),
            ([.biometryCurrentSet, .devicePasscode, .or], true, true),
            ([.biometryAny, .devicePasscode, .and], false, false),
            ([.biometryCurrentSet, .devicePasscode, .and], false, false), ([.biometryAny, .watch, .or], true, false),
        ]
        for (flags, finger, passcode) in table {
            try keychain.run { try addGuarded(flags) }
            if finger { #expect(await read(keychain, site, "SCAN mine") == Self.success, "\(flags)") }
            if passcode {
                keychain.person.answer(.secret("open sesame"))
                #expect(await read(keychain, site) == Self.success, "\(flags)")
            }
            if !finger && !passcode {
                keychain.person.answer(.secret("open sesame"))
                #expect(await read(keychain, site, "SCAN mine") == Self.success, "\(flags)")
            }
            keychain.person.answer(.no)
            #expect(await read(keychain, site) == Self.failure(errSecUserCanceled), "\(flags)")
            keychain.fixture.asProgram(groups: ["test.default"]) {
                let silent = query(
                    account: "alice",
                    [kSecReturnData: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
                )
                #expect(find(silent).status == errSecInteractionNotAllowed, "\(flags)")
                #expect(delete(query(account: "alice")) == errSecSuccess)
            }
        }
    }
}

/// Set once.
private final class Flag: @unchecked Sendable {
    // Unchecked: the lock guards it.
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// Runs something that blocks on a thread of its own: the threads that tests share are few.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

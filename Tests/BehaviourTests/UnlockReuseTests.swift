import EnclaveInterface
import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// A keychain of root's with an enrolled finger, and a folder `/etc` in which PAM is set up as for a display manager.
private final class UnlockSite {
    static let obstacle: String? = {
        if let obstacle = FingerprintSite.obstacle ?? SystemMode.obstacle { return obstacle }
        return FileManager.default.isExecutableFile(atPath: "/usr/bin/pamtester") ? nil : "pamtester is not here"
    }()

    let fingers: FingerprintSite
    let keychain: AttendedKeychain
    private let etc: String
    private let module: String

    init() async throws {
        fingers = try FingerprintSite()
        try await fingers.startFprintd()
        try await fingers.enrol(of: "root", as: "mine")
        keychain = try AttendedKeychain(.system, fingers: fingers)
        etc = fingers.folder + "/etc"
        module = fingers.folder + "/pam"
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        try await fingers.run([root.path + "/scripts/pam.sh", module])
        try await fingers.run(["cp", "-a", "/etc", etc])
    }

    /// Goes through a log-in as gdm does with its stack for fingers, whose reader has recognised one or not.
    func logIn(recognised: Bool = true, _ operations: String = "authenticate setcred") async throws {
        let address = try #require(keychain.fixture.address)
        let socket =
            URL(filePath: String(address.dropFirst("unix:".count))).deletingLastPathComponent().path
            + "/enclave.sock"
        try """
        auth required \(recognised ? "pam_permit.so" : "pam_deny.so")
        auth optional \(module)/pam_chatelaine.so socket=\(socket) timeout=10000 finger
        account required pam_permit.so

        """.write(toFile: etc + "/pam.d/chatelaine-test", atomically: true, encoding: .utf8)
        let line = "mount --bind '\(etc)' /etc && pamtester chatelaine-test root \(operations)"
        let words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", line]
        if recognised {
            try await fingers.run(words)
        } else {
            await #expect(throws: FingerprintSite.Failure.self) { try await self.fingers.run(words) }
        }
    }

    /// What a call comes to, and how many dialogs it causes.
    func ask<Value>(_ body: () throws -> Value) throws -> (value: Value?, dialogs: Int) {
        let before = keychain.person.dialogs
        var value: Value?
        try keychain.run { value = try body() }
        return (value, keychain.person.dialogs - before)
    }
}

/// Unlocking the session with a finger, by PAM, and what a context makes of it; with the real service, enclave and
/// fprintd.
@Suite(
    "Unlocking by PAM with a finger, used again",
    .enabled(if: UnlockSite.obstacle == nil, "\(UnlockSite.obstacle ?? "")"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct UnlockReuseTests {
    private func context(_ seconds: TimeInterval) -> LAContext {
        let context = LAContext()
        context.touchIDAuthenticationAllowableReuseDuration = seconds
        return context
    }

    private func addGuarded(_ flags: SecAccessControlCreateFlags, account: String) throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
        )
        try #require(add(password(account: account, [kSecAttrAccessControl: control])) == errSecSuccess)
    }

    private func read(_ account: String, _ context: LAContext) -> OSStatus {
        find(query(account: account, [kSecReturnData: true, kSecUseAuthenticationContext: context])).status
    }

    /// What an evaluation replies; nil for success.
    private func evaluate(_ context: LAContext, _ policy: LAPolicy) -> LAError.Code? {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var code: LAError.Code?
        context.evaluatePolicy(policy, localizedReason: "Show the diary") { _, error in
            code = (error as? LAError)?.code
            done.signal()
        }
        done.wait()
        return code
    }

    /// On a thread of its own: few threads run the tests.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { done.resume(with: Result { try body() }) }
        }
    }

    /// Reads an item that demands a finger, in a context that takes an unlock of five minutes ago. The person declines.
    private func expectReading(_ site: UnlockSite, asks: Bool) async throws {
        nonisolated(unsafe) let site = site
        try await onThread {
            if asks { site.keychain.person.answer(.no) }
            let (status, dialogs) = try site.ask { read("finger", context(300)) }
            #expect(status == (asks ? errSecUserCanceled : errSecSuccess))
            #expect(dialogs == (asks ? 1 : 0))
        }
    }

    @Test func `an unlock with a finger does for items, policies and access controls of contexts that say so`()
        async throws
    {
        nonisolated(unsafe) let site = try await UnlockSite()
        try await onThread {
            try site.keychain.run {
                try addGuarded(.biometryAny, account: "finger")
                try addGuarded(.userPresence, account: "owner")
                try addGuarded(.devicePasscode, account: "passcode")
            }
        }
        try await expectReading(site, asks: true)
        // Nobody was recognised, or the program has not let anybody in.
        try await site.logIn(recognised: false)
        try await site.logIn("authenticate acct_mgmt")
        try await expectReading(site, asks: true)
        try await site.logIn()
        try await onThread {
            let (_, silent) = try site.ask {
                #expect(read("finger", context(300)) == errSecSuccess)
                #expect(read("owner", context(.infinity)) == errSecSuccess)
                #expect(evaluate(context(300), .deviceOwnerAuthenticationWithBiometrics) == nil)
                #expect(evaluate(context(300), .deviceOwnerAuthentication) == nil)
                let proved = context(300)
                #expect(evaluate(proved, .deviceOwnerAuthentication) == nil)
                proved.interactionNotAllowed = true
                #expect(read("finger", proved) == errSecSuccess)
                #expect(read("passcode", proved) == errSecInteractionNotAllowed)
            }
            #expect(silent == 0)
            // After four prompts that were declined, a program would have to wait.
            site.keychain.person.answer(.no, .no)
            let (_, asked) = try site.ask {
                #expect(read("finger", context(0)) == errSecUserCanceled)
                #expect(read("passcode", context(300)) == errSecUserCanceled)
            }
            #expect(asked == 2)
        }
    }

    @Test func `a lock and other fingers end it`() async throws {
        nonisolated(unsafe) let site = try await UnlockSite()
        try await onThread { try site.keychain.run { try addGuarded(.biometryAny, account: "finger") } }
        try await site.logIn()
        try await expectReading(site, asks: false)
        try await onThread {
            try site.keychain.control.lock()
            try site.keychain.control.unlock(AttendedKeychain.passcode)
        }
        try await expectReading(site, asks: true)
        try await site.logIn()
        try await expectReading(site, asks: false)
        try await site.fingers.enrol("left-thumb", of: "root", as: "another")
        try await expectReading(site, asks: true)
    }
}

import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// Stored rights that a finger opens, with the real fprintd.
@Suite(
    "Rights that demand a finger",
    .enabled(if: FingerprintSite.obstacle == nil, "\(FingerprintSite.obstacle ?? "")"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FingerRightTests {
    private static let transports: [Transport] = SystemMode.isPossible ? [.session, .system] : [.session]

    /// What a call of a handler comes to. It waits, on a thread of its own: few threads run the tests.
    private func wait<Value: Sendable>(
        _ keychain: AttendedKeychain,
        _ call: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async throws -> Value? {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value?, any Error>) in
            Thread.detachNewThread {
                keychain.fixture.asProgram(groups: ["test.default"]) {
                    call { value, error in
                        if let error { done.resume(throwing: error) } else { done.resume(returning: value) }
                    }
                }
            }
        }
    }

    private func save(
        _ requirement: LAAuthenticationRequirement,
        _ identifier: String,
        _ keychain: AttendedKeychain
    ) async throws -> LAPersistedRight {
        let saved: LAPersistedRight? = try await wait(keychain) {
            LARightStore.shared.saveRight(
                LARight(requirement: requirement),
                identifier: identifier,
                secret: Data([7]),
                completion: $0
            )
        }
        return try #require(saved)
    }

    private func read(_ right: LAPersistedRight, _ keychain: AttendedKeychain) async throws -> Data? {
        try await wait(keychain) { right.secret.loadData(completion: $0) }
    }

    /// Authorizes while somebody puts a finger on the reader, once that waits for it.
    private func authorize(
        _ right: LAPersistedRight,
        _ keychain: AttendedKeychain,
        _ site: FingerprintSite,
        scan: String
    ) async throws {
        let (dialogs, attempts) = (keychain.person.dialogs, site.verifications)
        Thread.detachNewThread {
            for _ in 0..<2_000 where keychain.person.dialogs <= dialogs || site.verifications <= attempts {
                usleep(5_000)
            }
            site.send(scan)
        }
        let _: Bool? = try await wait(keychain) { done in
            right.authorize(localizedReason: "Log in") { done(nil, $0) }
        }
    }

    private func code(_ body: () async throws -> Void) async -> Int? {
        do {
            try await body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    @Test(arguments: transports)
    func `a right that demands a finger is authorized by one, and by no passcode`(transport: Transport) async throws {
        let site = try FingerprintSite()
        try await site.startFprintd()
        try await site.enrol(of: "root", as: "mine")
        let keychain = try AttendedKeychain(transport, fingers: site)
        let right = try await save(.biometry, "token", keychain)
        #expect(await code { _ = try await read(right, keychain) } == LAError.Code.notInteractive.rawValue)
        try await authorize(right, keychain, site, scan: "SCAN mine")
        #expect(right.state == .authorized)
        #expect(try await read(right, keychain) == Data([7]))
        // The dialog has no place for a passcode: it was none that was asked for.
        #expect(keychain.person.shown.contains("Touch the fingerprint reader to allow it."))
        #expect(!keychain.person.shown.contains("Passcode:"))
        await right.deauthorize()
        #expect(await code { _ = try await read(right, keychain) } == LAError.Code.notInteractive.rawValue)
    }

    @Test("a right that is bound to the enrolled fingers goes with them (as root)", .enabled(if: SystemMode.isPossible))
    func boundToFingers() async throws {
        let site = try FingerprintSite()
        try await site.startFprintd()
        try await site.enrol(of: "root", as: "mine")
        let keychain = try AttendedKeychain(.system, fingers: site)
        let right = try await save(.biometryCurrentSet, "token", keychain)
        let other = try await save(.biometry, "other", keychain)
        try await authorize(right, keychain, site, scan: "SCAN mine")
        #expect(try await read(right, keychain) == Data([7]))
        await right.deauthorize()
        try await site.enrol("left-thumb", of: "root", as: "another")
        #expect(await code { try await authorize(right, keychain, site, scan: "SCAN another") } != nil)
        #expect(right.state == .notAuthorized)
        let found: (String) async -> Int? = { identifier in
            await code {
                let _: LAPersistedRight? = try await wait(keychain) {
                    LARightStore.shared.right(forIdentifier: identifier, completion: $0)
                }
            }
        }
        #expect(await found("token") == Int(errSecItemNotFound))
        // The control: any finger of today's opens what demands any.
        #expect(await found("other") == nil)
        try await authorize(other, keychain, site, scan: "SCAN another")
        #expect(try await read(other, keychain) == Data([7]))
    }
}

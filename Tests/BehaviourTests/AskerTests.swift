import EnclaveInterface
import Foundation
import KeychainClient
import KeychainModel
import KeychainPrompting
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

@testable import EnclaveClient

/// Whom prompts name, and what they say is wanted.
@Suite("Who asks the owner", .timeLimit(.minutes(10)))
struct AskerTests {
    private func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
    }

    private func addGuarded(_ flags: SecAccessControlCreateFlags = .devicePasscode) throws {
        let status = add(password(account: "alice", [kSecAttrAccessControl: try control(flags)]))
        try #require(status == errSecSuccess)
    }

    private func read() -> OSStatus { find(query(account: "alice", [kSecReturnData: true])).status }

    /// The beginning of this program's path, which is cut off somewhere.
    private var ownPath: String {
        get throws { String(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe").prefix(50)) }
    }

    @Test(.enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount"))
    func `the system's prompt names the program's path and the group, and what it is called only where that differs`()
        throws
    {
        let keychain = try AttendedKeychain(.system, .secret("open sesame"))
        try keychain.run {
            try addGuarded()
            #expect(read() == errSecSuccess)
        }
        let shown = keychain.person.shown
        #expect(shown.contains("A program that is not installed wants to use your keychain: “\(try ownPath)"))
        #expect(shown.contains("It wants items of the group “program."))
    }

    @Test(.enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount"))
    func `a service that lies about who asks does not change what the prompt says of the program`() throws {
        let folder = try TestKeychain()
        chmod(folder.surroundings, 0o755)
        let service = try ServiceProcess(
            in: folder.surroundings,
            mode: .system,
            program: "unchecked-daemon",
            arguments: ["--callers-by-address"]
        )
        try #require(service.waitUntilReady())
        let person = try ScriptedPinentry(.secret("open sesame"))
        let agent = try KeychainFixture.agent(of: service, person.path)
        defer {
            kill(agent.processIdentifier, SIGKILL)
            agent.waitForExit()
        }
        // As an installed program of a bank's, it says.
        let part = Data(#"{"groups": ["TEAM.bank"], "installedName": "org.example.bank"}"#.utf8)
        let place = folder.surroundings
        // The name of a socket has 107 bytes at most.
        let parts = "\(TestKeychain.folderInMemory)/parts-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: parts) }
        let connection = ServiceConnection(ServiceAddress(path: service.socket, kind: .session)) {
            let path = parts + "/" + UUID().uuidString
            try? part.write(to: URL(fileURLWithPath: path))
            return "chatelaine-test" + path
        }
        try CurrentKeychain.$override.withValue(connection) {
            try #require(add(password(account: "bob")) == errSecSuccess)
            try RemoteEnclaveControl(connectingTo: place + "/enclave.sock")
                .changePasscode(from: nil, to: AttendedKeychain.passcode)
            for _ in 0..<3_000 where !LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) {
                usleep(20_000)
            }
            try addGuarded()
            #expect(read() == errSecSuccess)
        }
        let shown = person.shown
        #expect(shown.contains("A program that is not installed wants to use your keychain: “\(try ownPath)"))
        #expect(shown.contains("The keychain service calls it “org.example.bank”."))
        #expect(shown.contains("It wants items of the group “TEAM.bank”."))
        #expect(!shown.contains("The program “"))
    }

    @Test(arguments: Transport.allCases)
    func `an application password that nobody can ask for is refused at once`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            let context = LAContext()
            try #require(context.setCredential(Data("its own".utf8), type: .applicationPassword))
            let item = password(
                account: "alice",
                [kSecAttrAccessControl: try control(.applicationPassword), kSecUseAuthenticationContext: context]
            )
            try #require(add(item) == errSecSuccess)
            // The control: it is asked for.
            keychain.person.answer(.secret("its own"))
            #expect(read() == errSecSuccess)
            try FileManager.default.removeItem(atPath: keychain.person.path)
            let start = ContinuousClock.now
            #expect(read() == errSecInteractionNotAllowed)
            #expect(ContinuousClock.now - start < .seconds(60))
        }
    }

    /// Nobody: what is typed goes nowhere.
    private struct EmptyDesk: PromptDesk {
        func answer(_ id: ItemUUID, typed secret: SecretBytes) -> PromptAnswer { .over }
        func answer(_ id: ItemUUID, password: SecretBytes) -> PromptAnswer { .over }
        func decline(_ id: ItemUUID, because failure: PresenceFailure, of abilities: PrompterAbilities) {}
    }

    @Test(arguments: ["x", "ü", "%", "\u{1F6AA}"])
    func `the longest names, groups and reasons leave room for what the prompt itself has to say`(sign: String) throws {
        let person = try ScriptedPinentry(.no)
        let prompter = try PinentryPrompter(path: person.path, desk: { EmptyDesk() })
        var wishes = PromptWishes()
        wishes.reason = String(repeating: sign, count: 1_000)
        let long = String(repeating: sign, count: 60)
        prompter.show(
            Prompt(
                question: ItemUUID(),
                wish: .passcode,
                asker: AskerDescription(.notInstalled, name: long, path: "/" + long),
                groups: (0..<4).map { "\($0)" + long },
                wishes: wishes,
                readable: .biometry,
                isRepeated: false
            )
        )
        try #require(person.waitForDialog())
        let shown = person.shown
        #expect(shown.contains("Touch the fingerprint reader, or type the keychain's passcode."))
        for group in 0..<4 { #expect(shown.contains("“\(group)")) }
    }
}

import EnclaveClient
import EnclaveInterface
import Foundation
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainPrompting
import KeychainTestSupport
import LocalEnclave
import Logging
import Testing

/// A way of reaching a keychain. Every rule of the behaviour suite holds for each of them.
enum Transport: CustomTestStringConvertible {
    /// In the memory of the test.
    case memory
    /// In a folder, opened by the test itself.
    case embedded
    /// With a keychain service of the user's own, in a process of its own.
    case session
    /// With the machine's keychain service. Only root can start one.
    case system

    /// Those that can be tried here. `MachineTests` says so where system mode cannot.
    static let allCases: [Transport] =
        SystemMode.isPossible ? [.memory, .embedded, .session, .system] : [.memory, .embedded, .session]

    /// Those whose passcode a test can set at no cost. In the services, each takes its time.
    static let lockableAtNoCost: [Transport] = [.memory, .embedded]

    /// Those without another process, in which a test can change nothing.
    static let inThisProcess: [Transport] = [.memory, .embedded]

    var testDescription: String { "\(self)" }
}

/// A keychain of a test's own, which nothing else sees and which goes with the test.
final class KeychainFixture {
    private enum Place {
        case memory(KeychainEngine)
        case folder(URL)
        case daemon(BehaviourDaemon, keychain: String)
        /// One for this test alone, whose passcode can be set.
        case service(ServiceProcess, TestKeychain)
    }

    private let place: Place
    private let enclave: LocalEnclave?
    private let pinentry: String?
    /// Asks for the system's service, and reads fingers for it.
    private var helpers: [Process] = []

    /// - Parameters:
    ///   - isLockable: whether its passcode is to be set, for which a service has to be the test's own.
    ///   - pinentry: what its owner is asked by; nobody is asked without one.
    ///   - fingers: where fingers are read, for a service of the test's own.
    ///   - hasAgent: whether it is the user's agent who asks for the system's service, and not the process that reads fingers.
    init(
        _ transport: Transport,
        isLockable: Bool = false,
        pinentry: String? = nil,
        fingers: FingerprintSite? = nil,
        hasAgent: Bool = true
    ) throws {
        self.pinentry = pinentry
        switch transport {
        case .session where isLockable, .system where isLockable:
            let folder = try TestKeychain()
            // Other users' processes have to get through it.
            chmod(folder.surroundings, 0o755)
            let service = try ServiceProcess(
                in: folder.surroundings,
                mode: transport == .system ? .system : .session,
                // All its checks are there, and its answers come in pages.
                program: transport == .system ? "chatelained" : "unchecked-daemon",
                arguments: transport == .session
                    ? ["--pinentry", pinentry ?? "none", "--page-size", "\(BehaviourDaemon.pageSize)"]
                    : fingers == nil ? [] : ["--prompt-user", Self.promptUser],
                environment: fingers.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0.bus] } ?? [:]
            )
            guard service.waitUntilReady() else { throw BehaviourDaemon.Unavailable() }
            place = .service(service, folder)
            if transport == .system, hasAgent, let pinentry { helpers.append(try Self.agent(of: service, pinentry)) }
            if transport == .system, let fingers {
                helpers.append(
                    try Self.promptProcess(
                        of: service,
                        in: folder.surroundings,
                        fingers,
                        pinentry: hasAgent ? nil : pinentry
                    )
                )
            }
        case .memory:
            let deviceKey = DeviceKey()
            let keys = try LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey, cost: .uncheckedLeast)
            place = .memory(try KeychainEngine.inMemory(keys, log: Logger(label: "test")))
            enclave = keys
            if let pinentry {
                let desk = keys.desk
                let prompter = try PinentryPrompter(path: pinentry, desk: { () throws(KeychainError) in desk })
                _ = desk.register(prompter, for: .typing)
            }
            return
        case .embedded:
            place = .folder(FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)"))
        case .session: place = .daemon(try BehaviourDaemon.session.get(), keychain: UUID().uuidString)
        case .system: place = .daemon(try BehaviourDaemon.system.get(), keychain: UUID().uuidString)
        }
        enclave = nil
    }

    /// Where other programs find the service of this test alone.
    var address: String? {
        if case .service(let service, _) = place { "unix:" + service.socket } else { nil }
    }

    /// What the owner does with the keychain's keys; nil where a test cannot do it.
    ///
    /// Where processes open the keychain themselves, it is that of another one than the test's connections.
    func control() throws -> (any EnclaveControl)? {
        switch place {
        case .memory: return enclave.map { LocalControl($0, for: .owner) }
        case .daemon: return nil
        case .service(_, let folder):
            try makeKeychain()
            return try RemoteEnclaveControl(connectingTo: folder.surroundings + "/enclave.sock")
        case .folder(let folder):
            try makeKeychain()
            let keys = LocalEnclaveFolder(path: folder.path, sharing: .embedded, cost: .uncheckedLeast)
            return LocalControl(try keys.openLocal(), for: .owner)
        }
    }

    /// A search makes none.
    private func makeKeychain() throws {
        try (connection() as? any MadeKeychain)?.makeKeychain()
    }

    /// The user's agent, as it is started in a session.
    static func agent(of service: ServiceProcess, _ pinentry: String) throws -> Process {
        let agent = Process()
        agent.executableURL = URL(fileURLWithPath: ServiceProcess.program("chatelaine"))
        agent.arguments = ["agent", "--pinentry", pinentry]
        agent.environment = ["CHATELAINE_KEYCHAIN": "unix:" + service.socket]
        agent.standardInput = FileHandle.nullDevice
        try agent.runHearingSignals()
        return agent
    }

    /// Somebody whom fprintd knows.
    private static let promptUser = "daemon"

    private static func promptProcess(
        of service: ServiceProcess,
        in folder: String,
        _ fingers: FingerprintSite,
        pinentry: String?
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ServiceProcess.program("chatelaine-prompt"))
        process.arguments =
            [
                "--user", promptUser, "--socket", folder + "/enclave.sock", "--server", "\(ServiceProcess.enclaveUser)",
                "--templates", fingers.templates,
            ] + (pinentry.map { ["--pinentry", $0] } ?? [])
        process.environment = ["DBUS_SYSTEM_BUS_ADDRESS": fingers.bus]
        process.standardInput = FileHandle.nullDevice
        try process.runHearingSignals()
        return process
    }

    deinit {
        for helper in helpers {
            kill(helper.processIdentifier, SIGKILL)
            helper.waitForExit()
        }
        // What other processes share of it lies elsewhere.
        switch place {
        case .memory, .service: break
        case .folder(let folder):
            try? control()?.logOut()
            try? FileManager.default.removeItem(at: folder)
        case .daemon(let daemon, let keychain): daemon.remove(keychain)
        }
    }

    /// A connection for a program with the given groups, the first of which is its default.
    func connection(groups: [String] = ["test.default"], ownGroup: String? = nil) -> any KeychainService {
        let caller = Caller(name: "test", groups: AccessGroups(groups), ownGroup: ownGroup)
        return switch place {
        case .memory(let engine): EngineConnection(engine: engine, caller: caller)
        case .daemon(let daemon, let keychain):
            daemon.connection(groups: groups, ownGroup: ownGroup, keychain: keychain)
        // The service knows by itself who this is.
        case .service(let service, _): ServiceConnection(ServiceAddress(path: service.socket, kind: .session))
        case .folder(let folder):
            EmbeddedKeychain(
                .embedded(directory: folder.path),
                caller: caller,
                cost: .uncheckedLeast,
                pinentry: pinentry.map { .path($0) } ?? .none
            )
        }
    }

    /// Lets a program with the given groups make calls.
    func asProgram<Value>(groups: [String], ownGroup: String? = nil, _ body: () throws -> Value) rethrows -> Value {
        try CurrentKeychain.$override.withValue(connection(groups: groups, ownGroup: ownGroup), operation: body)
    }
}

/// One program's connection to a keychain in memory, which several programs share.
private struct EngineConnection: KeychainService {
    let engine: KeychainEngine
    let caller: Caller

    func perform(
        _ operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult {
        var rounds = PresenceRounds(
            operation,
            of: asker,
            in: operation.authentication.context as? PresenceSession,
            enclave: enclave
        )
        while true {
            do throws(KeychainError) {
                return try engine.perform(rounds.operation, for: caller)
            } catch {
                try rounds.ask(rounds.question(after: error))
            }
        }
    }

    func performTogether(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        onBehalfOf program: String?
    ) throws(KeychainError) -> [OperationOutcome] {
        try engine.perform(operations, allOrNothing: allOrNothing, for: caller)
    }
}

extension EngineConnection: PresenceKeychain {
    private var asker: QuestionAsker { QuestionAsker(caller, isVerified: false) }

    private var enclave: @Sendable () throws(KeychainError) -> any Enclave {
        { [engine] () throws(KeychainError) in engine.enclave }
    }

    func makeContext() throws(KeychainError) -> any PresenceContext { PresenceSession(of: asker, enclave) }

    func presenceStatus() throws(KeychainError) -> PresenceStatus { try engine.enclave.presenceStatus() }

    func seesAllGroups() throws(KeychainError) -> Bool { caller.groups.areAll }

    func ownGroup() throws(KeychainError) -> String {
        guard let group = caller.ownGroup else { throw Self.noOwnGroup }
        return group
    }
}

/// Runs a test against a fresh keychain of the given kind, for a program with the given groups.
func withKeychain(
    _ transport: Transport,
    groups: [String] = ["test.default"],
    _ body: () throws -> Void
) throws {
    let fixture = try KeychainFixture(transport)
    try fixture.asProgram(groups: groups, body)
}

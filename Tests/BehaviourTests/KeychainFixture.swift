import Foundation
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainTestSupport
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

    /// Those that can be tried here.
    static let allCases: [Transport] =
        SystemMode.isPossible ? [.memory, .embedded, .session, .system] : [.memory, .embedded, .session]

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
    }

    private let place: Place

    init(_ transport: Transport) throws {
        switch transport {
        case .memory:
            place = .memory(try KeychainEngine.inMemory(log: Logger(label: "test")))
        case .embedded:
            place = .folder(FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)"))
        case .session: place = .daemon(try BehaviourDaemon.session.get(), keychain: UUID().uuidString)
        case .system: place = .daemon(try BehaviourDaemon.system.get(), keychain: UUID().uuidString)
        }
    }

    deinit {
        switch place {
        case .memory: break
        case .folder(let folder): try? FileManager.default.removeItem(at: folder)
        case .daemon(let daemon, let keychain): daemon.remove(keychain)
        }
    }

    /// A connection for a program with the given groups, the first of which is its default.
    func connection(groups: [String] = ["test.default"]) -> any KeychainService {
        let caller = Caller(name: "test", groups: AccessGroups(groups))
        return switch place {
        case .memory(let engine): EngineConnection(engine: engine, caller: caller)
        case .daemon(let daemon, let keychain): daemon.connection(groups: groups, keychain: keychain)
        case .folder(let folder): EmbeddedKeychain(.embedded(directory: folder.path), caller: caller)
        }
    }

    /// Lets a program with the given groups make calls.
    func asProgram<Value>(groups: [String], _ body: () throws -> Value) rethrows -> Value {
        try CurrentKeychain.$override.withValue(connection(groups: groups), operation: body)
    }
}

/// One program's connection to a keychain in memory, which several programs share.
private struct EngineConnection: KeychainService {
    let engine: KeychainEngine
    let caller: Caller

    func add(_ request: AddRequest) throws(KeychainError) -> FoundItem? { try engine.add(request, for: caller) }
    func find(_ request: FindRequest) throws(KeychainError) -> [FoundItem] { try engine.find(request, for: caller) }
    func update(_ request: UpdateRequest) throws(KeychainError) -> Int { try engine.update(request, for: caller) }
    func delete(_ request: DeleteRequest) throws(KeychainError) -> Int { try engine.delete(request, for: caller) }
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

import Foundation
import KeychainClient
import KeychainEngine
import KeychainModel
import Logging
import Testing

/// A way of reaching a keychain. Every rule of the behaviour suite holds for each of them.
enum Transport: CaseIterable, CustomTestStringConvertible {
    /// In the memory of the test.
    case memory
    /// In a folder, opened by the test itself.
    case embedded

    var testDescription: String { "\(self)" }
}

/// A keychain of a test's own, which nothing else sees and which goes with the test.
final class KeychainFixture {
    private enum Place {
        case memory(KeychainEngine)
        case folder(URL)
    }

    private let place: Place

    init(_ transport: Transport) throws {
        switch transport {
        case .memory:
            place = .memory(try KeychainEngine.inMemory(log: Logger(label: "test")))
        case .embedded:
            place = .folder(FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)"))
        }
    }

    deinit {
        if case .folder(let folder) = place { try? FileManager.default.removeItem(at: folder) }
    }

    /// A connection for a program with the given groups, the first of which is its default.
    func connection(groups: [String] = ["test.default"]) -> any KeychainService {
        let caller = Caller(name: "test", groups: AccessGroups(groups))
        return switch place {
        case .memory(let engine): EngineConnection(engine: engine, caller: caller)
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

import Crypto
import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainFiles
@testable import LocalEnclave

/// An enclave in a folder of a test's own, with a scrypt that costs nothing.
final class EnclaveFixture {
    let path = FileManager.default.temporaryDirectory.path + "/chatelaine-enclave-\(UUID().uuidString)"
    let folder: LocalEnclaveFolder

    init(_ binding: (any DeviceBinding)? = nil, keepsProgramsApart: Bool = false) throws {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        var folder = LocalEnclaveFolder(path: path, binding: binding, cost: .uncheckedLeast)
        folder.keepsProgramsApart = keepsProgramsApart
        self.folder = folder
        try folder.create()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// As after a start of the process.
    func open() throws -> LocalEnclave { try folder.openLocal() }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try SecureFile.write(SecretBytes(bytes), to: path + "/" + name)
    }
}

extension LocalEnclave {
    var owner: LocalControl { LocalControl(self, for: .owner) }
    /// One of the owner's, where a service keeps them apart.
    var program: LocalControl { LocalControl(self, for: .program) }
    var administrator: LocalControl { LocalControl(self, for: .administrator) }

    @discardableResult
    func finishTheRotation() throws -> EnclaveState { try finishRotation(of: state().generation) }

    /// The classes whose items can be opened now.
    func open() throws -> Set<Accessibility> {
        let keys = try serviceKeys()
        return Set(keys.metadata.keys)
    }

    func box(_ key: SymmetricKey, _ accessibility: Accessibility) throws -> WrappedItemKey {
        let binding = ItemBinding.sample(accessibility)
        let box = try #require(try wrap([UnwrappedItemKey(binding: binding, key: key)]).first)
        return WrappedItemKey(binding: binding, box: box)
    }

    func opens(_ box: WrappedItemKey) throws -> KeychainError.Code? {
        switch try #require(try unwrap([box]).first) {
        case .success: nil
        case .failure(let error): error.code
        }
    }
}

func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

func failure<Value>(_ body: () throws -> Value) -> KeychainError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? KeychainError)?.code
    }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let reading = Mutex((start: [UInt8](repeating: 1, count: 16), seconds: UInt64(1_000)))

    func advance(_ seconds: UInt64) { reading.withLock { $0.seconds += seconds } }
    func goBack(_ seconds: UInt64) { reading.withLock { $0.seconds -= seconds } }

    /// The machine starts anew.
    func restart() {
        reading.withLock {
            $0.start[0] &+= 1
            $0.seconds = 5
        }
    }

    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try StartClock.$uncheckedReading.withValue(
            { [self] in
                reading.withLock { StartClock(start: $0.start, now: $0.seconds * 1_000_000_000) }
            },
            operation: body
        )
    }
}

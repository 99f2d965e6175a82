import Crypto
package import GRDB
import Logging

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable package import KeychainEngine
@testable package import KeychainModel
@testable import KeychainPolicy
@testable import KeychainStore
@testable import KeychainVault
@testable package import LocalEnclave

/// A keychain in memory whose keys are known, and whose database can be edited.
package struct FuzzKeychain {
    package let engine: KeychainEngine
    package let caller = Caller(name: "fuzz", groups: AccessGroups(["group", "other"]))

    package static let keychain = ItemUUID([UInt8](repeating: 9, count: 16)) ?? ItemUUID()
    private static let classKey = SymmetricKey(data: [UInt8](repeating: 1, count: 32))

    /// What every class's rows are sealed under.
    package static let keys = ClassKeyPair(classKey, keychain: keychain)

    package init() throws {
        var log = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        let enclave = try LocalEnclave(
            uncheckedKeychain: Self.keychain,
            classKeys: Dictionary(uniqueKeysWithValues: Accessibility.allCases.map { ($0, Self.classKey) }),
            indexKey: SymmetricKey(data: [UInt8](repeating: 2, count: 32))
        )
        let vault = try KeychainVault(enclave)
        engine = KeychainEngine(
            vault: vault,
            store: try KeychainStore(inMemory: Header(sealedBy: vault), log: log),
            log: log
        )
    }

    /// The database as plain SQL sees it.
    package func sql<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try engine.store.writer.writeWithoutTransaction(body)
    }

    package func all(_ itemClass: ItemClass) throws -> [FoundItem] {
        var request = FindRequest(query: ItemQuery(itemClass: itemClass))
        request.query.synchronizable = .any
        request.limit = .all
        request.returns = [.data, .attributes, .persistentReference]
        return try engine.keychain(of: caller).find(request)
    }
}

/// All that can be seen of an item, in a form that can be compared.
package struct ItemImage: Hashable {
    package let reference: PersistentReference
    package let attributes: [UInt8]
    package let accessControl: [UInt8]
    package let secrets: [AttributeKey: [UInt8]]
    package let sha1: [UInt8]?

    package init(_ item: FoundItem) {
        reference = item.reference
        attributes = AttributeCodec.encode(item.attributes)
        accessControl = item.accessControl.serialized
        secrets = item.secrets.mapValues { $0.withUnsafeBytes { Array($0) } }
        sha1 = item.sha1
    }
}

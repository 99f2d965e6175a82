import Crypto
import Foundation
import FuzzRowSupport
import FuzzSupport
import GRDB

@testable import EnclaveInterface
@testable import KeychainEngine
@testable import KeychainModel
@testable import KeychainPolicy
@testable import KeychainStore
@testable import KeychainVault
@testable import LocalEnclave

/// Rows whose seals are right and whose contents are anything: what a holder of the keys, or a newer version, may have
/// written. An input is class, protection, flags, access control, metadata and secret.
///
/// Such an item is found as it stands, or skipped as damaged; it can be changed and deleted without a surprise.
@main
enum FuzzSealedRows: FuzzTarget {
    private static let keychain: FuzzKeychain = {
        guard let keychain = try? FuzzKeychain() else { preconditionFailure("no keychain") }
        return keychain
    }()

    private struct Contents {
        var itemClass: ItemClass
        var accessibility: UInt8
        var isSynchronizable: Bool
        var isTombstone: Bool
        var accessControl: [UInt8]
        var metadata: [UInt8]
        var secret: [UInt8]

        init(_ bytes: [UInt8]) {
            var source = ByteSource(bytes)
            itemClass = source.choice(of: ItemClass.stored)
            accessibility = source.byte()
            let flags = source.byte()
            isSynchronizable = flags & 1 != 0
            isTombstone = flags & 2 != 0
            accessControl = source.shortBytes()
            metadata = source.longBytes()
            secret = source.rest()
        }
    }

    private static func seal(_ contents: Contents) throws -> SealedItem {
        var row = SealedRow(
            binding: ItemBinding(
                itemClass: contents.itemClass,
                uuid: ItemUUID(),
                version: ItemUUID().bytes,
                accessGroup: "group",
                accessibility: contents.accessibility,
                isSynchronizable: contents.isSynchronizable,
                isTombstone: contents.isTombstone,
                accessControl: contents.accessControl
            ),
            blindColumns: BlindColumns()
        )
        let data = AssociatedData(row.binding, keychain: FuzzKeychain.keychain)
        let pair = FuzzKeychain.keys
        let itemKey = SymmetricKey(size: .bits256)
        row.metadata = try Cipher.seal(
            contents.metadata,
            under: pair.metadata,
            authenticating: data.bytes(for: .metadata, trailer: row.blindColumns.bytes)
        )
        row.wrappedKey = try Cipher.seal(
            key: itemKey,
            under: pair.wrapping,
            authenticating: data.bytes(for: .wrappedKey)
        )
        let associated = data.bytes(for: .secret)
        if contents.itemClass.dataIsPublic {
            let seal = try Cipher.seal([UInt8](), under: itemKey, authenticating: associated + contents.secret)
            row.secret = seal + contents.secret
        } else {
            row.secret = try Cipher.seal(contents.secret, under: itemKey, authenticating: associated)
        }
        return SealedItem(row: row)
    }

    static func run(_ bytes: [UInt8]) throws {
        let contents = Contents(bytes)
        let item: SealedItem = try seal(contents)
        try keychain.sql { database in
            try database.execute(sql: "DELETE FROM \(contents.itemClass.rawValue)")
            try WriteTransaction(database: database).insert(item)
        }
        let attributes = contents.metadata.withUnsafeBytes { AttributeCodec.decode($0) }
        let secrets = SecretCodec.decode(SecretBytes(contents.secret))
        let control = Accessibility(code: contents.accessibility).flatMap {
            AccessControl(serialized: contents.accessControl, accessibility: $0)
        }
        let opens = attributes != nil && secrets != nil && control != nil
        let isGuarded = control.map { $0.demand != .nothing || $0.needsApplicationPassword } ?? false

        var query = ItemQuery(itemClass: contents.itemClass)
        query.synchronizable = .any
        query.findsTombstones = contents.isTombstone
        var find = FindRequest(query: query)
        find.limit = .all
        find.returns = [.data, .attributes, .persistentReference]
        let found = try self.found(find, isGuarded: isGuarded)
        require(found.count == (opens && !isGuarded ? 1 : 0), "what was sealed rightly opens, and nothing else does")
        require(
            found.allSatisfy { $0.secrets.count == secrets?.values.count && $0.sha1 == secrets?.sha1 },
            "the secrets come out as they were sealed"
        )
        try change(query, isGuarded: isGuarded)
        try delete(query)
    }

    /// What is said where nobody is there to be asked.
    private static let unasked: [KeychainError.Code] = [.interactionNotAllowed, .authenticationFailed, .notAvailable]

    private static func found(_ request: FindRequest, isGuarded: Bool) throws(KeychainError) -> [FoundItem] {
        do throws(KeychainError) {
            return try keychain.engine.keychain(of: keychain.caller).find(request)
        } catch {
            require(
                isGuarded && unasked.contains(error.code),
                "a search is refused for an item's demands alone: \(error)"
            )
            return []
        }
    }

    private static func change(_ query: ItemQuery, isGuarded: Bool) throws {
        var request = UpdateRequest(query: query)
        request.changes.attributes["labl"] = .string("changed")
        request.changes.accessibility = .afterFirstUnlock
        do throws(KeychainError) {
            _ = try keychain.engine.keychain(of: keychain.caller).update(request)
        } catch {
            var expected: [KeychainError.Code] = [.invalidParameter, .undecodable, .duplicateItem, .unimplemented]
            if isGuarded { expected += unasked }
            require(expected.contains(error.code), "a change is refused for a reason: \(error)")
        }
    }

    private static func delete(_ query: ItemQuery) throws {
        var request = DeleteRequest(query: query)
        request.leavesTombstone = query.itemClass == .key
        do throws(KeychainError) {
            _ = try keychain.engine.keychain(of: keychain.caller).delete(request)
        } catch {
            require(error.code == .undecodable, "a deletion is refused for damage alone: \(error)")
        }
    }

    static func seeds() -> [String: [UInt8]] {
        var attributes = AttributeList()
        attributes["acct"] = .string("alice")
        attributes["labl"] = .data([1, 2, 3])
        attributes["mdat"] = .date(700_000_000.5)
        let metadata = AttributeCodec.encode(attributes)
        let secret = SecretCodec.encode(
            sha1: [UInt8](repeating: 3, count: 20),
            [.valueData: SecretBytes(Array("a password".utf8))]
        ).withUnsafeBytes { Array($0) }
        let constrained: [UInt8] = [10, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
        func input(_ head: [UInt8], control: [UInt8] = [0]) -> [UInt8] {
            head + control + metadata.withLength + secret
        }
        return [
            "password": input([0, 1, 0]), "synchronizable": input([1, 2, 1]), "tombstone": input([0, 1, 3]),
            "certificate": input([2, 3, 0]), "key": input([3, 1, 0]), "no-class": input([0, 9, 0]),
            "constrained": input([0, 1, 0], control: constrained),
            "infinite-date": [0, 1, 0, 0]
                + AttributeCodec.encode(
                    {
                        var list = AttributeList()
                        list["mdat"] = .date(.infinity)
                        return list
                    }()
                ).withLength + secret,
        ]
    }
}

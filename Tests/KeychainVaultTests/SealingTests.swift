import EnclaveInterface
import KeychainModel
import KeychainPolicy
import LocalEnclave
import Testing

@testable import KeychainVault

@Suite("Sealing and opening rows")
struct SealingTests {
    private let vault: KeychainVault
    private let policy = KeychainPolicy(hasPasscode: false)
    private let caller = Caller(name: "test", groups: AccessGroups(["group", "other"]))

    init() throws {
        let deviceKey = DeviceKey()
        let keybag = try Keybag(creatingUnder: deviceKey)
        vault = try KeychainVault(LocalEnclave(keybag, under: deviceKey))
    }

    private func sealed(
        _ itemClass: ItemClass = .genericPassword,
        account: String = "alice",
        group: String = "group",
        value: String = "value"
    ) throws -> SealedRow {
        var request = AddRequest(itemClass: itemClass)
        switch itemClass {
        case .certificate: request.attributes["slnr"] = .data(Array(account.utf8))
        case .key: request.attributes["klbl"] = .data(Array(account.utf8))
        default: request.attributes["acct"] = .string(account)
        }
        request.attributes["labl"] = .string("label of " + account)
        request.accessGroup = group
        request.secrets[.valueData] = SecretBytes(Array(value.utf8))
        return try vault.seal(policy.authorize(request, for: caller), now: 1000).row
    }

    private func selection(_ itemClass: ItemClass = .genericPassword) throws -> AuthorizedQuery {
        try policy.authorize(FindRequest(query: ItemQuery(itemClass: itemClass)), for: caller).selection
    }

    /// The value, or nil where any part of the row does not open.
    private func value(_ row: SealedRow) throws -> String? {
        do throws(KeychainError) {
            let item = try vault.open(
                row,
                for: policy.authorize(
                    FindRequest(query: ItemQuery(itemClass: row.itemClass)),
                    for: caller
                ).selection
            )
            return try vault.openSecrets(of: item).values[.valueData]?
                .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    @Test
    func `a row does not tell a password of one byte from one of 31`() throws {
        let sizes = try [1, 8, 31].map { try sealed(value: String(repeating: "x", count: $0)).secret.count }
        #expect(Set(sizes).count == 1)
        #expect(try sealed(value: String(repeating: "x", count: 32)).secret.count == sizes[0] + 32)
    }

    @Test(arguments: ItemClass.stored)
    func `a sealed row opens`(itemClass: ItemClass) throws {
        #expect(try value(sealed(itemClass)) == "value")
    }

    @Test func `the value and the attributes are not to be seen in the row`() throws {
        let row = try sealed(account: "a rather long account", value: "a rather long value")
        let bytes = row.metadata + row.wrappedKey + row.secret + row.blindColumns.bytes + row.version + row.uuid.bytes
        for text in ["a rather long account", "a rather long value", "label of"] {
            #expect(!bytes.contains(text))
        }
    }

    @Test func `a certificate's data is readable, since it is public, and its attributes are not`() throws {
        let row = try sealed(.certificate, account: "a serial number", value: "a rather long value")
        #expect(row.secret.contains("a rather long value"))
        #expect(!(row.metadata + row.blindColumns.bytes + row.secret).contains("a serial number"))
    }

    @Test func `the same item sealed twice shares no ciphertext, key or version`() throws {
        let (first, second) = (try sealed(), try sealed())
        #expect(first.uuid != second.uuid)
        #expect(first.version != second.version)
        #expect(first.metadata != second.metadata)
        #expect(first.wrappedKey != second.wrappedKey)
        #expect(first.secret != second.secret)
        #expect(first.blindColumns[.init(stringLiteral: "acct")] == second.blindColumns["acct"])
    }

    @Test func `blind columns differ between groups, classes and attributes`() throws {
        let here = try sealed()
        let there = try sealed(group: "other")
        #expect(here.blindColumns["acct"] != there.blindColumns["acct"])
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes["acct"] = .string("alice")
        request.attributes["srvr"] = .string("alice")
        request.accessGroup = "group"
        let internet = try vault.seal(policy.authorize(request, for: caller), now: 0).row
        #expect(internet.blindColumns["acct"] != here.blindColumns["acct"])
        #expect(internet.blindColumns["acct"] != internet.blindColumns["srvr"])
    }

    /// Every single-bit edit of what a row holds.
    @Test(arguments: ItemClass.stored)
    func `a row with any bit flipped does not open`(itemClass: ItemClass) throws {
        let row = try sealed(itemClass)
        func flipped(_ bytes: [UInt8], _ put: (inout SealedRow, [UInt8]) -> Void) throws {
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                var edited = row
                put(&edited, changed)
                #expect(try value(edited) == nil, "byte \(index)")
            }
        }
        try flipped(row.uuid.bytes) { $0.binding.uuid = ItemUUID($1) ?? ItemUUID() }
        try flipped(row.version) { $0.binding.version = $1 }
        try flipped(row.metadata) { $0.metadata = $1 }
        try flipped(row.wrappedKey) { $0.wrappedKey = $1 }
        try flipped(row.secret) { $0.secret = $1 }
        for part in [\SealedRow.metadata, \.wrappedKey, \.secret] {
            for count in 0..<row[keyPath: part].count {
                var edited = row
                edited[keyPath: part] = Array(row[keyPath: part].prefix(count))
                #expect(try value(edited) == nil)
            }
            var edited = row
            edited[keyPath: part].append(0)
            #expect(try value(edited) == nil)
        }
    }

    @Test func `a row with another group, class, accessibility, flag or access control does not open`() throws {
        let row = try sealed()
        let edits: [(inout SealedRow) -> Void] = [
            { $0.binding.accessGroup = "other" },
            { $0.binding.itemClass = .internetPassword },
            { $0.binding.accessibility = 2 },
            { $0.binding.accessibility = 0 },
            { $0.binding.accessibility = 200 },
            { $0.binding.isSynchronizable = true },
            { $0.binding.isTombstone = true },
            { $0.binding.accessControl = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0] },
            { $0.binding.accessControl = [0] },
        ]
        for edit in edits {
            var edited = row
            edit(&edited)
            #expect(try value(edited) == nil)
        }
    }

    @Test func `a row with a blind column added, removed, moved or of another row does not open`() throws {
        let row = try sealed()
        let other = try sealed(account: "bob")
        var fewer = BlindColumns()
        var swapped = BlindColumns()
        var more = BlindColumns()
        var shifted = BlindColumns()
        let entries = stride(from: 0, to: row.blindColumns.bytes.count, by: 20).map { start in
            (
                key: AttributeKey(
                    rawValue: row.blindColumns.bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
                ),
                index: Array(row.blindColumns.bytes[(start + 4)..<(start + 20)])
            )
        }
        for (position, entry) in entries.enumerated() {
            if position > 0 { fewer.append(entry.key, entry.index) }
            more.append(entry.key, entry.index)
            swapped.append(entry.key, entry.key == "acct" ? Array(other.blindColumns["acct"] ?? []) : entry.index)
            shifted.append(entry.key, entries[(position + 1) % entries.count].index)
        }
        more.append("gena", [UInt8](repeating: 1, count: 16))
        for columns in [fewer, swapped, more, shifted, BlindColumns()] {
            var edited = row
            edited.blindColumns = columns
            #expect(try value(edited) == nil)
        }
    }

    enum Part: CaseIterable {
        case metadata, wrappedKey, secret, version

        var path: WritableKeyPath<SealedRow, [UInt8]> {
            switch self {
            case .metadata: \.metadata
            case .wrappedKey: \.wrappedKey
            case .secret: \.secret
            case .version: \.binding.version
            }
        }
    }

    @Test(arguments: Part.allCases)
    func `a part of another row, and of an older state of the same row, does not open`(part: Part) throws {
        let row = try sealed()
        let other = try sealed(account: "bob")
        let item = try vault.open(row, for: selection())
        var request = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        request.changes.secrets[.valueData] = SecretBytes(Array("newer".utf8))
        let newer = try vault.seal(policy.authorize(request, for: caller), of: item, now: 2000).row
        #expect(newer.uuid == row.uuid)
        #expect(try value(newer) == "newer")
        for (base, source) in [(row, other), (other, row), (row, newer), (newer, row)] {
            var mixed = base
            mixed[keyPath: part.path] = source[keyPath: part.path]
            #expect(try value(mixed) == nil)
        }
    }

    @Test func `the old secret and its key do not open with the new attributes`() throws {
        let row = try sealed()
        var request = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        request.changes.secrets[.valueData] = SecretBytes(Array("newer".utf8))
        let newer = try vault.seal(
            policy.authorize(request, for: caller),
            of: vault.open(row, for: selection()),
            now: 2000
        ).row
        var mixed = newer
        mixed.wrappedKey = row.wrappedKey
        mixed.secret = row.secret
        #expect(try value(mixed) == nil)
        mixed.binding.version = row.version
        #expect(try value(mixed) == nil)
    }

    /// The keys differ between keychains, classes and parts, too. Each field has to count even where they do not.
    @Test func `the associated data tells every two rows, keychains and parts apart`() throws {
        let row = try sealed()
        let keychain = ItemUUID()
        var longer = BlindColumns()
        longer.append("acct", [UInt8](repeating: 1, count: 16))
        let edits: [(inout SealedRow) -> Void] = [
            { $0.binding.uuid = ItemUUID() },
            { $0.binding.version = ItemUUID().bytes },
            { $0.binding.itemClass = .key },
            { $0.binding.accessibility = 3 },
            { $0.binding.isSynchronizable = true },
            { $0.binding.isTombstone = true },
            { $0.binding.accessGroup = "group2" },
            { $0.binding.accessControl = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0] },
            // A byte moves from one field to the next.
            {
                $0.binding.accessGroup = "grou"
                $0.binding.accessControl = Array("p".utf8)
            },
        ]
        let parts: [AssociatedData.Part] = [.wrappedKey, .metadata, .secret]
        let original = AssociatedData(row.binding, keychain: keychain)
        #expect(Set(parts.map { original.bytes(for: $0) }).count == 3)
        for part in parts {
            #expect(AssociatedData(row.binding, keychain: ItemUUID()).bytes(for: part) != original.bytes(for: part))
            for (index, edit) in edits.enumerated() {
                var edited = row
                edit(&edited)
                let data = AssociatedData(edited.binding, keychain: keychain)
                #expect(data.bytes(for: part) != original.bytes(for: part), "edit \(index)")
            }
        }
        var edited = row
        edited.blindColumns = longer
        let data = AssociatedData(edited.binding, keychain: keychain)
        #expect(
            data.bytes(for: .metadata, trailer: edited.blindColumns.bytes)
                != original.bytes(for: .metadata, trailer: row.blindColumns.bytes)
        )
    }

    @Test func `the associated data is that of the format's page`() throws {
        var columns = BlindColumns()
        columns.append("acct", [UInt8](repeating: 0xBB, count: 16))
        let uuid = try #require(ItemUUID([UInt8](repeating: 0x22, count: 16)))
        let keychain = try #require(ItemUUID([UInt8](repeating: 0x11, count: 16)))
        let row = SealedRow(
            binding: ItemBinding(
                itemClass: .genericPassword,
                uuid: uuid,
                version: [UInt8](repeating: 0x33, count: 16),
                accessGroup: "ab",
                accessibility: 2,
                isSynchronizable: true,
                isTombstone: false,
                accessControl: [9]
            ),
            blindColumns: columns
        )
        let common: [UInt8] =
            [1] + keychain.bytes + uuid.bytes + row.version + Array("genp".utf8) + [2, 1, 0]
            + [0, 0, 0, 2] + Array("ab".utf8) + [0, 0, 0, 1, 9]
        let data = AssociatedData(row.binding, keychain: keychain)
        #expect(data.bytes(for: .wrappedKey) == [1] + common)
        #expect(
            data.bytes(for: .metadata, trailer: columns.bytes)
                == [2] + common + Array("acct".utf8) + [UInt8](repeating: 0xBB, count: 16)
        )
        #expect(data.bytes(for: .secret) == [3] + common)
    }

    @Test func `ciphertexts do not pass for each other`() throws {
        let row = try sealed()
        for (target, source) in [
            (\SealedRow.metadata, \SealedRow.secret), (\.secret, \.metadata), (\.wrappedKey, \.metadata),
        ] {
            var edited = row
            edited[keyPath: target] = row[keyPath: source]
            #expect(try value(edited) == nil)
        }
    }

    @Test func `a row of another keychain does not open`() throws {
        let other = try SealingTests()
        #expect(try other.value(sealed()) == nil)
    }

    @Test func `a row outside the caller's groups is not opened`() throws {
        let row = try sealed()
        let stranger = Caller(name: "stranger", groups: AccessGroups(["strange"]))
        let selection = try policy.authorize(FindRequest(query: ItemQuery(itemClass: .genericPassword)), for: stranger)
        #expect(throws: KeychainError(.itemNotFound, "")) { try vault.open(row, for: selection.selection) }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let pattern = Array(text.utf8)
        guard count >= pattern.count else { return false }
        return (0...(count - pattern.count)).contains { self[$0..<($0 + pattern.count)].elementsEqual(pattern) }
    }
}

extension BlindColumns {
    fileprivate mutating func append(_ key: AttributeKey, _ index: [UInt8]) {
        index.withUnsafeBytes { append(key, $0) }
    }
}

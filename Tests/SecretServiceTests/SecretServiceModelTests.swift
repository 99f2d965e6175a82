import Crypto
import Foundation
import KeychainModel
import MessageBus
import SecretServiceModel
import Testing

/// What clients of the Secret Service rely on.
@Suite struct SecretServiceModelTests {
    private var keychain = ModelKeychain()
    private let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    private let root = ModelKeychain.root
    private let login = ModelKeychain.login

    @Test mutating func `an item is found by any subset of its attributes, and by none that it lacks`() throws {
        let session = try keychain.session()
        let item = keychain.create([("server", "a"), ("user", "b"), ("xdg:schema", "c")], session: session).path
        for subset in [[], [("server", "a")], [("user", "b"), ("xdg:schema", "c")]] as [[(String, String)]] {
            #expect(try keychain.search(subset).unlocked == [item])
        }
        for other in [[("server", "A")], [("server", "a"), ("port", "1")], [("serve", "ra")], [("", "")]] {
            #expect(try keychain.search(other).unlocked == [])
        }
        #expect(keychain.secret(of: item, session: session).secret == "secret")
    }

    @Test mutating func `attributes are bytes: a letter that is composed otherwise is another one`() throws {
        let session = try keychain.session()
        let item = keychain.create([("name", "caf\u{E9}")], session: session).path
        #expect(try keychain.search([("name", "caf\u{E9}")]).unlocked == [item])
        #expect(try keychain.search([("name", "cafe\u{301}")]).unlocked == [])
    }

    @Test mutating func `a replacement takes exactly equal attributes, and keeps path and date`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], "old", session: session).path
        let larger = keychain.create([("a", "1"), ("b", "2")], "larger", session: session, replaces: true).path
        #expect(larger != item)
        keychain.now += 60
        #expect(keychain.create([("a", "1")], "new", session: session, replaces: true).path == item)
        #expect(keychain.secret(of: item, session: session).secret == "new")
        #expect(keychain.secret(of: larger, session: session).secret == "larger")
        let created = keychain.call(item, Properties.get, [.string(""), .string("Created")]).values
        #expect(created == [.variant(.uint64(1_000))])
    }

    @Test mutating func `without replacement duplicates are legal, and the newest comes first`() throws {
        let session = try keychain.session()
        let first = keychain.create([("a", "1")], "one", session: session).path
        keychain.now += 1
        let second = keychain.create([("a", "1")], "two", session: session).path
        #expect(first != second)
        #expect(try keychain.search([("a", "1")]).unlocked == [second, first])
    }

    @Test mutating func `default, login and session are objects, whose items have canonical paths`() throws {
        let session = try keychain.session()
        for (alias, collection) in [("default", "login"), ("login", "login"), ("session", "session")] {
            let path = keychain.create([("in", alias)], in: root + "/aliases/" + alias, session: session).path
            #expect(path.hasPrefix(root + "/collection/\(collection)/"))
            #expect(keychain.call(root, Service.readAlias, [.string(alias)]).path == root + "/collection/" + collection)
            let found = keychain.call(
                root + "/aliases/" + alias,
                Collection.searchItems,
                [ModelKeychain.attributes([("in", alias)])]
            )
            #expect(found.values.first?.paths == [path])
        }
        #expect(keychain.call(root, Service.readAlias, [.string("other")]).path == "/")
    }

    @Test mutating func `what is in the session's collection never reaches the keychain`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], in: root + "/aliases/session", session: session).path
        #expect(keychain.secret(of: item, session: session).secret == "secret")
        #expect(keychain.secrets.isEmpty)
        #expect(keychain.call(item, Item.delete).path == "/")
        #expect(keychain.secret(of: item, session: session).error == unknownMethod)
    }

    @Test
    mutating func `a collection is made, named, found by its alias, renamed and deleted, and listeners hear of it`()
        throws
    {
        let properties = BusValue.properties([("org.freedesktop.Secret.Collection.Label", .string("Münze 1"))])
        let path = keychain.call(root, Service.createCollection, [properties, .string("coins")]).path
        #expect(path == root + "/collection/M_c3_bcnze_201")
        #expect(keychain.signals("CollectionCreated").last?.arguments == [.path(path)])
        // A second one of that alias is the first.
        #expect(keychain.call(root, Service.createCollection, [properties, .string("coins")]).path == path)
        let other = keychain.call(root, Service.createCollection, [properties, .string("")]).path
        #expect(other == path + "_1")
        let set = keychain.call(
            path,
            Properties.set,
            [.string("org.freedesktop.Secret.Collection"), .string("Label"), .variant(.string("Coins"))]
        )
        #expect(set == .values([]))
        let label = keychain.call(path, Properties.get, [.string(""), .string("Label")])
        #expect(label == .values([.variant(.string("Coins"))]))
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], in: path, session: session).path
        #expect(keychain.call(path, Collection.delete).path == "/")
        #expect(keychain.signals("CollectionDeleted").last?.arguments == [.path(path)])
        #expect(keychain.secret(of: item, session: session).error == unknownMethod)
        #expect(keychain.call(root, Service.readAlias, [.string("coins")]).path == "/")
        #expect(keychain.secrets.isEmpty)
        #expect(keychain.call(login, Collection.delete).error == "org.freedesktop.DBus.Error.NotSupported")
    }

    @Test mutating func `a deleted item is gone for all, and its collection says so`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], session: session).path
        #expect(keychain.call(item, Item.delete).path == "/")
        #expect(keychain.signals("ItemDeleted").map(\.arguments) == [[.path(item)]])
        for (method, arguments) in [
            (Item.getSecret, [.path(session)]), (Item.delete, []), (Properties.getAll, [.string("")]),
        ] as [(String, [BusValue])] {
            #expect(keychain.call(item, method, arguments).error == unknownMethod)
        }
        #expect(try keychain.search([]).unlocked == [])
    }

    @Test mutating func `GetSecrets leaves out what is not there, and answers each path as it was asked`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], session: session).path
        let id = item.split(separator: "/").last.map(String.init) ?? ""
        let alias = root + "/aliases/default/" + id
        let reply = keychain.call(
            root,
            Service.getSecrets,
            [
                .array(of: "o", [item, alias, root + "/collection/login/none", "/other"].map(BusValue.path)),
                .path(session),
            ]
        )
        guard case .array(of: "{o(oayays)}", let entries) = reply.values.first else { throw Unexpected(reply) }
        let paths = entries.compactMap { if case .entry(.path(let path), _) = $0 { path } else { nil } }
        #expect(paths == [item, alias])
    }

    @Test mutating func `properties of an item are read one by one and all, and those that clients set are set`() throws
    {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], label: "old", session: session).path
        let interface = BusValue.string("org.freedesktop.Secret.Item")
        let set = keychain.call(
            item,
            Properties.set,
            [interface, .string("Attributes"), .variant(ModelKeychain.attributes([("b", "2")]))]
        )
        #expect(set == .values([]))
        #expect(
            keychain.call(item, Properties.set, [interface, .string("Label"), .variant(.string("new"))]) == .values([])
        )
        #expect(try keychain.search([("a", "1")]).unlocked == [])
        #expect(try keychain.search([("b", "2")]).unlocked == [item])
        let all = keychain.call(item, Properties.getAll, [interface]).values
        #expect(
            all == [
                .properties([
                    ("Locked", .bool(false)), ("Attributes", ModelKeychain.attributes([("b", "2")])),
                    ("Label", .string("new")), ("Created", .uint64(1_000)), ("Modified", .uint64(1_000)),
                ])
            ]
        )
        #expect(keychain.signals("ItemChanged").count == 2)
        let locked = keychain.call(item, Properties.set, [interface, .string("Locked"), .variant(.bool(true))])
        #expect(locked.error == "org.freedesktop.DBus.Error.PropertyReadOnly")
        let other = keychain.call(item, Properties.get, [interface, .string("Other")])
        #expect(other.error == "org.freedesktop.DBus.Error.UnknownProperty")
    }

    @Test mutating func `an old client's type becomes the schema, unless the attributes name one`() throws {
        let session = try keychain.session()
        for (attributes, schema) in [([], "old"), ([("xdg:schema", "new")], "new")] as [([(String, String)], String)] {
            let reply = keychain.call(
                login,
                Collection.createItem,
                [
                    .properties([
                        ("org.freedesktop.Secret.Item.Attributes", ModelKeychain.attributes(attributes)),
                        ("org.freedesktop.Secret.Item.Type", .string("old")),
                    ]), ModelKeychain.secret("x", session), .bool(false),
                ]
            )
            #expect(try keychain.search([("xdg:schema", schema)]).unlocked == [reply.path])
        }
    }

    @Test mutating func `a changed secret keeps the content type that came with it`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], session: session).path
        let set = keychain.call(item, Item.setSecret, [ModelKeychain.secret("\u{0}x", session, type: "image/png")])
        #expect(set == .values([]))
        let reply = keychain.secret(of: item, session: session)
        #expect(reply.secret == "\u{0}x")
        guard case .structure(let fields) = reply.values.first else { throw Unexpected(reply) }
        #expect(fields.last == .string("image/png"))
    }

    @Test mutating func `a new secret leaves the codes of the attributes alone, and new attributes get their own`()
        throws
    {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], session: session).path
        keychain.waits = true
        _ = keychain.create([("a", "1")], "new", session: session, replaces: true)
        keychain.call(item, Item.setSecret, [ModelKeychain.secret("newer", session)])
        let interface = BusValue.string("org.freedesktop.Secret.Item")
        let attributes = BusValue.variant(ModelKeychain.attributes([("b", "2")]))
        keychain.call(item, Properties.set, [interface, .string("Attributes"), attributes])
        let changes = keychain.open.compactMap {
            if case .change(_, let change, _) = $0.request { change } else { nil }
        }
        #expect(changes.map { $0.blind != nil } == [false, false, true])
        keychain.answer()
        #expect(try keychain.search([("b", "2")]).unlocked == [item])
    }

    @Test mutating func `what a session needs is made ahead, and once for each`() throws {
        let session = [
            BusValue.string("dh-ietf1024-sha256-aes128-cbc-pkcs7"), .variant(.bytes([UInt8](repeating: 5, count: 128))),
        ]
        for _ in 0..<2 {
            #expect(!keychain.service.isPrepared)
            keychain.service.prepare()
            #expect(keychain.service.isPrepared)
            #expect(keychain.call(ModelKeychain.root, Service.openSession, session).values.count == 2)
        }
        #expect(!keychain.service.isPrepared)
    }

    @Test mutating func `what the keychain refuses is refused on the bus, and changes nothing`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], session: session).path
        keychain.failure = KeychainError(.diskFull, "the disk is full")
        let new = keychain.create([("b", "2")], session: session)
        #expect(new.error == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(keychain.call(item, Item.delete).error == "org.freedesktop.DBus.Error.LimitsExceeded")
        keychain.failure = nil
        #expect(try keychain.search([]).unlocked == [item])
    }

    @Test mutating func `changes that were made elsewhere are told and found`() throws {
        let key = SymmetricKey(size: .bits256)
        var stored = StoredSecrets(key: key)
        let attributes = try SecretAttributes([SecretAttributes.Pair(name: "a", value: "1")])
        let item = StoredSecret(
            id: SecretItemID(collection: "other", item: "x1"),
            label: "x",
            details: ItemDetails(attributes: attributes, contentType: "text/plain"),
            blind: BlindAttributes(attributes, key: key),
            created: 1,
            modified: 1
        )
        stored.collections = [StoredCollection(id: "other", label: "Other")]
        stored.items = [item]
        stored.aliases = ["work": "other"]
        keychain.take(keychain.service.load(stored))
        let path = root + "/collection/other/x1"
        #expect(try keychain.search([("a", "1")]).unlocked == [path])
        #expect(keychain.signals("ItemCreated").map(\.arguments) == [[.path(path)]])
        #expect(keychain.call(root, Service.readAlias, [.string("work")]).path == root + "/collection/other")
        // The same once more is no news.
        keychain.forgetSignals()
        keychain.take(keychain.service.load(stored))
        #expect(keychain.signals.isEmpty)
        stored.collections = []
        stored.items = []
        keychain.take(keychain.service.load(stored))
        #expect(try keychain.search([("a", "1")]).unlocked == [])
        #expect(keychain.signals("CollectionDeleted").count == 1)
    }

    /// What a signal says of the items of a collection.
    private func lists() -> [[String]] {
        keychain.signals("PropertiesChanged").filter { $0.path == login }.compactMap { signal in
            guard case .array(_, let entries) = signal.arguments[1], case .entry(_, .variant(let value)) = entries.first
            else { return nil }
            return value.paths
        }
    }

    @Test mutating func `a collection tells its list of items when it changes, and once in a second at most`() throws {
        let session = try keychain.session()
        let first = keychain.create([("a", "1")], session: session).path
        #expect(lists() == [[first]])
        let second = keychain.create([("a", "2")], session: session).path
        let third = keychain.create([("a", "3")], session: session).path
        #expect(lists() == [[first]])
        #expect(keychain.service.nextDeadline == keychain.now + 1)
        keychain.pass(1)
        #expect(lists() == [[first], [first, second, third]])
        #expect(keychain.service.nextDeadline == nil)
        keychain.pass(1)
        _ = keychain.call(first, Item.delete)
        #expect(lists().last == [second, third] && lists().count == 3)
        // A change of an item does not change the list.
        keychain.pass(1)
        #expect(keychain.create([("a", "2")], session: session, replaces: true).path == second)
        #expect(lists().count == 3 && keychain.signals("ItemChanged").count == 1)
    }

    @Test mutating func `a collection that is too large for a signal says that its list is another one`() throws {
        let key = SymmetricKey(size: .bits256)
        var stored = StoredSecrets(key: key)
        let details = ItemDetails(attributes: try SecretAttributes([]), contentType: "")
        let blind = BlindAttributes(details.attributes, key: key)
        stored.items = (0...SecretLimits.itemsListed).map { number in
            let id = SecretItemID(collection: "login", item: "x\(number)")
            return StoredSecret(id: id, label: "", details: details, blind: blind, created: 1, modified: 1)
        }
        keychain.take(keychain.service.load(stored))
        let told = try #require(keychain.signals("PropertiesChanged").last { $0.path == login })
        #expect(
            told.arguments == [
                .string("org.freedesktop.Secret.Collection"), .properties([]), .array(of: "s", [.string("Items")]),
            ]
        )
    }

    @Test(arguments: [
        ("/", ["org"]), ("/org", ["freedesktop"]), ("/org/freedesktop", ["secrets"]),
        ("/org/freedesktop/secrets", ["aliases", "collection", "prompt", "session"]),
        ("/org/freedesktop/secrets/collection", ["session", "login"]),
        ("/org/freedesktop/secrets/aliases", ["default", "login", "session"]),
        ("/org/freedesktop/secrets/session", ["1"]), ("/org/freedesktop/secrets/prompt", []),
    ])
    mutating func `each object leads to those below it`(path: String, names: [String]) throws {
        _ = try keychain.session()
        _ = try keychain.session(of: ":1.2")
        let reply = keychain.call(path, "org.freedesktop.DBus.Introspectable.Introspect")
        guard case .string(let text) = reply.values.first else { throw Unexpected(reply) }
        let nodes = text.components(separatedBy: "<node name=\"").dropFirst().compactMap {
            $0.components(separatedBy: "\"").first
        }
        #expect(Set(nodes) == Set(names) && nodes.count == names.count)
    }

    @Test mutating func `objects that are not there, and others' sessions, have no description`() throws {
        _ = try keychain.session(of: ":1.2")
        for path in ["/session/1", "/session/9", "/collection/none", "/collection/login/none", "/nothing", "/prompt/1"]
        {
            let reply = keychain.call(root + path, "org.freedesktop.DBus.Introspectable.Introspect")
            #expect(reply.error == unknownMethod, "\(path)")
        }
    }
}

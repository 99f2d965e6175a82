import Crypto
import KeychainModel
import MessageBus
import SecretServiceModel
import Testing

/// Locks and prompts.
@Suite struct SecretLockTests {
    private var keychain = ModelKeychain()
    private let root = ModelKeychain.root
    private let login = ModelKeychain.login
    private let session: String
    private let item: String

    init() throws {
        session = try keychain.session()
        item = keychain.create([("a", "1")], session: session).path
        keychain.take(keychain.service.lockChanged(to: .unlocked))
        keychain.forgetSignals()
    }

    private mutating func lock() {
        keychain.take(keychain.service.lockChanged(to: .locked))
    }

    private mutating func unlock(_ paths: [String], from client: String = ":1.1") -> (
        unlocked: [String], prompt: String
    ) {
        let values = keychain.call(root, Service.unlock, [.array(of: "o", paths.map(BusValue.path))], from: client)
            .values
        guard values.count == 2, case .path(let prompt) = values[1] else { return ([], "") }
        return (values[0].paths, prompt)
    }

    @Test mutating func `a search lists locked items, and their secrets are refused`() throws {
        lock()
        #expect(try keychain.search([("a", "1")]) == ([], [item]))
        #expect(keychain.secret(of: item, session: session).error == "org.freedesktop.Secret.Error.IsLocked")
        #expect(keychain.create([("b", "2")], session: session).error == "org.freedesktop.Secret.Error.IsLocked")
        let reply = keychain.call(root, Service.getSecrets, [.array(of: "o", [.path(item)]), .path(session)])
        #expect(reply == .values([.array(of: "{o(oayays)}", [])]))
    }

    @Test mutating func `an unlock echoes each path as it was asked, also an alias, and completes after its answer`()
        throws
    {
        lock()
        let paths = [item, root + "/aliases/default", login, login]
        let (unlocked, prompt) = unlock(paths)
        #expect(unlocked == [])
        #expect(prompt.hasPrefix(root + "/prompt/"))
        keychain.waits = true
        #expect(keychain.call(prompt, Prompt.prompt, [.string("")]) == .values([]))
        #expect(keychain.signals("Completed").isEmpty)
        keychain.answer()
        let completed = try #require(keychain.signals("Completed").last)
        #expect(completed.destination == ":1.1")
        #expect(completed.arguments == [.bool(false), .variant(.paths(paths))])
        keychain.waits = false
        #expect(keychain.secret(of: item, session: session).secret == "secret")
        #expect(unlock(paths).unlocked == paths)
        #expect(keychain.call(prompt, Prompt.dismiss).error == "org.freedesktop.DBus.Error.UnknownMethod")
    }

    @Test mutating func `paths that are unlocked or unknown need no prompt`() {
        #expect(unlock([item, login]) == ([item, login], "/"))
        #expect(unlock(["/nothing", root + "/collection/none"]) == ([], "/"))
    }

    @Test mutating func `an owner who says no, or who cannot be asked, leaves it locked, and the client hears at once`()
    {
        lock()
        let (_, prompt) = unlock([login])
        keychain.failure = KeychainError(.interactionNotAllowed, "nobody can be asked")
        keychain.call(prompt, Prompt.prompt, [.string("")])
        #expect(keychain.signals("Completed").last?.arguments == [.bool(true), .variant(.paths([]))])
        #expect(keychain.secret(of: item, session: session).error == "org.freedesktop.Secret.Error.IsLocked")
    }

    @Test mutating func `a dismissed prompt takes the question back, and what comes of it later counts for nothing`()
        throws
    {
        lock()
        let (_, prompt) = unlock([login])
        keychain.waits = true
        keychain.call(prompt, Prompt.prompt, [.string("")])
        #expect(keychain.call(prompt, Prompt.dismiss) == .values([]))
        #expect(keychain.withdrawn.count == 1)
        #expect(keychain.signals("Completed").map(\.arguments) == [[.bool(true), .variant(.paths([]))]])
        keychain.answer()
        #expect(keychain.signals("Completed").count == 1)
        #expect(try keychain.search([("a", "1")]).locked == [item])
    }

    @Test mutating func `a prompt that nobody begins is over after three minutes`() {
        lock()
        let (_, prompt) = unlock([login])
        keychain.pass(179)
        #expect(keychain.signals("Completed").isEmpty)
        keychain.pass(1)
        #expect(keychain.signals("Completed").last?.arguments.first == .bool(true))
        #expect(keychain.call(prompt, Prompt.prompt, [.string("")]).error == "org.freedesktop.DBus.Error.UnknownMethod")
    }

    @Test mutating func `a client locks a collection, and it opens by a prompt`() throws {
        let reply = keychain.call(root, Service.lock, [.array(of: "o", [.path(item)])])
        #expect(reply == .values([.paths([item]), .path("/")]))
        #expect(try keychain.search([("a", "1")]).locked == [item])
        #expect(keychain.signals("CollectionChanged").last?.arguments == [.path(login)])
        let (_, prompt) = unlock([login])
        keychain.call(prompt, Prompt.prompt, [.string("")])
        #expect(try keychain.search([("a", "1")]).unlocked == [item])
    }

    @Test mutating func `the prompt of an unlock names every collection that it opens, once`() {
        let mine = keychain.call(
            root,
            Service.createCollection,
            [.properties([("org.freedesktop.Secret.Collection.Label", .string("Mail"))]), .string("")]
        ).path
        keychain.call(root, Service.lock, [.array(of: "o", [.path(mine), .path(login)])])
        let (_, prompt) = unlock([mine, login, item, mine])
        keychain.call(prompt, Prompt.prompt, [.string("")])
        let both = ["Mail", "Login"].map { AccessReason.Collection(id: $0 == "Mail" ? $0 : "login", label: $0) }
        #expect(keychain.asked.map(\.collections) == [both])
        #expect(keychain.asked.map(\.verb) == [.unlocks])
    }

    @Test mutating func `an alias that moves while its owner is asked unlocks what the prompt named`() throws {
        let mine = keychain.call(root, Service.createCollection, [.properties([]), .string("x")]).path
        keychain.call(root, Service.lock, [.array(of: "o", [.path(mine), .path(login)])])
        let (_, prompt) = unlock([root + "/aliases/x"])
        keychain.waits = true
        keychain.call(prompt, Prompt.prompt, [.string("")])
        keychain.waits = false
        #expect(keychain.call(root, Service.setAlias, [.string("x"), .path(login)], from: ":1.2").error == nil)
        keychain.answer()
        #expect(try keychain.search([("a", "1")]).locked == [item])
        // The control: what was named is open.
        #expect(unlock([mine]) == ([mine], "/"))
    }

    // MARK: - Protected collections

    private mutating func protect(_ label: String = "Login") {
        var stored = StoredSecrets(key: SymmetricKey(size: .bits256))
        stored.collections = [StoredCollection(id: "login", label: label, isProtected: true)]
        keychain.take(keychain.service.load(stored))
        keychain.forgetSignals()
    }

    private mutating func rename(_ collection: String) -> String? {
        keychain.call(
            collection,
            Properties.set,
            [.string("org.freedesktop.Secret.Collection"), .string("Label"), .variant(.string("Mail of your bank"))]
        ).error
    }

    @Test mutating func `a collection that is protected or locked keeps the name by which its owner is asked`() {
        #expect(rename(login) == nil)
        keychain.call(root, Service.lock, [.array(of: "o", [.path(login)])])
        #expect(rename(login) == "org.freedesktop.Secret.Error.IsLocked")
        let (_, prompt) = unlock([login])
        keychain.call(prompt, Prompt.prompt, [.string("")])
        protect()
        #expect(rename(login) == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test mutating func `what programs take by default stays the collection that is protected`() {
        protect()
        let other = keychain.call(root, Service.createCollection, [.properties([]), .string("")]).path
        let move: [BusValue] = [.string("default"), .path(other)]
        #expect(keychain.call(root, Service.setAlias, move).error == "org.freedesktop.DBus.Error.AccessDenied")
        #expect(keychain.call(root, Service.readAlias, [.string("default")]).path == login)
        #expect(keychain.call(root, Service.setAlias, [.string("default"), .path("/")]).error != nil)
        // The controls: nothing is moved, and another name.
        #expect(keychain.call(root, Service.setAlias, [.string("default"), .path(login)]).error == nil)
        #expect(keychain.call(root, Service.setAlias, [.string("mail"), .path(login)]).error == nil)
    }

    @Test mutating func `an item of a protected collection is deleted when its owner says so`() throws {
        var stored = StoredSecrets(key: SymmetricKey(size: .bits256))
        stored.collections = [StoredCollection(id: "login", label: "Login", isProtected: true)]
        let attributes = try SecretAttributes([SecretAttributes.Pair(name: "a", value: "1")])
        stored.items = [
            StoredSecret(
                id: SecretItemID(collection: "login", item: "x"),
                label: "Bank",
                details: ItemDetails(attributes: attributes, contentType: ""),
                blind: BlindAttributes(attributes, key: stored.key),
                created: 1,
                modified: 1
            )
        ]
        keychain.take(keychain.service.load(stored))
        keychain.forgetSignals()
        let prompt = keychain.call(login + "/x", Item.delete).path
        #expect(prompt.hasPrefix(root + "/prompt/"))
        #expect(keychain.signals("ItemDeleted").isEmpty)
        keychain.call(prompt, Prompt.prompt, [.string("")])
        #expect(keychain.signals("ItemDeleted").count == 1)
        #expect(keychain.asked.map(\.verb) == [.deletes] && keychain.asked.map(\.item) == ["Bank"])
    }

    @Test mutating func `a protected collection is deleted when its owner says so`() throws {
        let other = keychain.call(root, Service.createCollection, [.properties([]), .string("")]).path
        let id = try #require(other.split(separator: "/").last.map(String.init))
        var stored = StoredSecrets(key: SymmetricKey(size: .bits256))
        stored.collections = [StoredCollection(id: id, label: "", isProtected: true)]
        keychain.take(keychain.service.load(stored))
        let prompt = keychain.call(other, Collection.delete).path
        #expect(prompt.hasPrefix(root + "/prompt/"))
        #expect(keychain.signals("CollectionDeleted").isEmpty)
        keychain.call(prompt, Prompt.prompt, [.string("")])
        #expect(keychain.signals("CollectionDeleted").count == 1)
        #expect(keychain.asked.map(\.verb) == [.deletes])
    }

    @Test mutating func `without a passcode there is nobody to ask, and an unlock is done at once`() throws {
        keychain.take(keychain.service.lockChanged(to: .withoutPasscode))
        keychain.call(root, Service.lock, [.array(of: "o", [.path(login)])])
        #expect(try keychain.search([("a", "1")]).locked == [item])
        #expect(unlock([login]) == ([login], "/"))
        #expect(try keychain.search([("a", "1")]).unlocked == [item])
    }

    @Test mutating func `without a passcode a locked collection is deleted, and keeps its label until then`() throws {
        let label = [("org.freedesktop.Secret.Collection.Label", BusValue.string("x"))]
        let other = keychain.call(root, Service.createCollection, [.properties(label), .string("")]).path
        keychain.take(keychain.service.lockChanged(to: .withoutPasscode))
        keychain.call(root, Service.lock, [.array(of: "o", [.path(other)])])
        let renamed = keychain.call(
            other,
            Properties.set,
            [.string("org.freedesktop.Secret.Collection"), .string("Label"), .variant(.string("y"))]
        )
        #expect(renamed.error == "org.freedesktop.Secret.Error.IsLocked")
        #expect(keychain.call(other, Collection.delete).path == "/")
        #expect(keychain.signals("CollectionDeleted").map(\.arguments) == [[.path(other)]])
        #expect(keychain.asked.isEmpty)
    }

    @Test mutating func `a lock is told of each item, once in a second at most`() {
        func told() -> [BusValue] {
            keychain.signals("PropertiesChanged").filter { $0.path == item }.map { $0.arguments[1] }
        }
        lock()
        #expect(told() == [.properties([("Locked", .bool(true))])])
        #expect(keychain.signals("ItemChanged").map(\.arguments) == [[.path(item)]])
        for _ in 0..<100 {
            keychain.take(keychain.service.lockChanged(to: .unlocked))
            lock()
        }
        keychain.take(keychain.service.lockChanged(to: .unlocked))
        #expect(told().count == 1)
        keychain.pass(1)
        #expect(told().last == .properties([("Locked", .bool(false))]) && told().count == 2)
    }

    @Test mutating func `a locked item is deleted by a prompt`() throws {
        lock()
        let prompt = keychain.call(item, Item.delete).path
        #expect(prompt.hasPrefix(root + "/prompt/"))
        keychain.call(prompt, Prompt.prompt, [.string("")])
        #expect(keychain.signals("Completed").last?.arguments == [.bool(false), .variant(.string(""))])
        #expect(try keychain.search([]).unlocked == [])
    }

    @Test mutating func `before the first unlock items are found by codes that tell nothing of their attributes`()
        throws
    {
        let key = SymmetricKey(size: .bits256)
        let attributes = try SecretAttributes([
            SecretAttributes.Pair(name: "server", value: "a"), SecretAttributes.Pair(name: "user", value: "b"),
        ])
        let blind = BlindAttributes(attributes, key: key)
        var stored = StoredSecrets(key: key)
        stored.lock = .locked
        var secret = StoredSecret(
            id: SecretItemID(collection: "login", item: "x"),
            label: "",
            details: nil,
            blind: try #require(BlindAttributes(serialized: blind.serialized)),
            created: 1,
            modified: 1
        )
        stored.items = [secret]
        var keychain = ModelKeychain(stored)
        let path = login + "/x"
        for subset in [[], [("server", "a")], [("user", "b")], [("user", "b"), ("server", "a")]] as [[(String, String)]]
        {
            #expect(try keychain.search(subset) == ([], [path]))
        }
        for other in [[("server", "b")], [("user", "b"), ("port", "1")]] as [[(String, String)]] {
            #expect(try keychain.search(other) == ([], []))
        }
        #expect(!blind.serialized.contains(Array("server".utf8)))
        // And by their attributes once they can be read, with no signal that they had changed.
        secret.details = ItemDetails(attributes: attributes, contentType: "")
        stored.items = [secret]
        stored.lock = .unlocked
        keychain.take(keychain.service.load(stored))
        #expect(try keychain.search([("user", "b")]) == ([path], []))
        #expect(keychain.signals("ItemCreated").isEmpty)
        let changed = keychain.signals("PropertiesChanged").filter { $0.path == path }.map { $0.arguments[1] }
        #expect(changed == [.properties([("Locked", .bool(false))])])
    }
}

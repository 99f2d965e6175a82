import ArgumentParser
import KeychainModel
import SecretServiceModel
import Terminal

struct ProtectCollection: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "protect",
        abstract: "Have the owner confirm when a program reads a collection's secrets for the first time."
    )

    @Argument(help: "The collection: its label or its id, such as login.")
    var collection: String

    func run() throws {
        try CollectionProtection(of: collection).set(true)
    }
}

struct UnprotectCollection: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unprotect",
        abstract: "Let programs read a collection's secrets without asking. The owner confirms this once."
    )

    @Argument(help: "The collection: its label or its id, such as login.")
    var collection: String

    func run() throws {
        try CollectionProtection(of: collection).set(false)
    }
}

/// Changes what the items of a collection demand: the enclave keeps to it, whoever reads them.
private struct CollectionProtection {
    private let secrets: KeychainSecrets
    private let collection: StoredCollection
    private let hasPasscode: Bool

    init(of name: String) throws {
        secrets = try KeychainSecrets(callers: BusCallers())
        let stored = try secrets.load()
        guard stored.lock != .locked else { throw Failure("the keychain is locked; chatelaine unlock opens it") }
        var collections = stored.collections.filter { $0.id != SecretService.portalID }
        if !collections.contains(where: { $0.id == "login" }) {
            collections.append(StoredCollection(id: "login", label: "Login"))
        }
        let matches = collections.filter { $0.id == name } + collections.filter { $0.id != name && $0.label == name }
        guard let collection = matches.first else { throw Failure("there is no collection “\(name)”") }
        guard matches.count == 1 else { throw Failure("several collections are called so; name it by its id") }
        self.collection = collection
        hasPasscode = stored.lock != .withoutPasscode
    }

    /// The collection's items as they are now.
    private func items() throws -> [SecretItemID] {
        try secrets.load().items.map(\.id).filter { $0.collection == collection.id }
    }

    private static let mostRounds = 10

    func set(_ isProtected: Bool) throws {
        var changed = collection
        changed.isProtected = isProtected
        let context = try secrets.keychain.makeContext()
        // Also where no item would ask: what is stored in the collection later is open, too.
        if !isProtected, collection.isProtected, hasPasscode {
            var request = PresenceRequest(.owner)
            request.prompt.reason = "take away the protection of the collection \(collection.id.prefix(36))"
            try context.evaluate(request)
        }
        // Before its items: what is added meanwhile is protected, too.
        if isProtected { try secrets.save(changed) }
        var items: Set<SecretItemID> = []
        // Again, for what was added by a service that had not heard of it yet.
        for _ in 0..<Self.mostRounds {
            let more = try Set(self.items()).subtracting(items)
            if more.isEmpty { break }
            try secrets.setProtection(isProtected, of: Array(more), in: context)
            items.formUnion(more)
        }
        if !isProtected { try secrets.save(changed) }
        guard try secrets.load().collections.contains(where: { $0.id == changed.id && $0.isProtected == isProtected })
        else { throw Failure("another program has changed “\(collection.label)” meanwhile; try again") }
        let count = items.count == 1 ? "1 item" : "\(items.count) items"
        print("“\(collection.label)” (\(count)) is \(isProtected ? "protected" : "not protected any more").")
    }
}

import KeychainModel
import MessageBus

/// `org.freedesktop.Secret.Collection`.
extension SecretService {
    mutating func answerCollection(_ call: BusCall, id: String) throws(BusError) {
        var arguments = BusArguments(call)
        switch call.member {
        case "Delete":
            try arguments.end()
            try deleteCollection(call, id)
        case "SearchItems":
            let attributes = try arguments.attributes()
            try arguments.end()
            reply(call, [.paths(search(attributes, in: id))])
        case "CreateItem":
            let properties = try arguments.properties()
            let secret = try arguments.secret()
            let replaces = try arguments.bool()
            try arguments.end()
            try createItem(call, in: id, properties, secret, replaces: replaces)
        default: throw .noSuchMethod
        }
    }

    private mutating func deleteCollection(_ call: BusCall, _ id: String) throws(BusError) {
        // They are always there.
        guard id != Self.sessionID, id != Self.loginID else {
            throw .notSupported("this collection cannot be deleted")
        }
        // One of the same name would have to be protected anew. Without a passcode there is nobody to ask.
        let isProtected = collections[id]?.stored.isProtected == true
        if isProtected || isLocked(id) && lock != .withoutPasscode {
            return reply(call, [.path(try newPrompt(.deleteCollection(id), for: call.sender))])
        }
        removeCollection(id, for: call.sender) { service, error in
            if let error { return service.reply(call, .failure(BusError(error))) }
            service.reply(call, [.path(SecretObject.none)])
        }
    }

    mutating func removeCollection(
        _ id: String,
        for client: String,
        _ goOn: @escaping @Sendable (inout SecretService, KeychainError?) -> Void
    ) {
        let items = collections[id]?.inOrder.map(\.stored.id) ?? []
        _ = ask(for: client, .removeCollection(id, items)) { service, result in
            if case .failure(let error) = result { return goOn(&service, error) }
            service.drop(id)
            goOn(&service, nil)
        }
    }

    private mutating func createItem(
        _ call: BusCall,
        in collection: String,
        _ properties: [String: BusValue],
        _ transferred: TransferredSecret,
        replaces: Bool
    ) throws(BusError) {
        let label = try label(properties["\(SecretInterface.item).Label"])
        var wanted = SecretAttributes.none
        if let value = properties["\(SecretInterface.item).Attributes"] { wanted = try SecretAttributes(value) }
        // What clients of an older version of the interface call it.
        if let type = properties["\(SecretInterface.item).Type"]?.text {
            wanted = try wanted.adding("xdg:schema", type)
        }
        let secret = try open(transferred, of: call.sender)
        guard !isLocked(collection) else { throw .isLocked }
        let details = ItemDetails(attributes: wanted, contentType: transferred.contentType)
        if replaces, let item = collections[collection]?.match(wanted) {
            let change = SecretChange(label: label, details: details, secret: secret)
            return self.change(call, item, change) { [.path($0.path), .path(SecretObject.none)] }
        }
        try add(call, to: collection, label, details, secret)
    }

    private mutating func add(
        _ call: BusCall,
        to collection: String,
        _ label: String,
        _ details: ItemDetails,
        _ secret: SecretBytes
    ) throws(BusError) {
        guard let target = collections[collection] else { throw .noSuchObject }
        let blind = BlindAttributes(details.attributes, key: key)
        guard !target.isInMemory else {
            let stored = StoredSecret(
                id: SecretItemID(collection: collection, item: nextNumber()),
                label: label,
                details: details,
                blind: blind,
                created: now,
                modified: now
            )
            let item = SecretItem(stored: stored, slot: nextSlot(), secret: secret)
            guard target.items.count < SecretLimits.itemsOfSession,
                target.bytes + item.size <= SecretLimits.bytesOfSession
            else { throw .limit("the session's collection is full") }
            keep(item)
            tell(of: stored.id, "ItemCreated")
            return reply(call, [.path(item.path), .path(SecretObject.none)])
        }
        let new = NewSecret(
            id: SecretItemID(collection: collection, item: Self.randomIdentifier()),
            label: label,
            details: details,
            blind: blind,
            secret: secret,
            isProtected: target.stored.isProtected
        )
        _ = ask(for: call.sender, .add(new)) { service, result in
            if service.added(new, result) {
                let path = SecretObject.path(of: new.id)
                service.reply(call, [.path(path), .path(SecretObject.none)])
            } else if case .failure(let error) = result {
                service.reply(call, .failure(BusError(error)))
            } else {
                service.reply(call, .failure(.failed("the keychain answers what was not asked")))
            }
        }
    }

    /// Takes in a new item that the keychain has stored.
    ///
    /// - Returns: whether it has.
    mutating func added(_ new: NewSecret, _ result: StoreResult) -> Bool {
        guard case .stored(let created, let modified) = result else { return false }
        let stored = StoredSecret(
            id: new.id,
            label: new.label,
            details: new.details,
            blind: new.blind,
            created: created,
            modified: modified
        )
        keep(SecretItem(stored: stored, slot: nextSlot()))
        tell(of: new.id, "ItemCreated")
        return true
    }

    /// Of an item: it is never given again, also not after the service has started again.
    static func randomIdentifier() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

/// What clients are told that listen.
extension SecretService {
    mutating func signal(_ object: SecretObject, _ member: String, _ arguments: [BusValue]) {
        switch object {
        case .service:
            effects.append(.signal(BusSignal(SecretObject.root, SecretInterface.service, member, arguments)))
        case .collection(let id):
            let path = SecretObject.path(ofCollection: id)
            effects.append(.signal(BusSignal(path, SecretInterface.collection, member, arguments)))
        case .alias, .item, .itemOfAlias, .session, .prompt: break
        }
    }

    mutating func tell(of item: SecretItemID, _ member: String) {
        guard item.collection != Self.portalID else { return }
        signal(.collection(item.collection), member, [.path(SecretObject.path(of: item))])
    }

    private mutating func propertiesChanged(_ path: String, _ interface: String, _ name: String, _ value: BusValue) {
        effects.append(
            .signal(
                BusSignal(
                    path,
                    SecretInterface.properties,
                    "PropertiesChanged",
                    [.string(interface), .properties([(name, value)]), .array(of: "s", [])]
                )
            )
        )
    }

    mutating func tellCollections() {
        propertiesChanged(SecretObject.root, SecretInterface.service, "Collections", collectionPaths)
    }

    var collectionPaths: BusValue { .paths(order.map(SecretObject.path(ofCollection:))) }

    mutating func tellLabel(ofCollection id: String) {
        guard id != Self.portalID, let collection = collections[id] else { return }
        propertiesChanged(collection.path, SecretInterface.collection, "Label", .string(collection.stored.label))
        signal(.service, "CollectionChanged", [.path(collection.path)])
    }

    /// The items of a collection are not told one by one: there may be thousands.
    mutating func tellLock(of id: String) {
        guard id != Self.portalID, let collection = collections[id] else { return }
        propertiesChanged(collection.path, SecretInterface.collection, "Locked", .bool(isLocked(id)))
        signal(.service, "CollectionChanged", [.path(collection.path)])
    }

    /// An item's label, attributes or secret have changed. The list of all items is in no signal, since it would be sent
    /// with each change.
    mutating func tellChange(of id: SecretItemID) {
        guard id.collection != Self.portalID, let item = collections[id.collection]?.items[id.item] else { return }
        if let details = item.stored.details {
            propertiesChanged(item.path, SecretInterface.item, "Attributes", .attributes(details.attributes))
        }
        propertiesChanged(item.path, SecretInterface.item, "Label", .string(item.stored.label))
        tell(of: id, "ItemChanged")
    }

    // MARK: - Changes of what is in memory

    mutating func keep(_ item: SecretItem) {
        collections[item.stored.id.collection]?.put(item)
    }

    mutating func forgetItem(_ id: SecretItemID) {
        guard collections[id.collection]?.remove(id.item) != nil else { return }
        tell(of: id, "ItemDeleted")
    }

    mutating func drop(_ collection: String) {
        guard let dropped = collections.removeValue(forKey: collection) else { return }
        order.removeAll { $0 == collection }
        aliases = aliases.filter { $0.value != collection }
        signal(.service, "CollectionDeleted", [.path(dropped.path)])
        tellCollections()
    }
}

import MessageBus

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
        announcements.add(.list, of: item.collection)
        signal(.collection(item.collection), member, [.path(SecretObject.path(of: item))])
    }

    /// - Parameter value: nil where the value is not sent, and clients have to ask for it.
    private mutating func propertiesChanged(_ path: String, _ interface: String, _ name: String, _ value: BusValue?) {
        effects.append(
            .signal(
                BusSignal(
                    path,
                    SecretInterface.properties,
                    "PropertiesChanged",
                    [
                        .string(interface), .properties(value.map { [(name, $0)] } ?? []),
                        .array(of: "s", value == nil ? [.string(name)] : []),
                    ]
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

    mutating func tellLock(of id: String) {
        guard id != Self.portalID, let collection = collections[id] else { return }
        propertiesChanged(collection.path, SecretInterface.collection, "Locked", .bool(isLocked(id)))
        signal(.service, "CollectionChanged", [.path(collection.path)])
        announcements.add(.locks, of: id)
    }

    /// Tells what is told of whole collections, as gnome-keyring does.
    mutating func announce() {
        for (id, subject) in announcements.take(at: now) {
            guard let collection = collections[id] else { continue }
            switch subject {
            case .list:
                let isShort = collection.items.count <= SecretLimits.itemsListed
                let items = isShort ? BusValue.paths(collection.inOrder.map(\.path)) : nil
                propertiesChanged(collection.path, SecretInterface.collection, "Items", items)
            case .locks:
                guard collection.items.count <= SecretLimits.itemsToldOfLock else { continue }
                let isLocked = BusValue.bool(isLocked(id))
                for item in collection.inOrder {
                    propertiesChanged(item.path, SecretInterface.item, "Locked", isLocked)
                    signal(.collection(id), "ItemChanged", [.path(item.path)])
                }
            }
        }
    }

    /// An item's label, attributes or secret have changed.
    mutating func tellChange(of id: SecretItemID) {
        guard id.collection != Self.portalID, let item = collections[id.collection]?.items[id.item] else { return }
        if let details = item.stored.details {
            propertiesChanged(item.path, SecretInterface.item, "Attributes", .attributes(details.attributes))
        }
        propertiesChanged(item.path, SecretInterface.item, "Label", .string(item.stored.label))
        signal(.collection(id.collection), "ItemChanged", [.path(item.path)])
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
        announcements.forget(collection)
        aliases = aliases.filter { $0.value != collection }
        signal(.service, "CollectionDeleted", [.path(dropped.path)])
        tellCollections()
    }
}

import MessageBus

/// `org.freedesktop.DBus.Properties`.
extension SecretService {
    mutating func answerProperties(_ call: BusCall, of object: SecretObject) throws(BusError) {
        var arguments = BusArguments(call)
        switch call.member {
        case "GetAll":
            let interface = try arguments.string()
            try arguments.end()
            let properties = try properties(of: object, for: call.sender)
            let isMeant = interface.isEmpty || interface == properties.interface
            reply(call, [.properties(isMeant ? properties.values : [])])
        case "Get":
            let (_, name) = (try arguments.string(), try arguments.string())
            try arguments.end()
            let properties = try properties(of: object, for: call.sender).values
            guard let value = properties.first(where: { $0.name == name })?.value else { throw .noSuchProperty }
            reply(call, [.variant(value)])
        case "Set":
            let (_, name, value) = (try arguments.string(), try arguments.string(), try arguments.variant())
            try arguments.end()
            try set(call, name, value, of: object)
        default: throw .noSuchMethod
        }
    }

    typealias Properties = (interface: String, values: [(name: String, value: BusValue)])

    func properties(of object: SecretObject, for client: String) throws(BusError) -> Properties {
        switch object {
        case .service: return (SecretInterface.service, [("Collections", collectionPaths)])
        case .collection, .alias:
            guard let collection = collections[try collectionID(of: object)] else { throw .noSuchObject }
            return (SecretInterface.collection, properties(of: collection))
        case .item, .itemOfAlias: return (SecretInterface.item, properties(of: try item(of: object)))
        case .session(let id):
            guard sessions.contains(id, of: client) else { throw .noSuchObject }
            return (SecretInterface.session, [])
        case .prompt(let id):
            guard prompts[id]?.client == client else { throw .noSuchObject }
            return (SecretInterface.prompt, [])
        }
    }

    private func properties(of collection: SecretCollection) -> [(name: String, value: BusValue)] {
        [
            ("Items", .paths(collection.inOrder.map(\.path))),
            ("Label", .string(collection.stored.label)),
            ("Locked", .bool(isLocked(collection.stored.id))),
            ("Created", .uint64(collection.stored.created)),
            ("Modified", .uint64(collection.stored.modified)),
        ]
    }

    private func properties(of item: SecretItem) -> [(name: String, value: BusValue)] {
        [
            ("Locked", .bool(isLocked(item.stored.id.collection))),
            ("Attributes", .attributes(item.stored.details?.attributes ?? .none)),
            ("Label", .string(item.stored.label)),
            ("Created", .uint64(item.stored.created)),
            ("Modified", .uint64(item.stored.modified)),
        ]
    }

    private mutating func set(
        _ call: BusCall,
        _ name: String,
        _ value: BusValue,
        of object: SecretObject
    ) throws(BusError) {
        switch (object, name) {
        case (.collection, "Label"), (.alias, "Label"):
            let id = try collectionID(of: object)
            guard value.text != nil else { throw .invalidArguments("a label is text") }
            try rename(call, id, to: try label(value))
        case (.item, "Label"), (.itemOfAlias, "Label"), (.item, "Attributes"), (.itemOfAlias, "Attributes"):
            let item = try item(of: object)
            guard !isLocked(item.stored.id.collection), var details = item.stored.details else { throw .isLocked }
            guard name == "Attributes" else {
                guard value.text != nil else { throw .invalidArguments("a label is text") }
                return change(call, item, SecretChange(label: try label(value))) { _ in [] }
            }
            details.attributes = try SecretAttributes(value)
            change(call, item, SecretChange(details: details)) { _ in [] }
        default:
            let known = try properties(of: object, for: call.sender).values
            throw known.contains { $0.name == name } ? .readOnlyProperty : .noSuchProperty
        }
    }

    /// - Throws: `IsLocked`, and `AccessDenied` where the owner is asked by this name.
    private mutating func rename(_ call: BusCall, _ id: String, to label: String) throws(BusError) {
        guard let collection = collections[id] else { throw .noSuchObject }
        guard !isLocked(id) else { throw .isLocked }
        guard !collection.stored.isProtected else { throw .isProtected }
        let modified = now
        let apply: @Sendable (inout SecretService) -> Void = { service in
            service.collections[id]?.stored.label = label
            service.collections[id]?.stored.modified = modified
            service.tellLabel(ofCollection: id)
            service.reply(call, [])
        }
        guard !collection.isInMemory else { return apply(&self) }
        _ = ask(for: call.sender, .rename(id, label: label)) { service, result in
            if case .failure(let error) = result { return service.reply(call, .failure(BusError(error))) }
            apply(&service)
        }
    }
}

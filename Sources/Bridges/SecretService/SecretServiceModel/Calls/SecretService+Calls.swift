import MessageBus

/// Which call goes where.
extension SecretService {
    mutating func answer(_ call: BusCall) throws(BusError) {
        let isIntrospection = call.interface == SecretInterface.introspectable && call.member == "Introspect"
        if isIntrospection, let text = introspection(ofParent: call.path, for: call.sender) {
            return reply(call, [.string(text)])
        }
        guard let object = SecretObject(call.path) else { throw .noSuchObject }
        switch call.interface {
        case SecretInterface.introspectable where isIntrospection:
            reply(call, [.string(try introspection(of: object, for: call.sender))])
        case SecretInterface.properties: try answerProperties(call, of: object)
        default: try answer(call, of: object)
        }
    }

    /// A call may leave out the interface: the methods of an object have different names.
    private mutating func answer(_ call: BusCall, of object: SecretObject) throws(BusError) {
        switch object {
        case .service where Self.isMeant(SecretInterface.service, by: call): try answerService(call)
        case .collection, .alias:
            guard Self.isMeant(SecretInterface.collection, by: call) else { throw .noSuchMethod }
            try answerCollection(call, id: try collectionID(of: object))
        case .item, .itemOfAlias:
            guard Self.isMeant(SecretInterface.item, by: call) else { throw .noSuchMethod }
            try answerItem(call, try item(of: object))
        case .session(let id) where Self.isMeant(SecretInterface.session, by: call) && call.member == "Close":
            try sessions.close(id, of: call.sender)
            reply(call, [])
        case .prompt(let id) where Self.isMeant(SecretInterface.prompt, by: call): try answerPrompt(call, id: id)
        case .service, .session, .prompt: throw .noSuchMethod
        }
    }

    private static func isMeant(_ interface: String, by call: BusCall) -> Bool {
        call.interface.isEmpty || call.interface == interface
    }

    // MARK: - Objects

    /// - Throws: `UnknownMethod` where there is none.
    func collectionID(of object: SecretObject) throws(BusError) -> String {
        let id: String? =
            switch object {
            case .collection(let id): id
            case .alias(let name): collectionID(ofAlias: name)
            case .service, .item, .itemOfAlias, .session, .prompt: nil
            }
        guard let id, id != Self.portalID, collections[id] != nil else { throw .noSuchObject }
        return id
    }

    func collectionID(ofAlias name: String) -> String? {
        if let id = aliases[name] { return id }
        switch name {
        case "default", "login": return Self.loginID
        case "session": return Self.sessionID
        default: return nil
        }
    }

    /// - Throws: `UnknownMethod` where there is none.
    func item(of object: SecretObject) throws(BusError) -> SecretItem {
        let id: SecretItemID? =
            switch object {
            case .item(let id): id
            case .itemOfAlias(let name, let item):
                collectionID(ofAlias: name).map { SecretItemID(collection: $0, item: item) }
            case .service, .collection, .alias, .session, .prompt: nil
            }
        guard let id, id.collection != Self.portalID, let item = collections[id.collection]?.items[id.item] else {
            throw .noSuchObject
        }
        return item
    }

    /// The collection that a path means, or that its item is in; nil where there is no such object.
    func collectionID(ofPath path: String) -> String? {
        guard let object = SecretObject(path) else { return nil }
        if let id = try? collectionID(of: object) { return id }
        return (try? item(of: object))?.stored.id.collection
    }
}

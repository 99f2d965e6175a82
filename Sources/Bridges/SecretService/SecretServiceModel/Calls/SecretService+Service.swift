import KeychainModel
import MessageBus
import SecretServiceSession

/// `org.freedesktop.Secret.Service`.
extension SecretService {
    mutating func answerService(_ call: BusCall) throws(BusError) {
        var arguments = BusArguments(call)
        switch call.member {
        case "OpenSession":
            let (algorithm, input) = (try arguments.string(), try arguments.variant())
            try arguments.end()
            try openSession(call, algorithm, input)
        case "CreateCollection":
            let (properties, alias) = (try arguments.properties(), try arguments.string())
            try arguments.end()
            try createCollection(call, properties, alias: alias)
        case "SearchItems":
            let attributes = try arguments.attributes()
            try arguments.end()
            let found = order.map { id in (isLocked(id), search(attributes, in: id)) }
            let unlocked = found.filter { !$0.0 }.flatMap(\.1)
            let locked = found.filter { $0.0 }.flatMap(\.1)
            reply(call, [.paths(unlocked), .paths(locked)])
        case "Unlock":
            let paths = try arguments.paths()
            try arguments.end()
            try unlock(call, paths)
        case "Lock":
            let paths = try arguments.paths()
            try arguments.end()
            lock(call, paths)
        case "GetSecrets":
            let (paths, session) = (try arguments.paths(), try arguments.path())
            try arguments.end()
            try getSecrets(call, paths, session)
        case "ReadAlias":
            let name = try arguments.string()
            try arguments.end()
            let path = collectionID(ofAlias: name).map(SecretObject.path(ofCollection:))
            reply(call, [.path(path ?? SecretObject.none)])
        case "SetAlias":
            let (name, path) = (try arguments.string(), try arguments.path())
            try arguments.end()
            try setAlias(call, name, path)
        default: throw .noSuchMethod
        }
    }

    func search(_ attributes: SecretAttributes, in collection: String) -> [String] {
        collections[collection]?.search(attributes, key: key).map(\.path) ?? []
    }

    private mutating func openSession(_ call: BusCall, _ algorithm: String, _ input: BusValue) throws(BusError) {
        let cipher: TransferCipher
        let output: BusValue
        switch algorithm {
        case "plain":
            cipher = .plain
            output = .string("")
        case "dh-ietf1024-sha256-aes128-cbc-pkcs7":
            guard let peer = input.byteArray else { throw .invalidArguments("the input of this algorithm is ay") }
            (cipher, output) = try agree(with: peer)
        default: throw .notSupported("sessions are plain or dh-ietf1024-sha256-aes128-cbc-pkcs7")
        }
        let id = nextNumber()
        sessions.open(cipher, id: id, of: call.sender)
        reply(call, [.variant(output), .path(SecretObject.path(ofSession: id))])
    }

    private mutating func agree(with peer: [UInt8]) throws(BusError) -> (TransferCipher, BusValue) {
        do throws(KeychainError) {
            let own = try agreement()
            return (.aes(try own.key(with: peer)), .bytes(own.publicValue))
        } catch {
            // Without the library, clients go on in plain text.
            throw error.code == .notAvailable ? .notSupported(error.message) : .invalidArguments(error.message)
        }
    }

    private mutating func createCollection(
        _ call: BusCall,
        _ properties: [String: BusValue],
        alias: String
    ) throws(BusError) {
        let label = try label(properties["\(SecretInterface.collection).Label"])
        if !alias.isEmpty, let id = collectionID(ofAlias: alias) {
            return reply(call, [.path(SecretObject.path(ofCollection: id)), .path(SecretObject.none)])
        }
        guard order.count < SecretLimits.collections else { throw .limit("there are too many collections") }
        guard alias.utf8.count <= SecretLimits.labelBytes else { throw .limit("the alias is too long") }
        let base = SecretObject.identifier(for: label)
        var id = base
        var number = 1
        while collections[id] != nil {
            id = "\(base)_\(number)"
            number += 1
        }
        let new = StoredCollection(id: id, label: label, created: now, modified: now)
        _ = ask(for: call.sender, .save(new)) { service, result in
            if case .failure(let error) = result { return service.reply(call, .failure(BusError(error))) }
            service.collections[new.id] = SecretCollection(new)
            service.order.append(new.id)
            let path = SecretObject.path(ofCollection: new.id)
            service.signal(.service, "CollectionCreated", [.path(path)])
            service.tellCollections()
            guard !alias.isEmpty else { return service.reply(call, [.path(path), .path(SecretObject.none)]) }
            service.aliases[alias] = new.id
            _ = service.ask(for: call.sender, .saveAlias(alias, collection: new.id)) { service, _ in
                service.reply(call, [.path(path), .path(SecretObject.none)])
            }
        }
    }

    /// - Throws: `InvalidArgs`, `LimitsExceeded`
    func label(_ value: BusValue?) throws(BusError) -> String {
        guard let value else { return "" }
        guard let label = value.text else { throw .invalidArguments("a label is text") }
        guard label.utf8.count <= SecretLimits.labelBytes else { throw .limit("the label is too long") }
        return label
    }

    private mutating func setAlias(_ call: BusCall, _ name: String, _ path: String) throws(BusError) {
        guard name.utf8.count <= SecretLimits.labelBytes, aliases.count < SecretLimits.collections else {
            throw .limit("there are too many aliases, or it is too long")
        }
        var collection: String?
        if path != SecretObject.none {
            guard let object = SecretObject(path) else { throw .noSuchObject }
            collection = try collectionID(of: object)
        }
        let id = collection
        // What clients store by this name would be protected no more.
        if let present = collectionID(ofAlias: name), present != id, collections[present]?.stored.isProtected == true {
            throw .isProtected
        }
        _ = ask(for: call.sender, .saveAlias(name, collection: id)) { service, result in
            if case .failure(let error) = result { return service.reply(call, .failure(BusError(error))) }
            service.aliases[name] = id
            service.reply(call, [])
        }
    }
}

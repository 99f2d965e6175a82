import KeychainModel
import MessageBus
import SecretServiceSession

/// `org.freedesktop.Secret.Item`, and what else is about the secrets of items.
extension SecretService {
    mutating func answerItem(_ call: BusCall, _ item: SecretItem) throws(BusError) {
        var arguments = BusArguments(call)
        switch call.member {
        case "GetSecret":
            let session = try arguments.path()
            try arguments.end()
            try getSecret(call, of: item, session)
        case "SetSecret":
            let transferred = try arguments.secret()
            try arguments.end()
            let secret = try open(transferred, of: call.sender)
            guard !isLocked(item.stored.id.collection), var details = item.stored.details else { throw .isLocked }
            details.contentType = transferred.contentType
            change(call, item, SecretChange(details: details, secret: secret)) { _ in [] }
        case "Delete":
            try arguments.end()
            try delete(call, item)
        default: throw .noSuchMethod
        }
    }

    /// - Throws: `NoSession`, `InvalidArgs`, `LimitsExceeded`
    mutating func open(_ transferred: TransferredSecret, of client: String) throws(BusError) -> SecretBytes {
        let cipher = try sessions.cipher(of: transferred.session, for: client)
        // A block more, for the padding.
        guard transferred.value.count <= SecretLimits.secretBytes + 16,
            transferred.contentType.utf8.count <= SecretLimits.labelBytes
        else { throw .limit("a secret has at most 8 MiB") }
        do throws(KeychainError) {
            return try cipher.open(parameters: transferred.parameters, value: transferred.value)
        } catch {
            throw .invalidArguments(error.message)
        }
    }

    // MARK: - Reading

    private mutating func getSecret(_ call: BusCall, of item: SecretItem, _ session: String) throws(BusError) {
        let cipher = try sessions.cipher(of: session, for: call.sender)
        guard !isLocked(item.stored.id.collection) else { throw .isLocked }
        let type = item.stored.details?.contentType ?? ""
        if let secret = item.secret {
            return reply(call, [try Self.transferred(secret, type, session, cipher)])
        }
        let id = item.stored.id
        _ = ask(for: call.sender, .read([id], reason(of: id.collection, for: call.sender))) { service, result in
            switch result {
            case .secrets(let secrets):
                guard let secret = secrets[id] else { return service.reply(call, .failure(.noSuchObject)) }
                do throws(BusError) {
                    service.reply(call, [try Self.transferred(secret, type, session, cipher)])
                } catch {
                    service.reply(call, .failure(error))
                }
            case .failure(let error): service.reply(call, .failure(BusError(error)))
            case .stored, .done: service.reply(call, .failure(.failed("the keychain answers what was not asked")))
            }
        }
    }

    /// Items that are not there, or are locked, are left out.
    mutating func getSecrets(_ call: BusCall, _ paths: [String], _ session: String) throws(BusError) {
        let cipher = try sessions.cipher(of: session, for: call.sender)
        var wanted: [(path: String, item: SecretItem)] = []
        // A path that is named again gets no second entry: names are unique in a dictionary.
        var seen: Set<String> = []
        for path in paths where seen.insert(path).inserted {
            guard let object = SecretObject(path), let item = try? item(of: object),
                !isLocked(item.stored.id.collection)
            else { continue }
            wanted.append((path, item))
        }
        let list = wanted
        // One request for each collection, since each has its own reason.
        let collections = Set(list.filter { $0.item.secret == nil }.map(\.item.stored.id.collection)).sorted()
        collect(for: call, of: collections, list.map(\.item.stored.id), found: [:]) { service, found in
            let sizes = list.map { ($0.item.secret ?? found[$0.item.stored.id])?.count ?? 0 }
            guard sizes.reduce(0, +) <= SecretLimits.secretsOfAnswer else {
                return service.reply(call, .failure(.tooManySecrets))
            }
            let entries = list.compactMap { path, item -> BusValue? in
                guard let secret = item.secret ?? found[item.stored.id],
                    let value = try? Self.transferred(
                        secret,
                        item.stored.details?.contentType ?? "",
                        session,
                        cipher
                    )
                else { return nil }
                return .entry(.path(path), value)
            }
            service.reply(call, [.array(of: "{o(oayays)}", entries)])
        }
    }

    private mutating func collect(
        for call: BusCall,
        of collections: [String],
        _ items: [SecretItemID],
        found: [SecretItemID: SecretBytes],
        _ goOn: @escaping @Sendable (inout SecretService, [SecretItemID: SecretBytes]) -> Void
    ) {
        guard let collection = collections.first else { return goOn(&self, found) }
        let wanted = items.filter {
            $0.collection == collection && self.collections[collection]?.items[$0.item]?.secret == nil
        }
        let reason = reason(of: collection, for: call.sender)
        _ = ask(for: call.sender, .read(wanted, reason)) { service, result in
            var all = found
            if case .secrets(let more) = result { all.merge(more) { first, _ in first } }
            if case .failure(let error) = result, error.code == .dataTooLarge {
                return service.reply(call, .failure(.tooManySecrets))
            }
            service.collect(for: call, of: Array(collections.dropFirst()), items, found: all, goOn)
        }
    }

    func reason(of collection: String, for client: String) -> AccessReason {
        AccessReason(
            client: client,
            collections: named([collection]),
            isProtected: collections[collection]?.stored.isProtected ?? false
        )
    }

    func named(_ ids: [String]) -> [AccessReason.Collection] {
        ids.map { AccessReason.Collection(id: $0, label: collections[$0]?.stored.label ?? "") }
    }

    private static func transferred(
        _ secret: SecretBytes,
        _ type: String,
        _ session: String,
        _ cipher: TransferCipher
    ) throws(BusError) -> BusValue {
        do throws(KeychainError) {
            let (parameters, value) = try cipher.seal(secret)
            return .structure([.path(session), .bytes(parameters), .bytes(value), .string(type)])
        } catch {
            throw BusError(error)
        }
    }

    // MARK: - Changing

    /// - Parameter answer: what the caller gets, of the item as it is then.
    mutating func change(
        _ call: BusCall,
        _ item: SecretItem,
        _ change: SecretChange,
        answer: @escaping @Sendable (SecretItem) -> [BusValue]
    ) {
        var change = change
        // What stays is not written: another process may have changed it meanwhile.
        if change.secret != nil, change.details == item.stored.details { change.details = nil }
        // Their codes change with the attributes alone: who replaces a secret, as all clients do, writes one record.
        if let details = change.details, details.attributes != item.stored.details?.attributes {
            change.blind = BlindAttributes(details.attributes, key: key)
        }
        let changed = change
        let id = item.stored.id
        let apply: @Sendable (inout SecretService, UInt64) -> Void = { service, modified in
            guard var now = service.collections[id.collection]?.items[id.item] else {
                return service.reply(call, .failure(.noSuchObject))
            }
            if let label = changed.label { now.stored.label = label }
            if let details = changed.details { now.stored.details = details }
            if let blind = changed.blind { now.stored.blind = blind }
            if now.secret != nil, let secret = changed.secret { now.secret = secret }
            now.stored.modified = modified
            service.keep(now)
            service.tellChange(of: id)
            service.reply(call, answer(now))
        }
        guard item.secret == nil else { return apply(&self, now) }
        var reason = reason(of: id.collection, for: call.sender)
        reason.verb = .changes
        _ = ask(for: call.sender, .change(id, changed, reason)) { service, result in
            switch result {
            case .stored(_, let modified): apply(&service, modified)
            case .failure(let error): service.reply(call, .failure(BusError(error)))
            case .secrets, .done: service.reply(call, .failure(.failed("the keychain answers what was not asked")))
            }
        }
    }

    private mutating func delete(_ call: BusCall, _ item: SecretItem) throws(BusError) {
        let id = item.stored.id
        if isLocked(id.collection) || collections[id.collection]?.stored.isProtected == true {
            return reply(call, [.path(try newPrompt(.deleteItem(id), for: call.sender))])
        }
        guard item.secret == nil else {
            forgetItem(id)
            return reply(call, [.path(SecretObject.none)])
        }
        remove(id, for: call.sender) { service, error in
            if let error { return service.reply(call, .failure(BusError(error))) }
            service.reply(call, [.path(SecretObject.none)])
        }
    }

    mutating func remove(
        _ id: SecretItemID,
        for client: String,
        _ goOn: @escaping @Sendable (inout SecretService, KeychainError?) -> Void
    ) {
        _ = ask(for: client, .remove([id])) { service, result in
            if case .failure(let error) = result { return goOn(&service, error) }
            service.forgetItem(id)
            goOn(&service, nil)
        }
    }
}

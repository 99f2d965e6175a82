import KeychainClient
import KeychainModel
import SecretServiceModel
import Synchronization

/// What the Secret Service asks for.
extension KeychainSecrets {
    /// - Parameter client: its unique name on the bus; nil where this program itself asks.
    func answer(_ request: StoreRequest, for client: String? = nil) -> StoreResult {
        // The audit log shows it as what this program says.
        let program = client.map { callers.name(of: $0) }
        do throws(KeychainError) {
            switch request {
            case .read(let items, let reason): return .secrets(try read(items, reason, for: program))
            case .add(let new): return try add(new, for: program)
            case .change(let id, let change, let reason): return try self.change(id, change, reason, for: program)
            case .remove(let items): try remove(items, for: program)
            case .save(let collection): try save(collection, for: program)
            case .rename(let id, let label): try rename(id, to: label, for: program)
            case .removeCollection(let id, let items):
                try remove(items, for: program)
                try delete(.collection(id), for: program)
            case .saveAlias(let name, let collection): try save(alias: name, of: collection, for: program)
            case .confirm(let reason): try confirm(reason)
            }
            return .done
        } catch {
            if let reason = request.reason { note(error, on: reason) }
            return .failure(error)
        }
    }

    // MARK: - Secrets

    private func read(
        _ items: [SecretItemID],
        _ reason: AccessReason,
        for program: String?
    ) throws(KeychainError) -> [SecretItemID: SecretBytes] {
        var secrets: [SecretItemID: SecretBytes] = [:]
        var size = 0
        let authentication = try authentication(for: reason)
        func note(_ found: [FoundItem], _ id: SecretItemID) throws(KeychainError) {
            // An item may have an empty secret, which the keychain keeps as none.
            guard let item = found.first else { return }
            let secret = item.secrets[.valueData] ?? SecretBytes([UInt8]())
            size += secret.count - (secrets[id]?.count ?? 0)
            secrets[id] = secret
            guard size <= SecretLimits.secretsOfAnswer else {
                throw KeychainError(.dataTooLarge, "the secrets are too large for one answer")
            }
        }
        for part in Self.parts(of: items) {
            let operations = part.map { id in
                var request = FindRequest(query: SecretLayout.query(.item(id)))
                request.returns = .data
                request.authentication = authentication
                return KeychainOperation.find(request)
            }
            if !reason.isProtected, let found = try readTogether(operations, for: program) {
                for (id, found) in zip(part, found) { try note(found, id) }
                continue
            }
            for (id, operation) in zip(part, operations) {
                try note(perform([operation], for: program).first ?? [], id)
            }
        }
        return secrets
    }

    /// Searches in one trip to the service.
    ///
    /// - Returns: nil where each has to be done by itself: within a process a trip costs nothing, and the service may have no
    ///   room for all of them at once.
    private func readTogether(
        _ operations: [KeychainOperation],
        for program: String?
    ) throws(KeychainError) -> [[FoundItem]]? {
        guard keychain.isHeldByService, operations.count > 1 else { return nil }
        do throws(KeychainError) {
            return try perform(operations, for: program)
        } catch  where error.code == .dataTooLarge || error.code == .notAvailable {
            return nil
        }
    }

    /// As many at a time as fit into one transaction of the service without keeping others waiting.
    private static func parts<Element>(of all: [Element]) -> [ArraySlice<Element>] {
        stride(from: 0, to: all.count, by: 100).map { all[$0..<min($0 + 100, all.count)] }
    }

    private func add(_ new: NewSecret, for program: String?) throws(KeychainError) -> StoreResult {
        var item = SecretLayout.add(.item(new.id), label: new.label, generic: new.details.serialized, .afterFirstUnlock)
        item.secrets[.valueData] = new.secret
        if new.isProtected {
            // Its protection is the access control's.
            item.accessibility = nil
            item.accessControl = try Self.presence()
        }
        let blind = SecretLayout.add(.blind(new.id), label: "", generic: new.blind.serialized, .always)
        var look = FindRequest(query: SecretLayout.query(.item(new.id)))
        look.returns = .attributes
        let found =
            new.isProtected
            ? try addOneByOne(new.id, item, blind, look, for: program)
            : try perform([.add(item), .add(blind), .find(look)], for: program)
        guard let stored = found.last?.first else { throw OperationResult.unexpected }
        if let uuid = stored.reference.uuid { known.withLock { $0.note(uuid, .item(new.id)) } }
        return .stored(created: stored.seconds(.creationDate), modified: stored.seconds(.modificationDate))
    }

    /// What is guarded is no part of a batch.
    private func addOneByOne(
        _ id: SecretItemID,
        _ item: AddRequest,
        _ blind: AddRequest,
        _ look: FindRequest,
        for program: String?
    ) throws(KeychainError) -> [[FoundItem]] {
        _ = try perform([.add(item)], for: program)
        do throws(KeychainError) {
            _ = try perform([.add(blind)], for: program)
            return try perform([.find(look)], for: program)
        } catch {
            // An item that is half there would be in no list while the keychain is locked.
            for query in [SecretLayout.query(.item(id)), SecretLayout.query(.blind(id))] {
                _ = try? perform([.delete(DeleteRequest(query: query))], for: program)
            }
            throw error
        }
    }

    static func presence() throws(KeychainError) -> AccessControl {
        try AccessControl(protection: Accessibility.afterFirstUnlock.rawValue, flags: .userPresence)
    }

    private func change(
        _ id: SecretItemID,
        _ change: SecretChange,
        _ reason: AccessReason,
        for program: String?
    ) throws(KeychainError) -> StoreResult {
        var update = UpdateRequest(query: SecretLayout.query(.item(id)))
        update.authentication = try authentication(for: reason)
        if let label = change.label { update.changes.attributes[.label] = .string(label) }
        if let details = change.details { update.changes.attributes[.generic] = .data(details.serialized) }
        if let secret = change.secret { update.changes.secrets[.valueData] = secret }
        var operations: [KeychainOperation] = [.update(update)]
        if let blind = change.blind {
            var update = UpdateRequest(query: SecretLayout.query(.blind(id)))
            update.changes.attributes[.generic] = .data(blind.serialized)
            operations.append(.update(update))
        }
        var look = FindRequest(query: SecretLayout.query(.item(id)))
        look.returns = .attributes
        operations.append(.find(look))
        let found =
            reason.isProtected
            ? try operations.map { (operation) throws(KeychainError) in
                try perform([operation], for: program).last ?? []
            }
            : try perform(operations, for: program)
        guard let stored = found.last?.first else {
            throw KeychainError(.itemNotFound, "the item is gone")
        }
        return .stored(created: stored.seconds(.creationDate), modified: stored.seconds(.modificationDate))
    }

    private func remove(_ items: [SecretItemID], for program: String?) throws(KeychainError) {
        for part in Self.parts(of: items) {
            _ = try perform(
                part.flatMap { id in
                    [SecretLayout.Place.item(id), .blind(id)].map {
                        .delete(DeleteRequest(query: SecretLayout.query($0)))
                    }
                },
                for: program
            )
        }
    }

    // MARK: - Collections and aliases

    /// Stores a collection's record, or has the one that is there say the same but for its label.
    func save(_ collection: StoredCollection, for program: String? = nil) throws(KeychainError) {
        let generic = SecretLayout.generic(of: collection)
        try put(.collection(collection.id), label: collection.label, generic, for: program) { update in
            update.changes.attributes[.generic] = .data(generic)
        }
    }

    /// Stores a collection's record; one that is there gets the label alone, and keeps what it says else.
    func take(_ collection: StoredCollection) throws(KeychainError) {
        try rename(collection.id, to: collection.label, for: nil)
    }

    private func rename(_ id: String, to label: String, for program: String?) throws(KeychainError) {
        // `protect` may change the same record at the same time.
        let generic = SecretLayout.generic(of: StoredCollection(id: id, label: label))
        try put(.collection(id), label: label, generic, for: program) { update in
            update.changes.attributes[.label] = .string(label)
        }
    }

    private func save(alias: String, of collection: String?, for program: String?) throws(KeychainError) {
        guard let collection else { return try delete(.alias(alias), for: program) }
        let generic = SecretLayout.generic(ofAlias: collection)
        try put(.alias(alias), label: "", generic, for: program) { update in
            update.changes.attributes[.generic] = .data(generic)
        }
    }

    /// Adds a record.
    ///
    /// - Parameter change: what becomes another one where there is a record already; the rest of it stays.
    private func put(
        _ place: SecretLayout.Place,
        label: String,
        _ generic: [UInt8],
        for program: String?,
        or change: (inout UpdateRequest) -> Void
    ) throws(KeychainError) {
        do throws(KeychainError) {
            _ = try perform([.add(SecretLayout.add(place, label: label, generic: generic, .always))], for: program)
        } catch  where error.code == .duplicateItem {
            var update = UpdateRequest(query: SecretLayout.query(place))
            change(&update)
            _ = try perform([.update(update)], for: program)
        }
    }

    private func delete(_ place: SecretLayout.Place, for program: String?) throws(KeychainError) {
        _ = try perform([.delete(DeleteRequest(query: SecretLayout.query(place)))], for: program)
    }

    // MARK: - Presence

    private func authentication(for reason: AccessReason) throws(KeychainError) -> ItemAuthentication {
        var authentication = ItemAuthentication()
        authentication.prompt.reason = ""
        guard reason.isProtected, let collection = reason.collections.first else {
            authentication.ui = .fail
            return authentication
        }
        authentication.prompt.reason = PromptReason(callers.name(of: reason.client), reason).text
        authentication.context = try context(for: PresencePurpose(reason.client, of: collection))
        return authentication
    }

    /// What the owner has allowed one client stays allowed until it leaves.
    ///
    /// - Throws: where too much was asked for the client already.
    private func context(for purpose: PresencePurpose) throws(KeychainError) -> any PresenceContext {
        if let context = contexts.withLock({ $0[purpose] }) { return context }
        let program = callers.name(of: purpose.client)
        do throws(PromptBudget.Refusal) {
            try budget.withLock { budget throws(PromptBudget.Refusal) in try budget.take(for: program, at: .now) }
        } catch {
            if error.isFirst {
                SecretsProcess.complain("the owner is not asked for \(program): it has asked too often")
            }
            throw error.error
        }
        let context = try keychain.makeContext()
        contexts.withLock { contexts in
            // Each is a connection to the service.
            if contexts.count >= Self.mostContexts, let other = contexts.keys.first { contexts[other] = nil }
            contexts[purpose] = context
        }
        return context
    }

    private static let mostContexts = 16

    /// The owner's no is a no to the next question too, until that was counted.
    private func note(_ error: KeychainError, on reason: AccessReason) {
        guard case .failed(let failure) = error.presence, failure == .declined || failure == .failed else { return }
        let program = callers.name(of: reason.client)
        budget.withLock { $0.decline(for: program, at: .now) }
        guard let collection = reason.collections.first else { return }
        let purpose = PresencePurpose(reason.client, of: collection)
        contexts.withLock { $0.removeValue(forKey: purpose) }?.invalidate()
    }

    /// What was proved for a client counts no more, and what is asked for it is taken back.
    func forgetContexts(of client: String) {
        let forgotten = contexts.withLock { contexts in
            let gone = contexts.filter { $0.key.client == client }
            for purpose in gone.keys { contexts[purpose] = nil }
            return gone.values
        }
        for context in forgotten { context.invalidate() }
    }

    func forget(_ client: String) {
        forgetContexts(of: client)
        callers.forget(client)
    }

    private func confirm(_ reason: AccessReason) throws(KeychainError) {
        // A finger opens no class that is locked.
        var request = PresenceRequest(try lockState() == .locked ? .passcode : .owner)
        request.prompt.reason = PromptReason(callers.name(of: reason.client), reason).text
        let purpose = PresencePurpose(client: reason.client, action: .once(.random(in: .min ... .max)))
        let context = try context(for: purpose)
        // What is proved here is for no secret.
        defer {
            contexts.withLock { $0[purpose] = nil }
            context.invalidate()
        }
        try context.evaluate(request)
    }

    // MARK: - Operations

    /// Does operations, several of them in one transaction: all or none.
    ///
    /// - Parameter program: for which they are done; nil for this one.
    /// - Returns: what each has found.
    /// - Throws: what the first that fails throws.
    func perform(
        _ operations: [KeychainOperation],
        for program: String? = nil
    ) throws(KeychainError) -> [[FoundItem]] {
        if keychain.isHeldByService { known.withLock { $0.expect(operations) } }
        var found: [[FoundItem]]?
        defer {
            let outcomes = found.map { $0.map(Optional.some) } ?? Array(repeating: nil, count: operations.count)
            if keychain.isHeldByService { known.withLock { $0.note(zip(operations, outcomes)) } }
        }
        let results = try results(of: operations, for: program).map(\.found)
        found = results
        return results
    }

    private func results(
        of operations: [KeychainOperation],
        for program: String?
    ) throws(KeychainError) -> [OperationResult] {
        // What is guarded comes by itself, since nobody is asked within a transaction.
        if let operation = operations.first, operations.count == 1 {
            return [try keychain.perform(operation, onBehalfOf: program)]
        }
        return try keychain.transact(operations, onBehalfOf: program)
    }
}

extension OperationResult {
    fileprivate var found: [FoundItem] {
        if case .items(let items) = answer { items } else { [] }
    }
}

import KeychainModel
import MessageBus

/// `Unlock`, `Lock`, and `org.freedesktop.Secret.Prompt`.
extension SecretService {
    /// Each path that there is comes back as it was written, once for each time: at once, or by the prompt.
    mutating func unlock(_ call: BusCall, _ paths: [String]) throws(BusError) {
        var unlocked: [String] = []
        var locked: [String] = []
        for path in paths {
            guard let id = collectionID(ofPath: path) else { continue }
            if isLocked(id), lock == .withoutPasscode {
                // There is nothing to ask for.
                collections[id]?.isLockedByClient = false
                tellLock(of: id)
            }
            if isLocked(id) { locked.append(path) } else { unlocked.append(path) }
        }
        let prompt = locked.isEmpty ? SecretObject.none : try newPrompt(.unlock(locked), for: call.sender)
        reply(call, [.paths(unlocked), .path(prompt)])
    }

    mutating func lock(_ call: BusCall, _ paths: [String]) {
        var locked: [String] = []
        for path in paths {
            guard let id = collectionID(ofPath: path), collections[id]?.isInMemory == false else { continue }
            locked.append(path)
            guard !isLocked(id) else { continue }
            collections[id]?.isLockedByClient = true
            tellLock(of: id)
        }
        reply(call, [.paths(locked), .path(SecretObject.none)])
    }

    // MARK: - Prompts

    /// - Throws: `LimitsExceeded`
    mutating func newPrompt(_ action: SecretPrompt.Action, for client: String) throws(BusError) -> String {
        guard prompts.values.count(where: { $0.client == client }) < SecretLimits.promptsOfClient else {
            throw .limit("a client has at most 32 prompts")
        }
        let id = nextNumber()
        prompts[id] = SecretPrompt(client: client, action: action, deadline: now + SecretLimits.promptSeconds)
        return SecretObject.path(ofPrompt: id)
    }

    mutating func answerPrompt(_ call: BusCall, id: String) throws(BusError) {
        guard let prompt = prompts[id], prompt.client == call.sender else { throw .noSuchObject }
        var arguments = BusArguments(call)
        switch call.member {
        case "Prompt":
            // The window that it belongs to: the enclave's prompts know no windows.
            _ = try arguments.string()
            try arguments.end()
            // `Completed` comes after this.
            reply(call, [])
            guard prompt.ticket == nil else { return }
            begin(id, prompt)
        case "Dismiss":
            try arguments.end()
            reply(call, [])
            dismiss(id, prompt)
        default: throw .noSuchMethod
        }
    }

    private mutating func begin(_ id: String, _ prompt: SecretPrompt) {
        var ids: [String] = []
        switch prompt.action {
        case .unlock(let paths):
            for id in paths.compactMap(collectionID(ofPath:)) where !ids.contains(id) { ids.append(id) }
        case .deleteItem(let item): ids = [item.collection]
        case .deleteCollection(let collection): ids = [collection]
        }
        var reason = AccessReason(client: prompt.client, .deletes, collections: named(ids))
        switch prompt.action {
        case .unlock: reason.verb = .unlocks
        case .deleteItem(let item): reason.item = collections[item.collection]?.items[item.item]?.stored.label ?? ""
        case .deleteCollection: break
        }
        let ticket = ask(for: prompt.client, .confirm(reason)) { service, result in
            guard let prompt = service.prompts.removeValue(forKey: id) else { return }
            if case .failure = result {
                return service.complete(id, of: prompt.client, isDismissed: true, prompt.action.nothing)
            }
            service.finish(id, prompt)
        }
        prompts[id]?.ticket = ticket
        prompts[id]?.collections = ids
    }

    /// The owner has said yes.
    private mutating func finish(_ id: String, _ prompt: SecretPrompt) {
        if lock == .locked { lock = .unlocked }
        switch prompt.action {
        case .unlock(let paths):
            for collection in prompt.collections { unlock(collection) }
            complete(id, of: prompt.client, isDismissed: false, .paths(paths))
        case .deleteItem(let item):
            remove(item, for: prompt.client) { service, error in
                service.complete(id, of: prompt.client, isDismissed: error != nil, .string(""))
            }
        case .deleteCollection(let collection):
            removeCollection(collection, for: prompt.client) { service, error in
                service.complete(id, of: prompt.client, isDismissed: error != nil, .string(""))
            }
        }
    }

    private mutating func unlock(_ collection: String) {
        collections[collection]?.isLockedByClient = false
        tellLock(of: collection)
    }

    mutating func dismiss(_ id: String, _ prompt: SecretPrompt) {
        prompts[id] = nil
        if let ticket = prompt.ticket { effects.append(.withdraw(ticket)) }
        complete(id, of: prompt.client, isDismissed: true, prompt.action.nothing)
    }

    private mutating func complete(_ id: String, of client: String, isDismissed: Bool, _ result: BusValue) {
        effects.append(
            .signal(
                BusSignal(
                    SecretObject.path(ofPrompt: id),
                    SecretInterface.prompt,
                    "Completed",
                    to: client,
                    [.bool(isDismissed), .variant(result)]
                )
            )
        )
    }
}

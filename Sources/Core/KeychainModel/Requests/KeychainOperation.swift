/// What a program asks of a keychain: one of the four calls, or work for a private key of the enclave.
///
/// All other facts about an operation are in its `traits`, so that a new one is described in one place.
/// It is handed on through every layer: in a box, since its requests are large.
package indirect enum KeychainOperation: Sendable {
    case add(AddRequest)
    case find(FindRequest)
    case update(UpdateRequest)
    case delete(DeleteRequest)
    case makeKey(MakeKeyRequest)
    case useKey(UseKeyRequest)
}

/// What holds for an operation before it is done.
package struct OperationTraits: Sendable {
    /// Its name in the audit log.
    package let name: String
    package let itemClass: ItemClass
    /// The group that it names, if it names one.
    package let accessGroup: String?
    /// What those are told who watch the keychain; nil for what changes no item.
    package var change: ItemChangeKind?
    /// Whether it makes a keychain where there is none. The others are answered as by an empty one.
    package var makesKeychain = false
    /// Whether it asks for a private key. That needs no transaction, and is no part of a batch.
    package var isForKey = false
    /// Whether a user who has used up the quota may do it.
    package var makesRoom = false
}

/// What may happen to an item.
package enum ItemChangeKind: String, Sendable {
    case added
    case updated
    case deleted
}

extension KeychainOperation {
    package var traits: OperationTraits {
        switch self {
        case .add(let request):
            OperationTraits(
                name: "add",
                itemClass: request.itemClass,
                accessGroup: request.accessGroup,
                change: .added,
                makesKeychain: true
            )
        case .find(let request):
            OperationTraits(name: "find", query: request.query)
        case .update(let request):
            OperationTraits(
                name: "update",
                query: request.query,
                change: .updated
            )
        case .delete(let request):
            OperationTraits(name: "delete", query: request.query, change: .deleted, makesRoom: true)
        case .makeKey(let request):
            OperationTraits(
                name: "make-key",
                itemClass: .key,
                accessGroup: request.accessGroup,
                makesKeychain: true,
                isForKey: true
            )
        case .useKey(let request):
            OperationTraits(
                name: request.use.name,
                itemClass: .key,
                accessGroup: request.key.header.accessGroup,
                isForKey: true
            )
        }
    }

    /// What it brings for items that demand more than an unlocked keychain; nil for what never meets such a demand.
    package var authentication: ItemAuthentication? {
        switch self {
        case .add(let request): request.authentication
        case .find(let request): request.authentication
        case .update(let request): request.authentication
        case .makeKey(let request): request.authentication
        case .useKey(let request): request.authentication
        case .delete: nil
        }
    }

    /// Changes what the operation brings for items that demand more; nothing where nothing demands it.
    package mutating func changeAuthentication(_ change: (inout ItemAuthentication) -> Void) {
        switch self {
        case .add(var request):
            change(&request.authentication)
            self = .add(request)
        case .find(var request):
            change(&request.authentication)
            self = .find(request)
        case .update(var request):
            change(&request.authentication)
            self = .update(request)
        case .makeKey(var request):
            change(&request.authentication)
            self = .makeKey(request)
        case .useKey(var request):
            change(&request.authentication)
            self = .useKey(request)
        case .delete: break
        }
    }

    /// What it selects items by, if it does.
    package var query: ItemQuery? {
        get {
            switch self {
            case .find(let request): request.query
            case .update(let request): request.query
            case .delete(let request): request.query
            case .add, .makeKey, .useKey: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .find(var request):
                request.query = newValue
                self = .find(request)
            case .update(var request):
                request.query = newValue
                self = .update(request)
            case .delete(var request):
                request.query = newValue
                self = .delete(request)
            case .add, .makeKey, .useKey: break
            }
        }
    }

    package var isSearch: Bool {
        if case .find = self { true } else { false }
    }
}

extension OperationTraits {
    fileprivate init(
        name: String,
        query: ItemQuery,
        change: ItemChangeKind? = nil,
        makesRoom: Bool = false
    ) {
        self.init(
            name: name,
            itemClass: query.itemClass,
            accessGroup: query.accessGroup,
            change: change,
            makesRoom: makesRoom
        )
    }

    /// Whether it changes nothing, so that it may be done twice.
    package var isRepeatable: Bool { change == nil }
}

extension KeyUse {
    fileprivate var name: String {
        switch self {
        case .signature, .messageSignature: "sign"
        case .sharedSecret: "agree"
        case .decapsulation: "decapsulate"
        }
    }
}

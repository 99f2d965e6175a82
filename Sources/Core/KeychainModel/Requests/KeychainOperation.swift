/// What a program asks of a keychain: one of the four calls, or work for a private key of the enclave.
///
/// Layers hand it on without asking which it is. The request says what a layer needs to know. Only the code that does an
/// operation, and the code that encodes one, tells the actions apart.
package struct KeychainOperation: Sendable {
    private var request: any OperationRequest

    /// The request by its kind.
    package enum Action: Sendable {
        case add(AddRequest)
        case find(FindRequest)
        case update(UpdateRequest)
        case delete(DeleteRequest)
        case makeKey(MakeKeyRequest)
        case useKey(UseKeyRequest)
    }

    package init(_ request: some OperationRequest) {
        self.request = request
    }

    package static func add(_ request: AddRequest) -> KeychainOperation { KeychainOperation(request) }
    package static func find(_ request: FindRequest) -> KeychainOperation { KeychainOperation(request) }
    package static func update(_ request: UpdateRequest) -> KeychainOperation { KeychainOperation(request) }
    package static func delete(_ request: DeleteRequest) -> KeychainOperation { KeychainOperation(request) }
    package static func makeKey(_ request: MakeKeyRequest) -> KeychainOperation { KeychainOperation(request) }
    package static func useKey(_ request: UseKeyRequest) -> KeychainOperation { KeychainOperation(request) }

    /// What it brings for items that demand more than an unlocked keychain.
    package var authentication: ItemAuthentication {
        get { request.authentication }
        set { request.authentication = newValue }
    }

    /// What it selects items by, if it does.
    package var query: ItemQuery? {
        get { request.selection }
        set { request.selection = newValue }
    }

    package var action: Action { request.action }
    package var traits: OperationTraits { request.traits }
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
    /// Whether it looks for items, and does nothing to them.
    package var isSearch = false
    /// Whether it asks for a private key. That needs no transaction, and is no part of a batch.
    package var isForKey = false
    /// Whether a user who has used up the quota may do it.
    package var makesRoom = false
    /// Whether its owner may be asked for what it lacks.
    package var mayAsk = true

    /// Whether it changes nothing, so that it may be done twice.
    package var isRepeatable: Bool { change == nil }
}

/// What may happen to an item.
package enum ItemChangeKind: String, Sendable {
    case added
    case updated
    case deleted
}

/// A valid request of one kind. All that a layer on the way may ask of it is said here, beside its fields.
package protocol OperationRequest: Sendable {
    var authentication: ItemAuthentication { get set }
    /// What it selects items by; nil where it selects none, and then it stays nil.
    var selection: ItemQuery? { get set }
    var action: KeychainOperation.Action { get }
    var traits: OperationTraits { get }
}

extension OperationRequest {
    package var selection: ItemQuery? {
        get { nil }
        set {}
    }
}

/// A request about items that are there.
package protocol SelectingRequest: OperationRequest {
    var query: ItemQuery { get set }
}

extension SelectingRequest {
    package var selection: ItemQuery? {
        get { query }
        set { if let newValue { query = newValue } }
    }

    fileprivate func selecting(as name: String, _ change: ItemChangeKind? = nil) -> OperationTraits {
        let name = authentication.isOwners ? "owner-\(name)" : name
        return OperationTraits(name: name, itemClass: query.itemClass, accessGroup: query.accessGroup, change: change)
    }
}

extension AddRequest: OperationRequest {
    package var action: KeychainOperation.Action { .add(self) }

    package var traits: OperationTraits {
        var traits = OperationTraits(name: "add", itemClass: itemClass, accessGroup: accessGroup, change: .added)
        traits.makesKeychain = true
        return traits
    }
}

extension FindRequest: SelectingRequest {
    package var action: KeychainOperation.Action { .find(self) }

    package var traits: OperationTraits {
        var traits = selecting(as: "find")
        traits.isSearch = true
        return traits
    }
}

extension UpdateRequest: SelectingRequest {
    package var action: KeychainOperation.Action { .update(self) }
    package var traits: OperationTraits { selecting(as: "update", .updated) }
}

extension DeleteRequest: SelectingRequest {
    package var action: KeychainOperation.Action { .delete(self) }

    package var traits: OperationTraits {
        var traits = selecting(as: "delete", .deleted)
        traits.makesRoom = true
        // A program deletes what is its own; only as the owner's it may delete another's.
        traits.mayAsk = authentication.isOwners
        return traits
    }
}

extension MakeKeyRequest: OperationRequest {
    package var action: KeychainOperation.Action { .makeKey(self) }

    package var traits: OperationTraits {
        var traits = OperationTraits(name: "make-key", itemClass: .key, accessGroup: accessGroup)
        traits.makesKeychain = true
        traits.isForKey = true
        return traits
    }
}

extension UseKeyRequest: OperationRequest {
    package var action: KeychainOperation.Action { .useKey(self) }

    package var traits: OperationTraits {
        var traits = OperationTraits(name: use.name, itemClass: .key, accessGroup: key.header.accessGroup)
        traits.isForKey = true
        return traits
    }
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

/// What selects items: the class, a persistent reference, and filters that all have to hold.
package struct ItemQuery: Sendable {
    package var itemClass: ItemClass
    package var reference: PersistentReference?
    /// Filters on attributes that have a blind column.
    package var filters = AttributeList()
    /// Nil searches all groups of the caller.
    package var accessGroup: String?
    package var accessibility: Accessibility?
    package var synchronizable = SynchronizableFilter.only(false)
    /// True finds tombstones and nothing else.
    package var findsTombstones = false
    /// A filter on the item's SHA-1, which can be judged only once the secret is open.
    package var sha1: [UInt8]?
    /// `kSecMatchHostOrSubdomainOfHost`.
    package var hostOrSubdomain: String?
    /// Filters on a certificate's content; for an identity, on that of its certificate.
    package var certificate = CertificateFilter()
    /// Whether the answer is to say why nothing matched. That costs a search for each condition.
    package var wantsExplanation = false

    package enum SynchronizableFilter: Sendable, Equatable {
        case any
        case only(Bool)
    }

    package init(itemClass: ItemClass) {
        self.itemClass = itemClass
    }
}

/// What a caller wants back.
package struct ReturnSelection: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let data = ReturnSelection(rawValue: 1)
    package static let attributes = ReturnSelection(rawValue: 2)
    package static let reference = ReturnSelection(rawValue: 4)
    package static let persistentReference = ReturnSelection(rawValue: 8)

    /// Whether the attributes are wanted: a reference to a password is described by them.
    package var wantsAttributes: Bool { rawValue & (Self.attributes.rawValue | Self.reference.rawValue) != 0 }

    /// Whether an object is wanted that is made of the item's data: passwords have none.
    package func wantsObject(of itemClass: ItemClass) -> Bool {
        contains(.reference) && (itemClass == .certificate || itemClass == .key || itemClass == .identity)
    }
}

/// How many items a call is about; for a search, in which shape it wants them back too.
package enum MatchLimit: Sendable, Equatable {
    /// At most one, as a bare object.
    case one
    /// At most so many, as an array.
    case count(Int)
    case all

    /// The number of items after which a search may stop.
    package var maximum: Int {
        switch self {
        case .one: 1
        case .count(let count): count
        case .all: .max
        }
    }
}

/// Whether the person may be asked (`kSecUseAuthenticationUI`).
package enum AuthenticationUI: Sendable {
    case allow
    case fail
    case skip
}

/// What a call brings for items that ask for more than that the keychain is unlocked.
package struct ItemAuthentication: Sendable {
    package var ui = AuthenticationUI.allow
    /// From `LAContext.setCredential(_:type:)` of the call's context.
    package var applicationPassword: SecretBytes?
    package var prompt = PromptWishes()
    /// For how long its context takes an unlock of the session for a finger.
    package var reuse = UnlockReuse.none
    /// The call's context, if it has one: what was proved in it counts, and what is proved now stays in it.
    package var context: (any PresenceContext)? {
        didSet { usesContext = context != nil }
    }
    /// Whether the call has a context, be it here or at the other end of a connection.
    package var usesContext = false
    /// Whether the items of all access groups are meant, as their owner sees them. The context has to have an owner's view,
    /// and the owner is asked for each secret and each change as well.
    package var isOwners = false
    /// What was proved for this call and its context. It never leaves a process by way of a request.
    package var proofs: [PresenceProof] = []

    package init() {}
}

/// What the asking program wants the prompt to say. None of it was checked.
package struct PromptWishes: Sendable, Hashable {
    /// What the program says it is for (`LAContext.localizedReason`, `kSecUseOperationPrompt`).
    package var reason = ""
    /// `localizedCancelTitle`; nil for the usual one.
    package var cancelTitle: String?
    /// `localizedFallbackTitle`; nil for the usual one, empty for none.
    package var fallbackTitle: String?
    /// Where the person is to be asked; nil for wherever the prompter is.
    package var terminal: PromptTerminal?

    package init() {}
}

/// A terminal or a display, as pinentry's options name it.
package struct PromptTerminal: Sendable, Hashable {
    /// Such as `/dev/pts/3`.
    package var name = ""
    /// `TERM`.
    package var type = ""
    /// `DISPLAY`.
    package var display = ""
    /// `WAYLAND_DISPLAY`.
    package var waylandDisplay = ""
    /// `LC_CTYPE`, and `LC_MESSAGES`.
    package var locale = ""

    package init() {}
}

/// What an `LAContext` has of a keychain: what was proved in it, for as long as it lives.
package protocol PresenceContext: AnyObject, Sendable {
    /// Asks the person, and keeps what they prove.
    ///
    /// - Throws: with a `PresenceFailure`.
    func evaluate(_ question: PresenceRequest) throws(KeychainError)

    /// Forgets all that was proved, and takes back the question that is open.
    func invalidate()
}

/// What a program asks to be proved, beside the four calls.
package struct PresenceRequest: Sendable, Hashable {
    package var demand: PresenceDemand
    /// Whether the person is asked for an application password too.
    package var asksPassword = false
    package var prompt = PromptWishes()
    package var reuse = UnlockReuse.none
    /// Whether the context becomes an owner's view: calls in it may see the items of all access groups, for ten minutes.
    package var opensView = false

    /// What opens an owner's view.
    package static var ownersView: PresenceRequest {
        var request = PresenceRequest(.owner)
        request.opensView = true
        return request
    }

    package init(_ demand: PresenceDemand) {
        self.demand = demand
    }
}

/// A valid `SecItemAdd`.
package struct AddRequest: Sendable {
    package var itemClass: ItemClass
    /// The attributes that the caller gave, coerced, without those that have a property of their own here.
    package var attributes = AttributeList()
    package var accessGroup: String?
    package var accessibility: Accessibility?
    package var accessControl: AccessControl?
    package var isSynchronizable = false
    /// Whether the new item is a tombstone from the start.
    package var isTombstone = false
    /// The value and the other secret attributes. An item may have none.
    package var secrets: [AttributeKey: SecretBytes] = [:]
    package var returns: ReturnSelection = []
    package var authentication = ItemAuthentication()

    package init(itemClass: ItemClass) {
        self.itemClass = itemClass
    }
}

/// A valid `SecItemCopyMatching`.
package struct FindRequest: Sendable {
    package var query: ItemQuery
    package var limit = MatchLimit.one
    package var returns: ReturnSelection = []
    package var authentication = ItemAuthentication()

    package init(query: ItemQuery) {
        self.query = query
    }
}

/// A valid `SecItemUpdate`.
package struct UpdateRequest: Sendable {
    package var query: ItemQuery
    /// How many of the items that match are changed.
    package var limit = MatchLimit.all
    package var changes = ItemChanges()
    /// Whether what was there before is kept for its owner (`chatelaine history`), also where no other device shares it. It
    /// counts for those who see all access groups.
    package var keepsEarlier = false
    package var authentication = ItemAuthentication()

    package init(query: ItemQuery) {
        self.query = query
    }
}

/// What an update sets; what is nil or absent stays.
package struct ItemChanges: Sendable {
    package var attributes = AttributeList()
    package var accessGroup: String?
    package var accessibility: Accessibility?
    package var accessControl: AccessControl?
    package var isSynchronizable: Bool?
    package var secrets: [AttributeKey: SecretBytes] = [:]

    package init() {}
}

/// A valid `SecItemDelete`.
package struct DeleteRequest: Sendable {
    package var query: ItemQuery
    /// How many of the items that match are deleted.
    package var limit = MatchLimit.all
    /// `kSecUseTombstones`; nil leaves a tombstone for synchronizable items alone.
    package var leavesTombstone: Bool?
    /// As in an update.
    package var keepsEarlier = false
    /// Good for an owner's deletion alone: no other is asked for.
    package var authentication = ItemAuthentication()

    package init(query: ItemQuery) {
        self.query = query
    }
}

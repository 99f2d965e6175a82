package import Crypto
package import KeychainModel

/// A collection as it is stored.
package struct StoredCollection: Sendable, Equatable {
    package let id: String
    package var label: String
    /// Whether the owner has to confirm that a client reads its secrets.
    package var isProtected: Bool
    /// Seconds since 1970-01-01.
    package var created: UInt64
    package var modified: UInt64

    package init(id: String, label: String, isProtected: Bool = false, created: UInt64 = 0, modified: UInt64 = 0) {
        self.id = id
        self.label = label
        self.isProtected = isProtected
        self.created = created
        self.modified = modified
    }
}

/// An item as it is stored, without its secret.
package struct StoredSecret: Sendable, Equatable {
    package let id: SecretItemID
    package var label: String
    /// Nil before the keychain's first unlock.
    package var details: ItemDetails?
    package var blind: BlindAttributes
    /// Seconds since 1970-01-01.
    package var created: UInt64
    package var modified: UInt64

    package init(
        id: SecretItemID,
        label: String,
        details: ItemDetails?,
        blind: BlindAttributes,
        created: UInt64,
        modified: UInt64
    ) {
        self.id = id
        self.label = label
        self.details = details
        self.blind = blind
        self.created = created
        self.modified = modified
    }
}

/// All that is stored.
package struct StoredSecrets: Sendable {
    package var collections: [StoredCollection] = []
    /// Collections by other names.
    package var aliases: [String: String] = [:]
    /// The oldest first.
    package var items: [StoredSecret] = []
    /// What the blind attributes are made with.
    package var key: SymmetricKey
    package var lock = SecretLock.unlocked

    package init(key: SymmetricKey) {
        self.key = key
    }
}

/// Whether the keychain's items can be read.
package enum SecretLock: Sendable, Equatable {
    /// Not before the passcode is given.
    case locked
    case unlocked
    /// They can, and there is no passcode to lock them with.
    case withoutPasscode
}

/// What the service has the keychain do.
package enum StoreRequest: Sendable {
    case read([SecretItemID], AccessReason)
    case add(NewSecret)
    case change(SecretItemID, SecretChange, AccessReason)
    case remove([SecretItemID])
    /// A new collection.
    case save(StoredCollection)
    /// What else the collection's record says stays.
    case rename(String, label: String)
    case removeCollection(String, [SecretItemID])
    case saveAlias(String, collection: String?)
    /// Has the owner asked before something is unlocked or deleted. What is proved counts for this alone.
    case confirm(AccessReason)

    /// Whether somebody may have to be asked, which takes as long as it takes.
    package var mayAsk: Bool { reason != nil }

    /// What somebody may have to be asked for; nil where nobody is asked.
    package var reason: AccessReason? {
        switch self {
        case .read(_, let reason), .change(_, _, let reason): reason.isProtected ? reason : nil
        case .confirm(let reason): reason
        case .add, .remove, .save, .rename, .removeCollection, .saveAlias: nil
        }
    }
}

/// On whose behalf something is read, changed or unlocked.
package struct AccessReason: Sendable, Equatable {
    /// A collection as a prompt names it: by the identifier that no client chooses again, and by its label.
    package struct Collection: Sendable, Equatable {
        package let id: String
        package let label: String

        package init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    /// What the owner is asked to allow.
    package enum Verb: String, Sendable {
        case reads
        /// Who may change an item may read it after that.
        case changes = "reads and changes"
        case unlocks
        case deletes
    }

    /// The unique name of the client on the bus.
    package let client: String
    package var verb: Verb
    /// The label of the one item that is meant; nil where it is all of a collection.
    package var item: String?
    /// All that the owner's answer is for; one where something is read or changed.
    package let collections: [Collection]
    package let isProtected: Bool

    package init(
        client: String,
        _ verb: Verb = .reads,
        item: String? = nil,
        collections: [Collection] = [],
        isProtected: Bool = false
    ) {
        self.client = client
        self.verb = verb
        self.item = item
        self.collections = collections
        self.isProtected = isProtected
    }
}

package struct NewSecret: Sendable {
    package let id: SecretItemID
    package let label: String
    package let details: ItemDetails
    package let blind: BlindAttributes
    package let secret: SecretBytes
    package let isProtected: Bool

    package init(
        id: SecretItemID,
        label: String,
        details: ItemDetails,
        blind: BlindAttributes,
        secret: SecretBytes,
        isProtected: Bool
    ) {
        self.id = id
        self.label = label
        self.details = details
        self.blind = blind
        self.secret = secret
        self.isProtected = isProtected
    }
}

/// What is nil stays.
package struct SecretChange: Sendable {
    package var label: String?
    package var details: ItemDetails?
    package var blind: BlindAttributes?
    package var secret: SecretBytes?

    package init(
        label: String? = nil,
        details: ItemDetails? = nil,
        blind: BlindAttributes? = nil,
        secret: SecretBytes? = nil
    ) {
        self.label = label
        self.details = details
        self.blind = blind
        self.secret = secret
    }
}

/// What the keychain has answered.
package enum StoreResult: Sendable {
    /// Of a read: the secrets of those items that there are.
    case secrets([SecretItemID: SecretBytes])
    /// Of an addition or a change: when it was made and changed, in seconds since 1970-01-01.
    case stored(created: UInt64, modified: UInt64)
    case done
    case failure(KeychainError)
}

package import EnclaveInterface
package import KeychainModel
package import KeychainSync

/// What is asked of a keychain as one of the devices of a circle.
///
/// Everything that changes who belongs to the circle, the owner has allowed before: to the enclave, or by a token.
package enum CircleRequest: Sendable {
    case status
    /// Notes where the transport is. The token is for `synchronize`.
    case place(String, AuthorizationToken)
    /// Says what this device is called. The token is for `synchronize`.
    case rename(String, AuthorizationToken)
    /// Founds a circle. The answer is its identifier.
    case found
    /// A newcomer's part in a ceremony. The answers are its messages.
    case begin
    case takeAnswer(JoinAnswer)
    case join(JoinAnswer, founding: Entry)
    /// A member's part. The answer to a request is a message.
    case answer(JoinRequest)
    case takeReveal(JoinReveal)
    case add(DeviceCard, JoinConsent)
    /// The consent is the key's signature.
    case addRecoveryKey(DeviceCard, consent: [UInt8])
    case remove(DeviceID)
    /// Takes the circle as it is here, although newer journals were once read. The token is for `synchronize`.
    case acceptOlder(AuthorizationToken)
    /// Leaves the circle here. The token is for `synchronize`.
    case forget(AuthorizationToken)
    /// Earlier versions of shared items with a text in their titles, or of all.
    case versions(OwnersLeave, matching: String?)
    /// Makes an earlier version the current one. The answer is the item's title.
    case bringBack(Int64, OwnersLeave)
    /// Deletes an earlier version for good, on this device; of an item that is not there any more, all of them. The answer is
    /// the item's title.
    case discard(Int64, OwnersLeave)
}

/// What says that the owner has allowed something that concerns the items of all access groups.
package enum OwnersLeave: Sendable {
    /// For `restore`. It is used up.
    case token(AuthorizationToken)
    /// A context that has an owner's view. What changes an item, the owner is asked for as well.
    case view(ItemAuthentication)
}

extension CircleRequest {
    /// What it brings where it goes by an owner's view; nil otherwise, and then it stays nil.
    package var view: ItemAuthentication? {
        get {
            switch self {
            case .versions(.view(let view), _), .bringBack(_, .view(let view)), .discard(_, .view(let view)): view
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .versions(.view, let text): self = .versions(.view(newValue), matching: text)
            case .bringBack(let number, .view): self = .bringBack(number, .view(newValue))
            case .discard(let number, .view): self = .discard(number, .view(newValue))
            default: break
            }
        }
    }
}

/// What comes of a request.
package enum CircleAnswer: Sendable {
    case done
    case status(CircleStatus)
    /// An identifier, or a message of a ceremony.
    case bytes([UInt8])
    case versions([EarlierVersion])
    case title(String)
}

extension CircleRequest {
    /// What the record calls it; nil for what only looks.
    package var name: String? {
        switch self {
        case .status: nil
        case .place: "sync-place"
        case .rename: "sync-rename"
        case .found: "sync-create"
        case .begin: "sync-ask"
        case .takeAnswer: "sync-take-answer"
        case .join: "sync-join"
        case .answer: "sync-answer"
        case .takeReveal: "sync-take-reveal"
        case .add: "sync-add"
        case .addRecoveryKey: "sync-add-recovery-key"
        case .remove: "sync-remove"
        case .acceptOlder: "sync-accept-older"
        case .forget: "sync-leave"
        case .versions: "earlier-versions"
        case .bringBack: "bring-back"
        case .discard: "discard"
        }
    }
}

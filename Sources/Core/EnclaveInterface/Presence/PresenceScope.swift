package import KeychainModel

/// What a proof is good for.
package enum PresenceScope: Sendable, Hashable {
    /// Single items with their access groups, for a minute.
    case items([ItemUUID: String])
    /// A new item of a group: the application password that was typed is taken for it, and opens nothing.
    case newItem(accessGroup: String)
    /// All items of the groups that the context was opened for.
    case context(PresenceContextID)
    /// Seeing which items there are, of all groups, and the secret of none.
    case ownersView

    package static let mostItems = 256
    /// Groups of one question or context: a prompt has to name them all.
    package static let mostGroups = 4
    /// In bytes of UTF-8.
    package static let longestGroup = 4_096

    /// Whether a question may be about it.
    package var isSound: Bool {
        switch self {
        case .items(let items): (1...Self.mostItems).contains(items.count) && Self.canBeNamed(Set(items.values))
        case .newItem(let group): Self.canBeNamed([group])
        case .context, .ownersView: true
        }
    }

    /// Whether a prompt has room for these groups.
    package static func canBeNamed(_ groups: some Collection<String>) -> Bool {
        groups.count <= mostGroups && groups.allSatisfy { $0.utf8.count <= longestGroup }
    }
}

/// Names a context to the service that has opened it.
package struct PresenceContextID: Sendable, Hashable, CustomStringConvertible {
    /// 16 random bytes.
    package let bytes: [UInt8]

    package static let size = 16

    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    package init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    package var description: String { "[REDACTED]" }

    /// The service asks about a context that was never opened, was closed, or went with a lock or with the time.
    package static let isOver = KeychainError(.itemNotFound, "there is no such context any more")
}

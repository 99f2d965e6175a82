package import EnclaveInterface
package import KeychainClient
package import KeychainModel
import Synchronization

/// A keychain that the pages are about.
package typealias AccessKeychain = PresenceKeychain & CircleKeychain

/// The items of a keychain, read again when the keychain has changed. Nothing of a locked keychain stays in memory.
package final class ItemCatalogue: Sendable {
    package let keychain: any AccessKeychain
    private let changes: any KeychainChanges
    private let cache = Mutex(Cache())

    private struct Cache {
        var read: (mark: ChangeMark, index: ItemIndex)?
        /// How often everything was forgotten.
        var forgettings = 0
    }

    package init(_ keychain: any AccessKeychain, changes: any KeychainChanges) {
        self.keychain = keychain
        self.changes = changes
    }

    /// How it is locked; nil where there is no keychain yet.
    package func state() throws(KeychainError) -> EnclaveState? {
        do throws(KeychainError) {
            return try keychain.control().state()
        } catch {
            guard error.code == .itemNotFound else { throw error }
            return nil
        }
    }

    /// - Throws: `interactionNotAllowed` while the keychain is locked.
    package func index() throws(KeychainError) -> ItemIndex {
        if let state = try state(), state.lock != .unlocked {
            forget()
            throw state.refusal(of: .whenUnlocked)
        }
        // Before the items are read: a change meanwhile has them read once more.
        let mark = changes.mark()
        let (cached, forgettings) = cache.withLock { ($0.read, $0.forgettings) }
        if let cached, cached.mark == mark { return cached.index }
        var summaries: [ItemSummary] = []
        for itemClass in ItemClass.stored {
            var request = FindRequest(query: Self.query(itemClass))
            request.limit = .all
            request.returns = .attributes
            request.authentication.ui = .fail
            summaries += try keychain.find(request).map(ItemSummary.init)
        }
        let index = ItemIndex(summaries)
        // Nothing comes back that was to be forgotten meanwhile.
        cache.withLock { if $0.forgettings == forgettings { $0.read = (mark, index) } }
        return index
    }

    /// Lets go of what was read.
    package func forget() {
        cache.withLock { cache in
            cache.read = nil
            cache.forgettings += 1
        }
    }

    /// One item, without its secret; nil where it is not there any more.
    package func item(_ reference: PersistentReference) throws(KeychainError) -> FoundItem? {
        var request = FindRequest(query: Self.query(reference))
        request.returns = .attributes
        request.authentication.ui = .fail
        return try keychain.find(request).first
    }

    package static func query(_ itemClass: ItemClass) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.synchronizable = .any
        return query
    }

    package static func query(_ reference: PersistentReference) -> ItemQuery {
        var query = query(reference.itemClass)
        query.reference = reference
        return query
    }
}

/// What is equal as long as nothing has changed in a keychain.
package struct ChangeMark: Sendable, Equatable {
    let numbers: [Int64]

    package init(_ numbers: [Int64]) { self.numbers = numbers }
}

/// Tells whether a keychain has changed.
package protocol KeychainChanges: Sendable {
    /// Any change since leads to another one.
    func mark() -> ChangeMark
}

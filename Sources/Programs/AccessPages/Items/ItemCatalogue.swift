import CKeychainLinux
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
    /// Held while items are read.
    private let reading = Mutex(())
    private let view = Mutex<(any PresenceContext)?>(nil)

    private struct Cache {
        var read: (mark: ChangeMark, index: ItemIndex, time: ContinuousClock.Instant)?
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
        // A request that comes meanwhile waits for the items, and does not read them again.
        return try reading.withLock { _ throws(KeychainError) in
            // Before the items are read: a change meanwhile has them read once more.
            let mark = changes.mark()
            let (cached, forgettings) = cache.withLock { ($0.read, $0.forgettings) }
            let isFresh = cached.map { currentView == nil || $0.time.duration(to: .now) < Self.longestInView } ?? false
            if let cached, isFresh, cached.mark == mark { return cached.index }
            let time = ContinuousClock.now
            let index = try read()
            // Nothing comes back that was to be forgotten meanwhile.
            cache.withLock { if $0.forgettings == forgettings { $0.read = (mark, index, time) } }
            return index
        }
    }

    private func read() throws(KeychainError) -> ItemIndex {
        var summaries: [ItemSummary] = []
        for itemClass in ItemClass.stored {
            var request = FindRequest(query: Self.query(itemClass))
            request.limit = .all
            request.returns = .attributes
            request.authentication.ui = .fail
            summaries += try find(request).map(ItemSummary.init)
        }
        let index = ItemIndex(summaries)
        // What was found took several times as much memory as what is kept of it.
        summaries = []
        clinux_trim()
        return index
    }

    /// Nobody tells a program of changes of other programs' items.
    private static let longestInView = Duration.seconds(3)

    /// Lets go of what was read.
    package func forget() {
        cache.withLock { cache in
            cache.read = nil
            cache.forgettings += 1
        }
    }

    // MARK: - The view

    var currentView: (any PresenceContext)? { view.withLock { $0 } }

    /// What is not in the new view is forgotten.
    func replaceView(by context: (any PresenceContext)?) {
        let old = view.withLock { view in
            defer { view = context }
            return view
        }
        old?.invalidate()
        forget()
    }

    /// One item, without its secret; nil where it is not there any more.
    package func item(_ reference: PersistentReference) throws(KeychainError) -> FoundItem? {
        var request = FindRequest(query: Self.query(reference))
        request.returns = .attributes
        request.authentication.ui = .fail
        return try find(request).first
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

import EnclaveInterface
import KeychainModel

/// What was proved, and the contexts that it was proved in, until it is used, forgotten, old, or the keychain locks.
///
/// Proofs and contexts are of the service's connection that has asked for them: another one cannot use them, and they
/// end with it.
struct KeptProofs {
    private struct Kept {
        let factors: PresenceFactors
        let password: SecretBytes?
        let scope: PresenceScope
        let connection: UInt64
        let made: UInt64

        func isOver(at now: UInt64) -> Bool {
            let lifetime =
                switch scope {
                case .context, .ownersView: KeptProofs.lifetimeInContext
                case .items, .newItem: KeptProofs.lifetime
                }
            return now < made || now - made > lifetime
        }
    }

    private struct Context {
        let groups: [String]
        let connection: UInt64
        let opened: UInt64
        /// Whose first question was taken.
        var asker: Asker?

        func isOver(at now: UInt64) -> Bool { now < opened || now - opened > KeptProofs.lifetimeOfContext }
    }

    private var kept: [PresenceProof: Kept] = [:]
    private var contexts: [PresenceContextID: Context] = [:]

    /// More than a person gives in a day; then the oldest go.
    private static let most = 1_024
    /// As many as a user has connections to the service.
    static let mostContexts = 256
    /// Nanoseconds. A proof for single items is used at once.
    private static let lifetime: UInt64 = 60_000_000_000
    /// Of each proof in a context, and of an owner's view: after that the owner is asked again.
    static let lifetimeInContext: UInt64 = 600_000_000_000
    static let lifetimeOfContext: UInt64 = 8 * 3_600_000_000_000

    // MARK: - Contexts

    mutating func open(
        _ groups: [String],
        on connection: UInt64,
        at clock: StartClock
    ) -> PresenceContextID {
        forgetOld(at: clock)
        while contexts.count >= Self.mostContexts, let first = contexts.min(by: { Self.goesBefore($0.value, $1.value) })
        {
            close(first.key)
        }
        let id = PresenceContextID()
        contexts[id] = Context(groups: groups, connection: connection, opened: clock.now)
        return id
    }

    /// Contexts without a proof cost nothing to open again, and go first.
    private static func goesBefore(_ left: Context, _ right: Context) -> Bool {
        guard (left.asker == nil) == (right.asker == nil) else { return left.asker == nil }
        return left.opened < right.opened
    }

    /// - Returns: the groups of a context; nil where there is none of that name on the connection.
    mutating func groups(
        of id: PresenceContextID,
        on connection: UInt64,
        at clock: StartClock
    ) -> [String]? {
        forgetOld(at: clock)
        guard let context = contexts[id], context.connection == connection else { return nil }
        return context.groups
    }

    /// Binds a context to the first program that asks in it.
    ///
    /// - Returns: false where it is another program's.
    mutating func bind(_ id: PresenceContextID, to asker: Asker) -> Bool {
        guard let context = contexts[id] else { return false }
        if context.asker == nil { contexts[id]?.asker = asker }
        return context.asker == nil || context.asker == asker
    }

    mutating func close(_ id: PresenceContextID, on connection: UInt64) {
        if contexts[id]?.connection == connection { close(id) }
    }

    private mutating func close(_ id: PresenceContextID) {
        contexts[id] = nil
        kept = kept.filter { $0.value.scope != .context(id) }
    }

    /// A connection of the service is gone.
    mutating func end(_ connection: UInt64) {
        contexts = contexts.filter { $0.value.connection != connection }
        kept = kept.filter { $0.value.connection != connection }
    }

    private mutating func forgetOld(at clock: StartClock) {
        let now = clock.now
        kept = kept.filter { !$0.value.isOver(at: now) }
        for (id, context) in contexts where context.isOver(at: now) { close(id) }
    }

    var contextCount: Int { contexts.count }

    // MARK: - Proofs

    mutating func keep(
        _ factors: PresenceFactors,
        password: SecretBytes?,
        for scope: PresenceScope,
        on connection: UInt64,
        at clock: StartClock
    ) -> PresenceProof {
        forgetOld(at: clock)
        while kept.count >= Self.most, let oldest = kept.min(by: { $0.value.made < $1.value.made }) {
            kept[oldest.key] = nil
        }
        let proof = PresenceProof()
        kept[proof] = Kept(
            factors: factors,
            password: password,
            scope: scope,
            connection: connection,
            made: clock.now
        )
        return proof
    }

    mutating func forget(_ proof: PresenceProof) {
        kept[proof] = nil
    }

    /// What was proved for an item.
    ///
    /// - Parameter isNew: whether it is being written: then a password for a new item of its group counts, too.
    func proved(
        _ credentials: ItemCredentials,
        for item: GuardedItem,
        isNew: Bool,
        at clock: StartClock
    ) -> (factors: PresenceFactors, password: ApplicationPassword?) {
        let now = clock.now
        var factors: PresenceFactors = []
        var password: SecretBytes?
        for proof in credentials.proofs {
            guard let kept = kept[proof], kept.connection == credentials.connection, !kept.isOver(at: now),
                isGood(kept.scope, for: item, isNew: isNew, at: now)
            else { continue }
            factors.formUnion(kept.factors)
            password = kept.password ?? password
        }
        return (factors, password.flatMap { try? ApplicationPassword($0) })
    }

    private func isGood(_ scope: PresenceScope, for item: GuardedItem, isNew: Bool, at now: UInt64) -> Bool {
        switch scope {
        case .items(let items):
            // What is written may be given another group; nothing comes out.
            guard let group = items[item.uuid] else { return false }
            return isNew || group.hasSameBytes(as: item.accessGroup)
        case .newItem(let group): return isNew && group.hasSameBytes(as: item.accessGroup)
        case .context(let id):
            guard let context = contexts[id], !context.isOver(at: now) else { return false }
            return AccessGroups(context.groups).contains(item.accessGroup)
        // It opens nothing.
        case .ownersView: return false
        }
    }

    /// Whether the owner has agreed to something about just these items. What is proved in a context is for what a program does
    /// with its own.
    func proveItems(_ items: [ItemUUID: String], _ credentials: ItemCredentials, at clock: StartClock) -> Bool {
        let now = clock.now
        return credentials.proofs.contains { proof in
            guard let kept = kept[proof], kept.connection == credentials.connection, !kept.isOver(at: now),
                case .items(let proved) = kept.scope, PresenceDemand.owner.isMet(by: kept.factors)
            else { return false }
            return items.allSatisfy { uuid, group in proved[uuid].map { $0.hasSameBytes(as: group) } ?? false }
        }
    }

    /// Whether the owner has agreed that all items are seen.
    func proveView(_ credentials: ItemCredentials, at clock: StartClock) -> Bool {
        let now = clock.now
        return credentials.proofs.contains { proof in
            guard let kept = kept[proof], kept.connection == credentials.connection, !kept.isOver(at: now) else {
                return false
            }
            return kept.scope == .ownersView && PresenceDemand.owner.isMet(by: kept.factors)
        }
    }
}

package import Crypto
package import KeychainModel
import KeychainSystem
package import MessageBus
import SecretServiceSession

/// The Secret Service as a state machine: calls of clients come in, and answers, signals and requests to the keychain go
/// out. It knows no bus, no keychain and no clock.
///
/// Everything but secrets is in its memory, so that a search asks nobody.
package struct SecretService {
    package typealias Ticket = UInt64

    package enum Effect: Sendable {
        case reply(BusCall.ID, BusReply)
        case signal(BusSignal)
        /// Write a secret to the descriptor that came with a call, and answer whether that could be done.
        case give(BusCall.ID, SecretBytes, done: BusReply, refused: BusReply)
        /// What the keychain is asked for on behalf of a client; the answer goes to `answered`.
        case store(Ticket, StoreRequest, client: String)
        /// Nobody waits for this answer any more.
        case withdraw(Ticket)
        /// A client has left: what was proved for it counts no more.
        case forget(client: String)
    }

    typealias Continuation = @Sendable (inout SecretService, StoreResult) -> Void

    struct Pending {
        let client: String
        let goOn: Continuation
    }

    var collections: [String: SecretCollection] = [:]
    /// Their ids in the order in which clients see them.
    var order: [String] = []
    var aliases: [String: String] = [:]
    var sessions = TransferSessions()
    var prompts: [String: SecretPrompt] = [:]
    var pending: [Ticket: Pending] = [:]
    var effects: [Effect] = []
    var announcements = Announcements()
    var key: SymmetricKey
    var lock = SecretLock.locked
    /// The present moment in seconds since 1970-01-01, as the last event said it.
    var now: UInt64 = 0
    /// Made ahead: a client that opens a session waits for half of the work.
    private var spare: KeyAgreement?
    /// Whether it is of no use to try again, since a library is missing.
    private var cannotAgree = false
    private var lastTicket: Ticket = 0
    private var lastSlot: Slot = 0
    private var lastNumber: UInt64 = 0

    /// - Parameter stored: what the keychain has.
    package init(_ stored: StoredSecrets) {
        key = stored.key
        collections[Self.sessionID] = SecretCollection(
            StoredCollection(id: Self.sessionID, label: "Session"),
            isInMemory: true
        )
        collections[Self.portalID] = SecretCollection(StoredCollection(id: Self.portalID, label: "Applications"))
        order = [Self.sessionID]
        _ = load(stored)
    }

    static let loginID = "login"
    static let sessionID = "session"
    /// Where the portal's secrets are. No client sees it: it has no path, since no path has a point, and is in no list.
    package static let portalID = "org.freedesktop.portal.Secret"

    // MARK: - Events

    /// A method was called.
    ///
    /// - Parameter now: in seconds since 1970-01-01.
    package mutating func receive(_ call: BusCall, at now: UInt64) -> [Effect] {
        self.now = now
        do throws(BusError) {
            try answer(call)
        } catch {
            reply(call, .failure(error))
        }
        return drained()
    }

    /// The keychain has answered.
    package mutating func answered(_ ticket: Ticket, _ result: StoreResult, at now: UInt64) -> [Effect] {
        self.now = now
        if let pending = pending.removeValue(forKey: ticket) { pending.goOn(&self, result) }
        return drained()
    }

    /// A client has left the bus.
    package mutating func left(_ client: String) -> [Effect] {
        sessions.forget(client)
        for (id, prompt) in prompts where prompt.client == client {
            prompts[id] = nil
            if let ticket = prompt.ticket { effects.append(.withdraw(ticket)) }
        }
        for (ticket, pending) in pending where pending.client == client { effects.append(.withdraw(ticket)) }
        effects.append(.forget(client: client))
        return drained()
    }

    /// Ends the prompts that nobody has ended in time, and tells what was not told at once.
    package mutating func passed(to now: UInt64) -> [Effect] {
        self.now = now
        for (id, prompt) in prompts where prompt.deadline <= now { dismiss(id, prompt) }
        return drained()
    }

    package var isLocked: Bool { lock == .locked }
    /// What the blind attributes are made with.
    package var blindKey: SymmetricKey { key }
    package func hasCollection(_ id: String) -> Bool { collections[id] != nil }

    /// When `passed` has something to do; nil for never.
    package var nextDeadline: UInt64? {
        let prompt = prompts.values.lazy.map(\.deadline).min()
        let announcement = announcements.deadline(after: now)
        guard let prompt, let announcement else { return prompt ?? announcement }
        return min(prompt, announcement)
    }

    /// Whether `prepare` has nothing to do.
    package var isPrepared: Bool { spare != nil || cannotAgree }

    /// Makes ahead what the next session needs. Called when nothing else is to be done.
    package mutating func prepare() {
        guard !isPrepared else { return }
        spare = try? KeyAgreement()
        cannotAgree = spare == nil
    }

    // MARK: - What the rest of it uses

    mutating func agreement() throws(KeychainError) -> KeyAgreement {
        guard let made = spare else { return try KeyAgreement() }
        spare = nil
        return made
    }

    mutating func reply(_ call: BusCall, _ reply: BusReply) {
        effects.append(.reply(call.id, reply))
    }

    mutating func reply(_ call: BusCall, _ values: [BusValue]) {
        reply(call, .values(values))
    }

    mutating func ask(for client: String, _ request: StoreRequest, _ goOn: @escaping Continuation) -> Ticket {
        lastTicket += 1
        pending[lastTicket] = Pending(client: client, goOn: goOn)
        effects.append(.store(lastTicket, request, client: client))
        return lastTicket
    }

    mutating func nextSlot() -> Slot {
        lastSlot += 1
        return lastSlot
    }

    /// A number that no session, prompt or item in memory had before.
    mutating func nextNumber() -> String {
        lastNumber += 1
        return String(lastNumber)
    }

    mutating func drained() -> [Effect] {
        announce()
        defer { effects = [] }
        return effects
    }
}

extension BusError {
    /// What the keychain's refusal is called on the bus. Its text tells nothing of an item.
    init(_ error: KeychainError) {
        self =
            switch error.code {
            case .interactionNotAllowed, .authenticationFailed, .userCanceled: .isLocked
            case .itemNotFound: .noSuchObject
            case .dataTooLarge, .diskFull: .limit(error.message)
            case .invalidParameter: .invalidArguments(error.message)
            default: .failed(error.message)
            }
    }
}

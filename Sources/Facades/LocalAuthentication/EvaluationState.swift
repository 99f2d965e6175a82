import Foundation
import Synchronization

/// What a context remembers, for any number of threads: whether it still lives, its credentials, and the evaluations
/// that wait for an answer.
final class EvaluationState: Sendable {
    typealias Reply = @Sendable (Bool, (any Error)?) -> Void

    private struct Contents {
        var isInvalidated = false
        /// Secrets, of a type that no declaration here may name: see `Package.swift`.
        var credentials: [LACredentialType: any AnyObject & Sendable] = [:]
        var pending: [Int: Reply] = [:]
        var lastTicket = 0
        /// What was proved, of a type that no declaration here may name either.
        var presence: (any AnyObject & Sendable)?
    }

    private let contents = Mutex(Contents())

    /// Replies come from here, as documented: from a queue of the framework's own, never from the caller's call.
    private static let replies = DispatchQueue(label: "LocalAuthentication.replies", attributes: .concurrent)

    var isInvalidated: Bool { contents.withLock(\.isInvalidated) }

    // MARK: Evaluations

    /// Takes note of an evaluation. Each ticket is answered once; nil says that the context is invalid, and nobody is
    /// answered.
    func begin(_ reply: @escaping Reply) -> Int? {
        contents.withLock { contents in
            guard !contents.isInvalidated else { return nil }
            contents.lastTicket += 1
            contents.pending[contents.lastTicket] = reply
            return contents.lastTicket
        }
    }

    /// Answers an evaluation, unless it was answered or cancelled before.
    func end(_ ticket: Int, _ error: (any Error)?) {
        guard let reply = contents.withLock({ $0.pending.removeValue(forKey: ticket) }) else { return }
        Self.send(error, to: reply)
    }

    /// Cancels what waits, forgets the credentials, and refuses what comes.
    ///
    /// - Returns: what was proved, to be forgotten as well.
    func invalidate() -> (any AnyObject & Sendable)? {
        let (cancelled, presence) = contents.withLock { contents in
            let cancelled = contents.pending.values.map(\.self)
            contents.pending = [:]
            contents.credentials = [:]
            contents.isInvalidated = true
            defer { contents.presence = nil }
            return (cancelled, contents.presence)
        }
        for reply in cancelled { Self.send(LAError(.appCancel, because: "the context was invalidated"), to: reply) }
        return presence
    }

    // MARK: What was proved

    /// Where proofs are kept, made when it is first needed; nil once the context is invalid.
    func presenceContext(_ make: () -> (any AnyObject & Sendable)?) -> (any AnyObject & Sendable)? {
        let (isInvalidated, known) = contents.withLock { ($0.isInvalidated, $0.presence) }
        if isInvalidated || known != nil { return known }
        let new = make()
        return contents.withLock { contents in
            guard !contents.isInvalidated else { return nil }
            if contents.presence == nil { contents.presence = new }
            return contents.presence
        }
    }

    static func send(_ error: (any Error)?, to reply: @escaping Reply) {
        replies.async { reply(error == nil, error) }
    }

    // MARK: Credentials

    /// Keeps a credential, or forgets it; false if the context is invalid.
    func setCredential(_ credential: (any AnyObject & Sendable)?, type: LACredentialType) -> Bool {
        contents.withLock { contents in
            guard !contents.isInvalidated else { return false }
            contents.credentials[type] = credential
            return true
        }
    }

    func hasCredential(_ type: LACredentialType) -> Bool { credential(type) != nil }

    func credential(_ type: LACredentialType) -> (any AnyObject & Sendable)? {
        contents.withLock { $0.credentials[type] }
    }
}

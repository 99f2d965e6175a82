import KeychainClient
import KeychainModel
import PasskeyProtocol
import Synchronization

/// The questions of one device: one at a time, which can be taken back.
final class OwnerQuestions: Sendable {
    private struct State {
        var open: (any PresenceContext)?
        var isCancelled = false
    }

    private let state = Mutex(State())
    /// Called when somebody begins to be asked, and when that ends.
    private let changed: @Sendable (_ isAsking: Bool) -> Void

    /// Of all devices together: who opens another one asks no more often, and not at the same time. Two prompts at once
    /// have the owner answer the wrong one.
    private static let shared = Mutex(Shared())

    private struct Shared {
        var budget = PromptBudget(mostDeclinedOfAll: 4)
        var isAsking = false
    }

    init(changed: @escaping @Sendable (_ isAsking: Bool) -> Void) {
        self.changed = changed
    }

    /// A new request begins, which was not cancelled.
    func begin() { state.withLock { $0.isCancelled = false } }

    /// Takes the open question back, and lets the request ask no other.
    func cancel() {
        let context = state.withLock { state in
            state.isCancelled = true
            return state.open
        }
        context?.invalidate()
    }

    /// - Throws: what `PasskeyKeychain.ask` throws.
    func ask(_ question: PasskeyQuestion) throws(CTAPStatus) -> OwnerConsent {
        let site = question.site?.id ?? "no site"
        try Self.begin(for: site)
        defer { Self.shared.withLock { $0.isAsking = false } }
        do throws(KeychainError) {
            let consent = try OwnerConsent(for: question)
            state.withLock { if !$0.isCancelled { $0.open = consent.context } }
            defer { state.withLock { $0.open = nil } }
            try requireWanted()
            changed(true)
            defer { changed(false) }
            try consent.ask()
            // It may have been taken back at the instant of the answer.
            try requireWanted()
            return consent
        } catch {
            throw status(error, site)
        }
    }

    private func requireWanted() throws(KeychainError) {
        guard !state.withLock(\.isCancelled) else { throw PresenceFailure.interrupted.error }
    }

    /// Any program says what site it is for.
    private static let longestName = 64

    private static func begin(for site: String) throws(CTAPStatus) {
        let hasBegun: Bool
        do throws(PromptBudget.Refusal) {
            hasBegun = try shared.withLock { shared throws(PromptBudget.Refusal) in
                guard !shared.isAsking else { return false }
                try shared.budget.take(for: site, at: .now)
                shared.isAsking = true
                return true
            }
        } catch {
            if error.isFirst {
                let name = site.unicodeScalars.count > longestName ? site.prefix(longestName) + "…" : site[...]
                PasskeysTool.complain(
                    "the owner is not asked for “\(name)” for some minutes: there were too many questions, or refusals"
                )
            }
            throw .operationDenied
        }
        guard hasBegun else { throw .operationDenied }
    }

    private func status(_ error: KeychainError, _ site: String) -> CTAPStatus {
        if state.withLock(\.isCancelled) { return .keepAliveCancel }
        guard case .failed(let failure) = error.presence else { return PasskeyFailure.status(error) }
        switch failure {
        case .declined, .fallback, .failed:
            Self.shared.withLock { $0.budget.decline(for: site, at: .now) }
            return failure == .failed ? .uvInvalid : .operationDenied
        case .interrupted: return .userActionTimeout
        case .biometryLockout: return .uvBlocked
        case .noPasscode, .noBiometry, .notEnrolled, .noCompanion, .nobodyToAsk, .tooMany, .notInteractive:
            PasskeysTool.complain(error.message)
            return .operationDenied
        }
    }
}

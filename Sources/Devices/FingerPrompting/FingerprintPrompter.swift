import CKeychainLinux
import Dispatch
import EnclaveDesk
package import EnclaveInterface
import FingerprintReader
import Glibc
import KeychainAccounts
package import KeychainModel
import KeychainSystem
import Synchronization

/// Reads a user's fingers for prompts, and brings what was read to the desk. For a process that the desk trusts.
package final class FingerprintPrompter: Prompter {
    private let uid: UInt32
    private let reader = FingerprintReader()
    private let templates: String
    private let desk: @Sendable () throws(KeychainError) -> any ReaderDesk
    /// A thread for each finger that is waited for, of which there is one for a user, and for each look.
    private static let waiting = DispatchQueue(label: "chatelaine.fingers", attributes: .concurrent)
    /// What ends the reading, by question.
    private let shown = Mutex<[ItemUUID: WakeUp]>([:])

    /// - Parameters:
    ///   - templates: fprintd's folder, which not everybody may read; the set of fingers is unknown then.
    ///   - desk: where answers go.
    package init(
        uid: UInt32,
        templates: String = EnrolledTemplates.systemFolder,
        desk: @escaping @Sendable () throws(KeychainError) -> any ReaderDesk
    ) {
        self.uid = uid
        self.templates = templates
        self.desk = desk
    }

    package func show(_ prompt: Prompt) {
        guard prompt.wish == .proof(.biometry) else { return }
        guard let stop = try? WakeUp() else { return decline(prompt.question, because: .noBiometry) }
        let isNew = shown.withLock { shown in
            guard shown[prompt.question] == nil else { return false }
            shown[prompt.question] = stop
            return true
        }
        guard isNew else { return }
        Self.waiting.async { [self] in
            read(for: prompt.question, until: stop)
            shown.withLock { $0[prompt.question] = nil }
        }
    }

    package func withdraw(_ question: ItemUUID) {
        shown.withLock { $0[question] }?.signal()
    }

    package func report(_ factor: PresenceFactors) {
        guard factor == .biometry else { return }
        Self.waiting.async { [self] in
            // A desk that is gone does not wait for it.
            try? desk().take(seen, of: .biometry)
        }
    }

    // MARK: - One question

    private func read(for question: ItemUUID, until stop: WakeUp) {
        guard let name = UserAccount(uid: uid)?.exactName else { return decline(question, because: .noBiometry) }
        do throws(KeychainError) {
            while true {
                let verdict = reader.verify(user: name, until: stop.number, patience: PresenceDesk.patience) {
                    guard let hint = ReaderHint($0) else { return }
                    try? desk().hint(question, hint, by: .biometry)
                }
                switch verdict {
                case .matched:
                    _ = try desk().matched(question, by: .biometry)
                    return
                case .noMatch: guard try desk().mismatched(question, by: .biometry) == .wrong else { return }
                case .cancelled: return
                case .obstacle(let obstacle): return decline(question, because: obstacle.failure)
                }
            }
        } catch {
            // The desk is gone, and the question with it.
            return
        }
    }

    private func decline(_ question: ItemUUID, because failure: PresenceFailure) {
        try? desk().decline(question, because: failure, of: .biometry)
    }

    // MARK: - What can be seen

    private var seen: ReaderState {
        guard let name = UserAccount(uid: uid)?.exactName else { return ReaderState(obstacle: .noBiometry, set: nil) }
        return switch (reader.availability(of: name), EnrolledTemplates.read(of: name, in: templates)) {
        case (.ready, let templates): ReaderState(obstacle: nil, set: templates.set)
        case (.obstacle(.nothingEnrolled), .none): ReaderState(obstacle: .notEnrolled, set: .empty)
        case (.obstacle(.nothingEnrolled), let templates): ReaderState(obstacle: .notEnrolled, set: templates.set)
        // What does not work says nothing about the fingers.
        case (.obstacle, _): ReaderState(obstacle: .noBiometry, set: nil)
        }
    }
}

extension EnrolledTemplates {
    /// Nil where it is not known, or could change without being another one.
    fileprivate var set: EnrolledSet? {
        guard case .digest(let digest) = self, digest.coversPrints else { return nil }
        return EnrolledSet(digest.bytes)
    }
}

extension FingerprintObstacle {
    fileprivate var failure: PresenceFailure {
        switch self {
        case .nothingEnrolled: .notEnrolled
        case .timedOut: .interrupted
        case .noBus, .noService, .untrustedService, .noReader, .notPermitted, .busy, .noAnswer, .serviceLost,
            .readerLost,
            .failed, .misbehaving, .unusableName:
            .noBiometry
        }
    }
}

extension ReaderHint {
    fileprivate init?(_ message: FingerprintMessage) {
        switch message {
        case .waiting: return nil
        case .retry: self = .retry
        case .swipeTooShort: self = .swipeTooShort
        case .notCentered: self = .notCentered
        case .removeAndRetry: self = .removeAndRetry
        }
    }
}

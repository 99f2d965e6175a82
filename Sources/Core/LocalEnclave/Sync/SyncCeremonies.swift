import EnclaveDesk
import EnclaveInterface
import Glibc
import KeychainModel
import KeychainSync
import Synchronization

/// The ceremony in which a device is added, at either end: one at a time, and gone with the process.
///
/// The keychain service carries its messages, and knows all digits. So they are typed here: the owner brings them
/// straight to the enclave, with proof of who it is.
final class SyncCeremonies: Sendable {
    fileprivate enum Ceremony {
        case none
        case joining(JoiningDevice, shown: String)
        /// With the consent, until it is fetched, and after that.
        case consented(JoinConsent)
        case approving(ApprovingMember, shown: String, isRevealed: Bool)
        case allowed
    }

    private let keys: SyncKeys
    private let current = Protected(State())

    private struct State {
        var ceremony = Ceremony.none
        /// When it began, in milliseconds since 1970.
        var since: UInt64 = 0
    }

    private static let longest: UInt64 = 600_000

    init(_ keys: SyncKeys) {
        self.keys = keys
    }

    /// Milliseconds since 1970.
    private static var clock: UInt64 {
        var time = timespec()
        // It fails for no clock that there is.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) * 1_000 + UInt64(clamping: time.tv_nsec / 1_000_000)
    }

    private func use<Value>(
        _ body: (inout Ceremony, UInt64) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let clock = Self.clock
        return try current.withState { (state) throws(KeychainError) in
            if clock < state.since || clock - state.since > Self.longest { state.ceremony = .none }
            let isNew = state.ceremony.isOver
            defer { if isNew, !state.ceremony.isOver { state.since = clock } }
            return try body(&state.ceremony, clock)
        }
    }

    /// Whether no ceremony is under way.
    var isAtRest: Bool {
        (try? use { (ceremony, _) throws(KeychainError) in ceremony.isOver }) ?? true
    }

    // MARK: - For the owner

    func state(ending: Bool) throws(KeychainError) -> SyncCeremonyState {
        try use { (ceremony, _) throws(KeychainError) in
            if ending { ceremony = .none }
            return ceremony.state
        }
    }

    func type(_ digits: SecretBytes) throws(KeychainError) -> SyncCeremonyState {
        let digits = unsafe digits.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        return try use { (ceremony, clock) throws(KeychainError) in
            switch ceremony {
            case .joining(var joining, let shown) where !shown.isEmpty:
                ceremony = .none
                let file = try keys.file()
                let consent: JoinConsent
                do {
                    consent = try joining.type(digits, clock: clock) { [keys] in try keys.store.sign($0, with: file) }
                } catch {
                    throw Self.translated(error)
                }
                guard let answer = joining.accepted else { throw Self.nothing }
                try keys.store.edit { (file) throws(KeychainError) in
                    guard file?.circle == nil else { throw SyncKeys.member }
                    file?.circle = answer.circle
                }
                ceremony = .consented(consent)
            case .approving(var approving, "", true):
                ceremony = .none
                do throws(JoinFailure) {
                    let shown = try approving.type(digits, clock: clock)
                    ceremony = .approving(approving, shown: shown, isRevealed: true)
                } catch {
                    try count(failure: true, clock)
                    throw Self.translated(error)
                }
            default: throw Self.nothing
            }
            return ceremony.state
        }
    }

    private static let nothing = KeychainError(.itemNotFound, "no device waits for digits; begin once more on both")

    // MARK: - For the service

    func take(_ step: SyncCeremonyStep, _ message: [UInt8]) throws(KeychainError) -> [UInt8] {
        switch step {
        case .begin: try begin()
        case .request: try take(request: message)
        case .answer: try take(answer: message)
        case .reveal: try take(reveal: message)
        case .fetchConsent: try fetchConsent()
        case .consent: try take(consent: message)
        }
    }

    private func begin() throws(KeychainError) -> [UInt8] {
        // A device that has consented and was never added begins as a new one.
        let file = try keys.existingOrNew { $0.circle == nil || $0.isMember($0.card.id) }
        guard file.circle == nil else { throw SyncKeys.member }
        return try use { (ceremony, clock) throws(KeychainError) in
            // A device that has consented is done.
            if case .consented = ceremony { ceremony = .none }
            guard ceremony.isOver else { throw Self.busy }
            var random = SystemRandomNumberGenerator()
            let joining = JoiningDevice(
                file.card,
                ceremony: SyncName(using: &random),
                nonce: Self.nonce(),
                clock: clock
            )
            ceremony = .joining(joining, shown: "")
            return joining.request.encoded
        }
    }

    private func take(answer message: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard let answer = try? JoinAnswer(message) else { throw SyncKeys.malformed }
        return try use { (ceremony, clock) throws(KeychainError) in
            guard case .joining(var joining, "") = ceremony else { throw Self.otherCeremony }
            do throws(JoinFailure) {
                let (reveal, shown) = try joining.take(answer, clock: clock)
                ceremony = .joining(joining, shown: shown)
                return reveal.encoded
            } catch {
                throw Self.translated(error)
            }
        }
    }

    private func fetchConsent() throws(KeychainError) -> [UInt8] {
        try use { (ceremony, _) throws(KeychainError) in
            guard case .consented(let consent) = ceremony else { throw Self.otherCeremony }
            return consent.encoded
        }
    }

    private func take(request message: [UInt8]) throws(KeychainError) -> [UInt8] {
        let file = try keys.file()
        guard var reader = try? SyncReader(message, atMost: message.count),
            let first = try? reader.field(atMost: JoinRequest.largest), let request = try? JoinRequest(first),
            let second = try? reader.field(atMost: JoinAnswer.largest), let draft = try? JoinAnswer(second),
            (try? reader.end()) != nil, draft.ceremony == request.ceremony
        else { throw SyncKeys.malformed }
        guard draft.circle == file.circle, draft.card == file.card, file.isMember(file.card.id) else {
            throw SyncKeys.notAllowed("the answer is not this device's in its circle")
        }
        guard file.known(request.card.id) == nil else {
            throw KeychainError(.duplicateItem, "that device belongs to the circle already, or was removed from it")
        }
        return try use { (ceremony, clock) throws(KeychainError) in
            // A member has been added, and its own ceremony is over.
            if case .consented = ceremony { ceremony = .none }
            guard ceremony.isOver else { throw Self.busy }
            do throws(JoinFailure) {
                let answer = draft.withNonce(Self.nonce())
                let approving = try ApprovingMember(request, answering: answer, limit: file.limit, clock: clock)
                ceremony = .approving(approving, shown: "", isRevealed: false)
                return answer.encoded
            } catch {
                throw Self.translated(error)
            }
        }
    }

    private func take(reveal message: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard let reveal = try? JoinReveal(message) else { throw SyncKeys.malformed }
        return try use { (ceremony, clock) throws(KeychainError) in
            guard case .approving(var approving, "", false) = ceremony else { throw Self.otherCeremony }
            do throws(JoinFailure) {
                try approving.take(reveal, clock: clock)
                ceremony = .approving(approving, shown: "", isRevealed: true)
                return []
            } catch {
                // Another ceremony's message ends none: anybody can bring one.
                if error != .otherCeremony {
                    ceremony = .none
                    try count(failure: true, clock)
                }
                throw Self.translated(error)
            }
        }
    }

    private func take(consent message: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard let consent = try? JoinConsent(message) else { throw SyncKeys.malformed }
        return try use { (ceremony, clock) throws(KeychainError) in
            guard case .approving(var approving, let shown, _) = ceremony, !shown.isEmpty else {
                throw Self.otherCeremony
            }
            do throws(JoinFailure) {
                let (card, _) = try approving.take(consent, clock: clock)
                ceremony = .allowed
                keys.grants.withLock { $0.allow(.add(card.id), at: StartClock.current.now) }
                try? count(failure: false, clock)
                return []
            } catch {
                if error != .otherCeremony { ceremony = .none }
                throw Self.translated(error)
            }
        }
    }

    // MARK: -

    /// Written before it is answered: digits cannot be guessed over days.
    private func count(failure: Bool, _ clock: UInt64) throws(KeychainError) {
        try keys.store.edit { (file) throws(KeychainError) in
            if failure { file?.limit.fail(clock: clock) } else { file?.limit.succeed() }
        }
    }

    private static func nonce() -> SyncHash {
        var random = SystemRandomNumberGenerator()
        return SyncHash((0..<SyncHash.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }) ?? .zero
    }

    private static let busy = KeychainError(.duplicateItem, "another device is being added; finish or end that first")
    private static let otherCeremony = translated(JoinFailure.otherCeremony)

    private static func translated(_ error: any Error) -> KeychainError {
        switch error {
        case let error as KeychainError: error
        case let failure as JoinFailure:
            switch failure {
            case .expired: KeychainError(.itemNotFound, "it has taken longer than ten minutes; begin once more on both")
            case .otherCeremony: KeychainError(.itemNotFound, "the message belongs to no ceremony that is under way")
            case .brokenCommitment, .wrongDigits:
                KeychainError(
                    .authenticationFailed,
                    "these are not the digits that the other device shows, or somebody is in between; begin once more on both"
                )
            case .noConsent: KeychainError(.authenticationFailed, "the other device has not consented to this circle")
            case .tooManyFailures(let end):
                KeychainError(
                    .authenticationFailed,
                    "too many ceremonies have failed; try again in \((end - min(end, clock)) / 60_000 + 1) minutes"
                )
            }
        default: KeychainError(.internalError, "the ceremony has failed")
        }
    }
}

extension SyncCeremonies.Ceremony {
    fileprivate var isOver: Bool {
        switch self {
        case .none, .allowed: true
        case .joining, .consented, .approving: false
        }
    }

    fileprivate var state: SyncCeremonyState {
        switch self {
        case .none: SyncCeremonyState(.none)
        case .joining(_, ""): SyncCeremonyState(.requested)
        case .joining(_, let shown): SyncCeremonyState(.showing, digits: shown)
        case .consented: SyncCeremonyState(.consented)
        case .approving(_, "", let isRevealed): SyncCeremonyState(isRevealed ? .waiting : .answered)
        case .approving(_, let shown, _): SyncCeremonyState(.typed, digits: shown)
        case .allowed: SyncCeremonyState(.allowed)
        }
    }
}

import Dispatch
import Foundation
import Security

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// The keychain that this process uses has its owner asked: its enclave judges what they prove.
struct KeychainPresence: PresenceService {
    /// Evaluations wait for people, on a queue that nothing else waits for.
    private static let waiting = DispatchQueue(label: "LocalAuthentication.evaluations", attributes: .concurrent)

    private var status: PresenceStatus? { try? CurrentKeychain.presence().presenceStatus() }

    var biometryType: LABiometryType { status.map(Self.biometryType(of:)) ?? .none }

    private static func biometryType(of status: PresenceStatus) -> LABiometryType {
        switch status[.biometry].obstacle {
        // A finger could be read even where no prompt can show the reason.
        case nil, .notEnrolled, .biometryLockout, .nobodyToAsk: .touchID
        default: .none
        }
    }

    var snapshot: PresenceSnapshot {
        let status = status
        return PresenceSnapshot(
            biometryType: status.map(Self.biometryType(of:)) ?? .none,
            biometrySet: status?[.biometry].enrolled.map { Data($0) },
            biometryObstacle: status == nil ? .notInteractive : status?[.biometry].obstacle?.code,
            passcodeObstacle: status == nil ? .notInteractive : status?[.passcode].obstacle?.code,
            hasPasscode: status.map(\.hasPasscode)
        )
    }

    var biometrySet: Data? { status?[.biometry].enrolled.map { Data($0) } }

    func obstacle(to policy: LAPolicy) -> LAError? {
        guard let status else { return LAError(describing: .notInteractive) }
        // Apple's want a passcode even where a finger is enough.
        if policy == .deviceOwnerAuthentication, !status.hasPasscode { return PresenceFailure.noPasscode.laError }
        return status.obstacle(to: policy.demand)?.laError
    }

    func makeContext() -> (any AnyObject & Sendable)? { try? CurrentKeychain.presence().makeContext() }

    func evaluate(
        _ question: ContextQuestion,
        _ wishes: PresenceWishes,
        in context: (any AnyObject & Sendable)?,
        reply: @escaping @Sendable (LAError?) -> Void
    ) {
        guard let context = context as? any PresenceContext else {
            return reply(LAError(describing: .notInteractive))
        }
        let reuse = UnlockReuse(seconds: wishes.reuseDuration)
        if case .policy(let policy) = question, let obstacle = obstacle(to: policy),
            // Nobody has to be asked where the session was unlocked with a finger just now; the enclave knows.
            obstacle.code != .notInteractive || reuse == .none
        {
            return reply(obstacle)
        }
        var request = PresenceRequest(question.demand)
        request.reuse = reuse
        request.asksPassword = question.asksPassword
        request.prompt.reason = wishes.reason
        request.prompt.cancelTitle = wishes.cancelTitle
        request.prompt.fallbackTitle = wishes.fallbackTitle
        Self.waiting.async { [request] in
            do throws(KeychainError) {
                try context.evaluate(request)
                reply(nil)
            } catch {
                guard case .failed(let failure) = error.presence else {
                    return reply(LAError(describing: .systemCancel, cause: error.message))
                }
                reply(failure.laError)
            }
        }
    }
}

extension PresenceStatus {
    fileprivate var hasPasscode: Bool { self[.passcode].obstacle != .noPasscode }
}

extension LAPolicy {
    fileprivate var demand: PresenceDemand {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion: .biometry
        case .deviceOwnerAuthentication: .owner
        case .deviceOwnerAuthenticationWithCompanion: .impossible
        case .deviceOwnerAuthenticationWithWristDetection: .passcode
        }
    }
}

extension ContextQuestion {
    fileprivate var demand: PresenceDemand {
        switch self {
        case .policy(let policy): policy.demand
        case .accessControl(let demand, _, _): PresenceDemand(bits: demand.alternatives) ?? .impossible
        }
    }

    fileprivate var asksPassword: Bool {
        if case .accessControl(let demand, _, let hasPassword) = self {
            demand.needsApplicationPassword && !hasPassword
        } else {
            false
        }
    }
}

extension PresenceFailure {
    fileprivate var code: LAError.Code { LAError.Code(rawValue: laErrorNumber) ?? .authenticationFailed }

    /// As LocalAuthentication says it, with the keychain's own sentence.
    fileprivate var laError: LAError { LAError(describing: code, cause: error.message) }
}

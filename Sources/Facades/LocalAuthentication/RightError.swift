import Foundation
import Security

@_implementationOnly import KeychainModel

/// The errors of rights: an `LAError` for what a person did or did not do, the keychain's status otherwise.
enum RightError {
    static func of(_ status: OSStatus) -> any Error {
        switch status {
        case errSecUserCanceled: LAError(.userCancel, because: "the person declined")
        case errSecAuthFailed: LAError(.authenticationFailed, because: "the person was not recognised")
        case errSecInteractionNotAllowed: LAError(.notInteractive, because: "the right is not authorized")
        default:
            NSError(
                domain: NSOSStatusErrorDomain,
                code: Int(status),
                userInfo: [NSLocalizedDescriptionKey: SecCopyErrorMessageString(status, nil).map { "\($0)" } ?? ""]
            )
        }
    }

    /// Of asking which group is the program's own.
    static func of(_ error: KeychainError) -> any Error {
        switch error.code {
        case .missingEntitlement: of(errSecMissingEntitlement)
        case .interactionNotAllowed: of(errSecInteractionNotAllowed)
        default: of(errSecNotAvailable)
        }
    }

    static func reported(_ error: Unmanaged<CFError>?) -> any Error {
        guard let error = unsafe error?.takeRetainedValue() else { return of(errSecInternalError) }
        // What the person did, if that is known, says more than the status.
        if let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == LAErrorDomain {
            return LAError(_nsError: cause)
        }
        return of(OSStatus(truncatingIfNeeded: (error as NSError).code))
    }

    /// Answers the handler of a form that has one with what the asynchronous form gives.
    static func reply<Value: Sendable>(
        to handler: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do {
                handler(try await body(), nil)
            } catch {
                handler(nil, error)
            }
        }
    }

    static func reply(
        to handler: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        reply(to: { (_: Bool?, error) in handler(error) }) {
            try await body()
            return true
        }
    }
}

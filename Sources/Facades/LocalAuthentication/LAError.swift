public import Foundation

/// The domain of the errors of this module.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// The domain of the errors of this module.
public var kLAErrorDomain: String { LAErrorDomain }

/// Why a person could not prove who they are.
///
/// It is an `NSError` inside, so that casts go both ways: `error as? LAError` and `catch LAError.userCancel` match an
/// `NSError` of this domain with a code that is known, and `error as NSError` gives that error back.
public struct LAError: _BridgedStoredNSError, _ObjectiveCBridgeable, @unchecked Sendable {
    // `@unchecked`: an `NSError` does not change once it is made.
    public let _nsError: NSError

    public init(_nsError error: NSError) {
        _nsError = error
    }

    public static var errorDomain: String { LAErrorDomain }
    public static var _nsErrorDomain: String { LAErrorDomain }

    /// Why a person could not prove who they are.
    @nonexhaustive(warn)
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        public typealias _ErrorType = LAError

        /// The person failed to prove who they are.
        case authenticationFailed = -1
        /// The person declined.
        case userCancel = -2
        /// The person chose the fallback.
        case userFallback = -3
        /// The system interrupted, for example to show another program.
        case systemCancel = -4
        /// There is no passcode.
        case passcodeNotSet = -5
        /// There is no finger or face reader, or it cannot be used.
        case biometryNotAvailable = -6
        /// No finger or face is enrolled.
        case biometryNotEnrolled = -7
        /// There were too many failures; the passcode is needed.
        case biometryLockout = -8
        /// The program interrupted, by invalidating the context.
        case appCancel = -9
        /// The context was invalidated before.
        case invalidContext = -10
        /// There is no companion device nearby.
        case companionNotAvailable = -11
        /// The reader is a removable one and was never paired.
        case biometryNotPaired = -12
        /// The reader is a removable one and is not connected.
        case biometryDisconnected = -13
        /// The dimensions of a view do not fit.
        case invalidDimensions = -14
        /// Somebody would have to be asked, and that is forbidden.
        case notInteractive = -1004
    }

    /// The error's code; `authenticationFailed` for an `NSError` of another domain or an unknown code.
    public var code: Code {
        _nsError.domain == LAErrorDomain
            ? Code(rawValue: _nsError.code) ?? .authenticationFailed : .authenticationFailed
    }

    // Foundation's own implementation of hashing stops the process.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.domain)
        hasher.combine(_nsError.code)
    }

    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

// MARK: Bridging

extension LAError {
    public typealias _ObjectiveCType = NSError

    public func _bridgeToObjectiveC() -> NSError { _nsError }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
    }

    /// An error of this domain is one of these if its code is known.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        guard source.domain == LAErrorDomain, Code(rawValue: source.code) != nil else { return false }
        result = LAError(_nsError: source)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        LAError(_nsError: source ?? NSError(domain: LAErrorDomain, code: Code.authenticationFailed.rawValue))
    }
}

// MARK: Codes by the error's name

extension LAError {
    /// The person failed to prove who they are.
    public static var authenticationFailed: Code { .authenticationFailed }
    /// The person declined.
    public static var userCancel: Code { .userCancel }
    /// The person chose the fallback.
    public static var userFallback: Code { .userFallback }
    /// The system interrupted, for example to show another program.
    public static var systemCancel: Code { .systemCancel }
    /// There is no passcode.
    public static var passcodeNotSet: Code { .passcodeNotSet }
    /// There is no finger or face reader, or it cannot be used.
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    /// No finger or face is enrolled.
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    /// There were too many failures; the passcode is needed.
    public static var biometryLockout: Code { .biometryLockout }
    /// The program interrupted, by invalidating the context.
    public static var appCancel: Code { .appCancel }
    /// The context was invalidated before.
    public static var invalidContext: Code { .invalidContext }
    /// There is no companion device nearby.
    public static var companionNotAvailable: Code { .companionNotAvailable }
    /// The reader is a removable one and was never paired.
    public static var biometryNotPaired: Code { .biometryNotPaired }
    /// The reader is a removable one and is not connected.
    public static var biometryDisconnected: Code { .biometryDisconnected }
    /// The dimensions of a view do not fit.
    public static var invalidDimensions: Code { .invalidDimensions }
    /// Somebody would have to be asked, and that is forbidden.
    public static var notInteractive: Code { .notInteractive }

    /// The former name of `biometryNotAvailable`.
    public static var touchIDNotAvailable: Code { .biometryNotAvailable }
    /// The former name of `biometryNotEnrolled`.
    public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
    /// The former name of `biometryLockout`.
    public static var touchIDLockout: Code { .biometryLockout }
    /// The former name of `companionNotAvailable`.
    public static var watchNotAvailable: Code { .companionNotAvailable }
}

extension LAError.Code {
    /// The former name of `biometryNotAvailable`.
    public static var touchIDNotAvailable: LAError.Code { .biometryNotAvailable }
    /// The former name of `biometryNotEnrolled`.
    public static var touchIDNotEnrolled: LAError.Code { .biometryNotEnrolled }
    /// The former name of `biometryLockout`.
    public static var touchIDLockout: LAError.Code { .biometryLockout }
    /// The former name of `companionNotAvailable`.
    public static var watchNotAvailable: LAError.Code { .companionNotAvailable }
}

import Foundation
import Security

extension LAError {
    /// An error with a sentence for people; nothing in it comes from an item.
    init(_ code: Code, because reason: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: reason.sentence])
    }

    /// An error with the sentence of its code.
    ///
    /// - Parameter cause: what the keychain says of it, and what helps.
    init(describing code: Code, cause: String? = nil) {
        var information = [NSLocalizedDescriptionKey: code.reason.sentence]
        information[NSLocalizedFailureReasonErrorKey] = cause?.sentence
        self.init(code, userInfo: information)
    }
}

extension LAError.Code {
    fileprivate var reason: String {
        switch self {
        case .authenticationFailed: "the person was not recognised"
        case .userCancel: "the person declined"
        case .userFallback: "the person chose another way"
        case .systemCancel: "the system interrupted"
        case .passcodeNotSet: "there is no passcode"
        case .biometryNotAvailable: "there is no reader of fingers or faces"
        case .biometryNotEnrolled: "no finger or face is enrolled"
        case .biometryLockout: "there were too many failures"
        case .appCancel: "the program interrupted"
        case .invalidContext: "the context was invalidated before"
        case .companionNotAvailable: "there is no companion device"
        case .biometryNotPaired: "the reader was never paired"
        case .biometryDisconnected: "the reader is not connected"
        case .invalidDimensions: "the dimensions do not fit"
        case .notInteractive: "somebody would have to be asked, and cannot or must not be"
        }
    }
}

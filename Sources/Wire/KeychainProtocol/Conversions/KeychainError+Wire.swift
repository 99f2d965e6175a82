import KeychainMessages
import KeychainModel

extension WireError {
    init(_ error: KeychainError) {
        self.init()
        code = WireCode(error.code)
        message = error.message
        if case .failed(let failure) = error.presence { presence = WirePresenceFailure(failure) }
    }
}

extension KeychainError {
    /// An error of a later version, which is unknown here, is an internal one.
    init(_ wire: WireError) {
        let failure = PresenceFailure(wire.presence)
        self.init(Code(wire.code), wire.message, presence: failure.map { .failed($0) })
    }
}

extension WireCode {
    init(_ code: KeychainError.Code) {
        self =
            switch code {
            case .invalidParameter: .invalidParameter
            case .noSuchAttribute: .noSuchAttribute
            case .notSelectable: .notSelectable
            case .unsupportedReference: .unsupportedReference
            case .missingField: .missingField
            case .noSuchClass: .noSuchClass
            case .duplicateItem: .duplicateItem
            case .itemNotFound: .itemNotFound
            case .missingEntitlement: .missingEntitlement
            case .interactionNotAllowed: .interactionNotAllowed
            case .authenticationFailed: .authenticationFailed
            case .userCanceled: .userCanceled
            case .dataTooLarge: .dataTooLarge
            case .unimplemented: .unimplemented
            case .undecodable: .undecodable
            case .verifyFailed: .verifyFailed
            case .notAvailable: .notAvailable
            case .readOnly: .readOnly
            case .noPermission: .noPermission
            case .diskFull: .diskFull
            case .inputOutput: .inputOutput
            case .outOfMemory: .outOfMemory
            case .internalError: .internalError
            }
    }
}

extension KeychainError.Code {
    init(_ wire: WireCode) {
        self =
            switch wire {
            case .invalidParameter: .invalidParameter
            case .noSuchAttribute: .noSuchAttribute
            case .notSelectable: .notSelectable
            case .unsupportedReference: .unsupportedReference
            case .missingField: .missingField
            case .noSuchClass: .noSuchClass
            case .duplicateItem: .duplicateItem
            case .itemNotFound: .itemNotFound
            case .missingEntitlement: .missingEntitlement
            case .interactionNotAllowed: .interactionNotAllowed
            case .authenticationFailed: .authenticationFailed
            case .userCanceled: .userCanceled
            case .dataTooLarge: .dataTooLarge
            case .unimplemented: .unimplemented
            case .undecodable: .undecodable
            case .verifyFailed: .verifyFailed
            case .notAvailable: .notAvailable
            case .readOnly: .readOnly
            case .noPermission: .noPermission
            case .diskFull: .diskFull
            case .inputOutput: .inputOutput
            case .outOfMemory: .outOfMemory
            case .internalError, .unspecified, .UNRECOGNIZED: .internalError
            }
    }
}

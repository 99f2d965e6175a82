import CoreFoundationAliases

@_implementationOnly import KeychainModel

extension KeychainError {
    /// The one place where an internal error becomes the status that Apple documents for it
    /// (https://developer.apple.com/documentation/security/security-framework-result-codes).
    var status: OSStatus {
        switch code {
        case .invalidParameter: errSecParam
        case .noSuchAttribute: errSecNoSuchAttr
        case .notSelectable: errSecNotAvailable
        // errSecInternal, which is no public constant.
        case .unsupportedReference, .missingField: -26276
        case .noSuchClass: errSecNoSuchClass
        case .duplicateItem: errSecDuplicateItem
        case .itemNotFound: errSecItemNotFound
        case .missingEntitlement: errSecMissingEntitlement
        case .interactionNotAllowed: errSecInteractionNotAllowed
        case .authenticationFailed: errSecAuthFailed
        case .userCanceled: errSecUserCanceled
        case .dataTooLarge: errSecDataTooLarge
        case .unimplemented: errSecUnimplemented
        case .undecodable: errSecDecode
        case .verifyFailed: errSecVerifyFailed
        case .notAvailable: errSecNotAvailable
        case .readOnly: errSecReadOnly
        case .noPermission: errSecWrPerm
        case .diskFull: errSecDiskFull
        case .inputOutput: errSecIO
        case .outOfMemory: errSecAllocate
        case .internalError: errSecInternalComponent
        }
    }
}

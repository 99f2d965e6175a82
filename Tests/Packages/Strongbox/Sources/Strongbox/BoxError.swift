import Foundation

/// Why a box does not do something.
public enum BoxError: Int, CaseIterable, CustomNSError, Equatable, Sendable {
    case couldNotAccessKeychain
    case userCancelled
    case missingEntitlement
    case emptyKey
    case emptyValue
    case itemNotFound
    case keyToMigrateAlreadyExists

    init(status: OSStatus) {
        switch status {
        case errSecItemNotFound: self = .itemNotFound
        case errSecUserCanceled, errSecAuthFailed: self = .userCancelled
        case errSecMissingEntitlement: self = .missingEntitlement
        default: self = .couldNotAccessKeychain
        }
    }
}

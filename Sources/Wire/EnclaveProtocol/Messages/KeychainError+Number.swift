import KeychainModel

extension KeychainError.Code {
    /// What stands for the code in messages. It never changes, and none is 0.
    var number: UInt8 {
        switch self {
        case .invalidParameter: 1
        case .noSuchAttribute: 2
        case .notSelectable: 3
        case .unsupportedReference: 4
        case .missingField: 5
        case .noSuchClass: 6
        case .duplicateItem: 7
        case .itemNotFound: 8
        case .missingEntitlement: 9
        case .interactionNotAllowed: 10
        case .authenticationFailed: 11
        case .userCanceled: 12
        case .dataTooLarge: 13
        case .unimplemented: 14
        case .undecodable: 15
        case .notAvailable: 16
        case .readOnly: 17
        case .noPermission: 18
        case .diskFull: 19
        case .inputOutput: 20
        case .outOfMemory: 21
        case .internalError: 22
        case .verifyFailed: 23
        }
    }

    init?(number: UInt8) {
        guard let code = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = code
    }
}

import Foundation
import KeychainClient
import KeychainModel
import Security
import Testing

@Suite("What fails in the service")
struct FailureTests {
    /// A service of which every call fails.
    private struct FailingService: KeychainService {
        let code: KeychainError.Code

        func perform(
            _ operation: KeychainOperation,
            onBehalfOf program: String?
        ) throws(KeychainError) -> OperationResult {
            throw KeychainError(code, "a failure")
        }

        func performTogether(
            _ operations: [KeychainOperation],
            allOrNothing: Bool,
            onBehalfOf program: String?
        ) throws(KeychainError) -> [OperationOutcome] {
            throw KeychainError(code, "a failure")
        }
    }

    private static func status(of code: KeychainError.Code) -> OSStatus {
        switch code {
        case .invalidParameter: -50
        case .noSuchAttribute: -25303
        case .notSelectable: -25291
        case .unsupportedReference, .missingField: -26276
        case .noSuchClass: -25306
        case .duplicateItem: -25299
        case .itemNotFound: -25300
        case .missingEntitlement: -34018
        case .interactionNotAllowed: -25308
        case .authenticationFailed: -25293
        case .userCanceled: -128
        case .dataTooLarge: -25302
        case .unimplemented: -4
        case .undecodable: -26275
        case .verifyFailed: -67808
        case .notAvailable: -25291
        case .readOnly: -25292
        case .noPermission: -61
        case .diskFull: -34
        case .inputOutput: -36
        case .outOfMemory: -108
        case .internalError: -2070
        }
    }

    @Test(arguments: KeychainError.Code.allCases, EveryClass.allCases)
    func `each failure has Apple's status in every call and class, and leaves the result untouched`(
        code: KeychainError.Code,
        itemClass: EveryClass
    ) {
        CurrentKeychain.$override.withValue(FailingService(code: code)) {
            let status = Self.status(of: code)
            for call in Call.allCases { #expect(call(itemClass.item()) == status, "\(call)") }
            let dictionary = itemClass.item([kSecReturnAttributes: true, kSecReturnData: true]) as CFDictionary
            let added = resultAfter { SecItemAdd(dictionary, $0) }
            #expect(added.status == status && added.isUntouched)
            let found = resultAfter { SecItemCopyMatching(dictionary, $0) }
            #expect(found.status == status && found.isUntouched)
        }
    }
}

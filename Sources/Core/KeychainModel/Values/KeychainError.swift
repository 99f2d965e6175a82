/// A refusal or a failure, in the project's own terms.
///
/// The text of an error never carries a secret or an attribute's value, so it may be logged as it is. Two errors are
/// equal when their codes are.
package struct KeychainError: Error, Equatable, CustomStringConvertible {
    /// What went wrong. The façade maps each case to an `OSStatus`.
    ///
    /// The numbers stand for the codes in messages, both to the service (`Code` in `chatelaine.proto`) and to the
    /// enclave. They never change, and none is 0.
    package enum Code: UInt8, Sendable, CaseIterable {
        case invalidParameter = 1
        case noSuchAttribute = 2
        /// The attribute is one of the class, and no query can ask for it.
        case notSelectable = 3
        /// A persistent reference to what this call cannot take.
        case unsupportedReference = 4
        /// What is asked for does not stand in the certificate.
        case missingField = 5
        case noSuchClass = 6
        case duplicateItem = 7
        case itemNotFound = 8
        case missingEntitlement = 9
        case interactionNotAllowed = 10
        case authenticationFailed = 11
        case userCanceled = 12
        case dataTooLarge = 13
        case unimplemented = 14
        case undecodable = 15
        /// A signature that the key did not make of the data.
        case verifyFailed = 23
        case notAvailable = 16
        case readOnly = 17
        case noPermission = 18
        case diskFull = 19
        case inputOutput = 20
        case outOfMemory = 21
        case internalError = 22
    }

    package let code: Code
    /// One sentence for a developer or an administrator: what happened and, where there is something, what to do.
    package let message: String

    /// What it has to do with a person's presence, if it has.
    package let presence: Presence?

    package enum Presence: Sendable {
        /// The owner has to be asked first.
        case needed(PresenceNeed)
        /// The owner was asked, or could not be.
        case failed(PresenceFailure)
    }

    package init(_ code: Code, _ message: String, presence: Presence? = nil) {
        self.code = code
        self.message = message
        self.presence = presence
    }

    /// Why items were not released that a person has to be asked for; nil for any other error.
    package var need: PresenceNeed? {
        if case .needed(let need) = presence { need } else { nil }
    }

    package static func == (left: KeychainError, right: KeychainError) -> Bool {
        left.code == right.code
    }

    package var description: String { "\(code): \(message)" }
}

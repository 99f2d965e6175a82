/// A refusal or a failure, in the project's own terms.
///
/// The text of an error never carries a secret or an attribute's value, so it may be logged as it is. Two errors are
/// equal when their codes are.
package struct KeychainError: Error, Equatable, CustomStringConvertible {
    /// What went wrong. The façade maps each case to an `OSStatus`.
    package enum Code: Sendable, CaseIterable {
        case invalidParameter
        case noSuchAttribute
        /// The attribute is one of the class, and no query can ask for it.
        case notSelectable
        /// A persistent reference to what this call cannot take.
        case unsupportedReference
        /// What is asked for does not stand in the certificate.
        case missingField
        case noSuchClass
        case duplicateItem
        case itemNotFound
        case missingEntitlement
        case interactionNotAllowed
        case authenticationFailed
        case userCanceled
        case dataTooLarge
        case unimplemented
        case undecodable
        /// A signature that the key did not make of the data.
        case verifyFailed
        case notAvailable
        case readOnly
        case noPermission
        case diskFull
        case inputOutput
        case outOfMemory
        case internalError
    }

    package let code: Code
    /// One sentence for a developer or an administrator: what happened and, where there is something, what to do.
    package let message: String

    /// What it has to do with a person's presence, if it has.
    package let presence: Presence?

    package enum Presence: Sendable {
        /// Somebody has to be asked first.
        case needed(PresenceNeed)
        /// Somebody was asked, or could not be.
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

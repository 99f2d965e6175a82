import KeychainClient
import KeychainModel
import PasskeyProtocol

/// What the owner is asked, and then has agreed to, at the keychain. It counts until the last reference goes.
final class OwnerConsent: Sendable {
    let context: any PresenceContext
    private let reason: String

    init(for question: PasskeyQuestion) throws(KeychainError) {
        context = try CurrentKeychain.presence().makeContext()
        reason = question.reason
    }

    deinit {
        context.invalidate()
    }

    /// - Throws: with a `PresenceFailure`, unless the owner agrees.
    func ask() throws(KeychainError) {
        var request = PresenceRequest(.owner)
        request.prompt.reason = reason
        try context.evaluate(request)
    }

    /// For calls that need the consent. Nobody is asked once more.
    var authentication: ItemAuthentication {
        var authentication = ItemAuthentication()
        authentication.context = context
        authentication.ui = .fail
        return authentication
    }

    /// Asks for a command that brings private keys in or out, which nobody may do unasked.
    ///
    /// - Throws: also where the keychain has no passcode to tell its owner by.
    static func ofTransfer(_ question: PasskeyQuestion) throws(KeychainError) -> OwnerConsent {
        let consent = try OwnerConsent(for: question)
        try consent.ask()
        return consent
    }

    /// Asks for a command. A keychain without a passcode has nothing to tell its owner by, and nobody is asked.
    static func ofCommand(_ question: PasskeyQuestion) throws(KeychainError) -> OwnerConsent {
        let consent = try OwnerConsent(for: question)
        if try CurrentKeychain.presence().presenceStatus()[.passcode].obstacle != .noPasscode { try consent.ask() }
        return consent
    }
}

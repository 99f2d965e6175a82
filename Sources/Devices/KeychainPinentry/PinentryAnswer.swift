package import KeychainModel

/// What came of a question.
package enum PinentryAnswer: Sendable {
    /// As it was typed, in UTF-8; it may be empty.
    case secret(SecretBytes)
    case accepted
    /// The person cancelled or closed the dialog.
    case declined
    /// The person chose the other way to answer.
    case fallback
    case timedOut
    /// The asking code took the question back (`Pinentry.cancel()`).
    case withdrawn
}

package import KeychainModel

/// What a helper says to the program that started it, and the status that it ends with.
package struct HelperReply: Sendable {
    /// Goes to standard output.
    package let output: SecretBytes
    /// Goes to standard error, after the helper's name; empty for nothing. It has no secret.
    package let message: String
    package let exitStatus: Int32

    package init(_ output: SecretText = SecretText(), message: String = "", exitStatus: Int32 = 0) {
        self.output = output.joined()
        self.message = message
        self.exitStatus = exitStatus
    }

    /// A sentence on standard error, and the status 1.
    package static func failure(_ message: String) -> HelperReply { HelperReply(message: message, exitStatus: 1) }
}

/// Why a helper does not do what it was asked: a sentence without a secret.
package struct HelperFailure: Error, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// What was wrong with the keychain.
    package init(_ error: KeychainError) {
        message = error.message
    }
}

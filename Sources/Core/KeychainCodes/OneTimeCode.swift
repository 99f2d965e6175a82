package import KeychainModel

/// What makes a time-based one-time code (TOTP, RFC 6238): a secret that a site shares with its user, and how codes are
/// made from it.
///
/// It prints without its secret.
package struct OneTimeCode: Sendable, CustomStringConvertible, CustomReflectable {
    package let secret: SecretBytes
    package let algorithm: CodeAlgorithm
    package let digits: Int
    /// How many seconds a code is valid.
    package let period: Int
    /// Who asks for the code, such as a site's name. Empty if unknown.
    package let issuer: String
    /// The user's name there. Empty if unknown.
    package let account: String

    package static let digitCounts = 6...8
    package static let periods = 1...3_600
    package static let usualDigits = 6
    package static let usualPeriod = 30
    /// In bytes. Sites use 10 to 64.
    package static let longestSecret = 128
    /// In bytes of UTF-8, each.
    package static let longestLabel = 256
    /// In bytes. The longest text that is written has fewer than half of them; others may have more parameters.
    package static let longestText = 8_192

    /// Spaces around the issuer and the account are dropped: the form in which a code is stored drops them too.
    ///
    /// - Throws: `noSecret`, `secretTooLong`, `digitsOutOfRange`, `periodOutOfRange`, `labelTooLong`.
    package init(
        secret: SecretBytes,
        algorithm: CodeAlgorithm = .sha1,
        digits: Int = usualDigits,
        period: Int = usualPeriod,
        issuer: String = "",
        account: String = ""
    ) throws(CodeFailure) {
        guard secret.count > 0 else { throw .noSecret }
        guard secret.count <= Self.longestSecret else { throw .secretTooLong }
        guard Self.digitCounts.contains(digits) else { throw .digitsOutOfRange }
        guard Self.periods.contains(period) else { throw .periodOutOfRange }
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
        self.issuer = issuer.withoutSpacesAround
        self.account = account.withoutSpacesAround
        guard max(self.issuer.utf8.count, self.account.utf8.count) <= Self.longestLabel else { throw .labelTooLong }
    }

    /// Whether both make the same codes, whatever they are called.
    package func makesSameCodes(as other: OneTimeCode) -> Bool {
        algorithm == other.algorithm && digits == other.digits && period == other.period
            && secret.isEqual(to: other.secret)
    }

    package var description: String { "[REDACTED]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

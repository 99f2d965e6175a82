/// What came of an evaluation.
package struct TrustOutcome: Sendable {
    package let verdict: TrustVerdict
    /// What is known of the chain's revocation; nil if the certificate cannot be read.
    package let revocation: RevocationFindings?
    /// For when it was made, in seconds since 2001-01-01.
    let date: Double
}

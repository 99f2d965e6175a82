import KeychainModel

/// How much a file may ask for. The sender of a file chooses its numbers; their cost is paid here.
package struct ExchangeLimits: Sendable {
    /// In bytes, of anything that is read.
    package static let largestFile = 10 << 20
    /// In bytes.
    static let largestSalt = 1024
    /// In bytes of UTF-8.
    static let largestPassword = 4096

    /// The greatest count of iterations that a key may be derived with.
    package var iterations = 10_000_000
    /// The greatest sum of them over all that one file has derived.
    package var totalIterations = 20_000_000
    /// How many keys, certificates and other things a PKCS #12 file may contain, and how many folders of them.
    package var bags = 10_000
    /// How deep folders of them may lie in each other.
    package var depth = 8
    /// Of scrypt, in bytes.
    package var memory = 256 << 20

    package static let standard = ExchangeLimits()

    package init() {}
}

/// What is left of the work that one file may cause.
struct WorkBudget {
    let limits: ExchangeLimits
    private var rest: Int

    init(_ limits: ExchangeLimits) {
        self.limits = limits
        rest = limits.totalIterations
    }

    /// Allows a derivation, before it is begun.
    ///
    /// - Parameter blocks: how often the iterations are gone through, by the size of what is derived.
    mutating func spend(_ iterations: Int, blocks: Int) throws(KeychainError) {
        guard iterations > 0 else { throw .malformed }
        let (cost, overflows) = iterations.multipliedReportingOverflow(by: blocks)
        guard iterations <= limits.iterations, !overflows, cost <= rest else {
            throw KeychainError(
                .undecodable,
                "the file asks for more iterations than are computed: \(limits.iterations) for one key, "
                    + "\(limits.totalIterations) in all"
            )
        }
        rest -= cost
    }
}

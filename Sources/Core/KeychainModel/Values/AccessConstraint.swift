/// What has to be proved before an operation, as an access control that is put together by hand says it.
package enum AccessConstraint: Sendable, Hashable {
    /// Nothing has to be proved.
    case always
    /// The operation is not allowed.
    case never
    /// All of these have to be proved: one at least, and no two of one kind.
    case factors([AccessFactor])
    /// What nobody here knows: it is kept and described, and the keychain refuses to keep an item with it.
    case unknown([String: DERValue])

    /// - Parameter factors: in any order.
    /// - Returns: nil for no factors, and for two of one kind, which a dictionary cannot hold.
    package init?(factors: [AccessFactor]) {
        guard let sorted = AccessFactor.sorted(factors) else { return nil }
        self = .factors(sorted)
    }

    /// The one form of all constraints that demand the same.
    var simplified: AccessConstraint {
        guard case .factors(let factors) = self, case .kOfN(let required, let choices)? = factors.first,
            factors.count == 1, required == choices.count
        else { return self }
        return .factors(choices)
    }
}

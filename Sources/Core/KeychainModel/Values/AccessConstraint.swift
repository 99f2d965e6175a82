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

/// One thing that has to be proved.
package indirect enum AccessFactor: Sendable, Hashable {
    /// What a policy of the system demands, by its name.
    case policy(String)
    /// A finger, of the set with this identifier; an empty one stands for the keychain's own.
    case biometryAny(set: [UInt8])
    /// A finger of a set as it was when its database had this hash; an empty one stands for how it is when an item is
    /// made.
    case biometryCurrentSet(set: [UInt8], database: [UInt8])
    case passcode
    case watch
    /// So many of these, which are of different kinds, and none of this one.
    case kOfN(required: Int, [AccessFactor])

    /// What the system calls the policy of `kSecAccessControlUserPresence`.
    package static let deviceOwner = AccessFactor.policy("DeviceOwnerAuthentication")

    /// - Returns: nil for a number that is not between 1 and the number of choices, and for choices of one kind or of
    ///   this one.
    package init?(required: Int, of choices: [AccessFactor]) {
        guard let sorted = Self.sorted(choices), (1...sorted.count).contains(required),
            sorted.allSatisfy({ $0.kind < .kOfN })
        else { return nil }
        self = .kOfN(required: required, sorted)
    }

    fileprivate enum Kind: Int, Comparable {
        case policy, biometry, passcode, watch, kOfN

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    private var kind: Kind {
        switch self {
        case .policy: .policy
        case .biometryAny, .biometryCurrentSet: .biometry
        case .passcode: .passcode
        case .watch: .watch
        case .kOfN: .kOfN
        }
    }

    fileprivate static func sorted(_ factors: [AccessFactor]) -> [AccessFactor]? {
        guard !factors.isEmpty, Set(factors.map(\.kind)).count == factors.count else { return nil }
        return factors.sorted { $0.kind < $1.kind }
    }
}

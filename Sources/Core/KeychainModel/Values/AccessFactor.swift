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

    static func sorted(_ factors: [AccessFactor]) -> [AccessFactor]? {
        guard !factors.isEmpty, Set(factors.map(\.kind)).count == factors.count else { return nil }
        return factors.sorted { $0.kind < $1.kind }
    }
}

// MARK: - As a dictionary has it

extension AccessFactor {
    /// What stands in the dictionary of a choice.
    package static func entries(_ factors: [AccessFactor]) -> [String: DERValue] {
        Dictionary(factors.map(\.entry)) { first, _ in first }
    }

    private var entry: (String, DERValue) {
        switch self {
        case .policy(let name): ("cpo", .text(name))
        case .biometryAny(let set): ("cbio", .dictionary(["pbioc": .data(set)]))
        case .biometryCurrentSet(let set, let database):
            ("cbio", .dictionary(["pbioc": .data(set), "pbioh": .data(database)]))
        case .passcode: ("cup", .boolean(true))
        case .watch: ("cwtch", .boolean(true))
        case .kOfN(let required, let choices):
            ("ckon", .dictionary(Self.entries(choices).merging(["pkofn": .integer(required)]) { first, _ in first }))
        }
    }

    /// - Returns: nil for entries that are no factors.
    static func factors(_ entries: [String: DERValue]) -> [AccessFactor]? {
        var factors: [AccessFactor] = []
        for (name, value) in entries {
            guard let factor = AccessFactor(name, value) else { return nil }
            factors.append(factor)
        }
        return factors
    }

    /// In bytes, of a name, an identifier or a hash.
    private static let longest = 256

    private init?(_ name: String, _ value: DERValue) {
        switch (name, value) {
        case ("cpo", .text(let name)) where (1...Self.longest).contains(name.utf8.count): self = .policy(name)
        case ("cup", .boolean(true)): self = .passcode
        case ("cwtch", .boolean(true)): self = .watch
        case ("cbio", .dictionary(let entries)):
            switch (entries["pbioc"], entries["pbioh"], entries.count) {
            case (.data(let set)?, nil, 1) where set.count <= Self.longest: self = .biometryAny(set: set)
            case (.data(let set)?, .data(let database)?, 2) where max(set.count, database.count) <= Self.longest:
                self = .biometryCurrentSet(set: set, database: database)
            default: return nil
            }
        case ("ckon", .dictionary(var entries)):
            guard case .integer(let required)? = entries.removeValue(forKey: "pkofn"),
                let choices = Self.factors(entries)
            else { return nil }
            self.init(required: required, of: choices)
        default: return nil
        }
    }
}

/// An access control that is put together operation by operation.
///
/// It can say more than the flags of `AccessControl`, which are all that the keychain enforces: see `control`.
package struct AccessControlRules: Sendable {
    package private(set) var protection: AccessControl.Protection?
    /// By the operations' short names; `dacl` stands for all that are not named. What is neither named nor covered by
    /// it is not allowed.
    package private(set) var constraints: [String: AccessConstraint] = [:]
    package var needsApplicationPassword = false
    /// Whether it is bound to a key. It says nothing of what is demanded.
    package var isBound = false
    /// Of an ordinary item, which was stored with a protection class alone.
    private var isBare = false

    /// The operations that the keychain knows: reading, writing, deleting, signing, computing a key, attesting, synchronising, translating, and
    /// `dacl`.
    package static let operations: Set<String> = ["od", "oe", "odel", "osgn", "ock", "oa", "osync", "otrn", fallback]
    private static let fallback = "dacl"
    /// In bytes.
    private static let longestName = 256
    /// In bytes, as DER. All of them together have to be data that can be read again.
    private static let longestConstraint = 4096
    private static let mostConstraints = 14

    /// Nothing is protected, and nothing is allowed.
    package init() {}

    /// The rules that flags stand for.
    package init(_ control: AccessControl) {
        protection = control.protection
        isBare = control.isBare
        let flags = control.flags ?? []
        needsApplicationPassword = flags.contains(.applicationPassword)
        for operation in control.operations {
            constraints[operation.name] = operation.requirement == "true" ? .always : flags.constraint
        }
    }

    // MARK: Changes

    /// - Throws: `invalidParameter` for anything but a protection class.
    package mutating func setProtection(_ name: String) throws(KeychainError) {
        guard let protection = AccessControl.Protection(name) else {
            throw KeychainError(.invalidParameter, "an access control needs one of the protection classes")
        }
        self.protection = protection
    }

    /// - Parameters:
    ///   - constraint: nil takes back what was said of the operation.
    ///   - operation: of any name. The keychain keeps no item for which an operation that it does not know demands
    ///     something.
    /// - Throws: `invalidParameter` for an empty or a very long name, and for too many or too long constraints.
    package mutating func set(_ constraint: AccessConstraint?, for operation: String) throws(KeychainError) {
        guard (1...Self.longestName).contains(operation.utf8.count) else {
            throw KeychainError(.invalidParameter, "there is no such operation to constrain")
        }
        guard (constraint?.value.encoded.count ?? 0) <= Self.longestConstraint,
            constraint == nil || constraints[operation] != nil || constraints.count < Self.mostConstraints
        else { throw KeychainError(.invalidParameter, "more or longer constraints than an access control has") }
        spellOut()
        constraints[operation] = constraint
    }

    package mutating func removeAllConstraints() {
        isBare = false
        constraints = [:]
    }

    /// An ordinary item allows everything, which from now on it has to say.
    private mutating func spellOut() {
        if isBare { constraints = [Self.fallback: .always] }
        isBare = false
    }

    // MARK: What is demanded

    /// Whether nothing is demanded but, at most, that a key be used.
    package var demandsNothing: Bool {
        !needsApplicationPassword && constraints.values.allSatisfy { $0 == .always || $0 == .never }
    }

    /// What an operation demands; never, where nothing is said of it.
    package func constraint(for operation: String) -> AccessConstraint {
        if isBare { return .always }
        return constraints[operation] ?? constraints[Self.fallback] ?? .never
    }

    /// What is left where nothing is said twice.
    private var demands: [String: AccessConstraint] {
        let fallback = (constraints[Self.fallback] ?? .never).simplified
        var demands = constraints.mapValues(\.simplified).filter { $0.key != Self.fallback && $0.value != fallback }
        if fallback != .never { demands[Self.fallback] = fallback }
        return demands
    }

    /// The access control that demands all of this, of those that the keychain enforces.
    ///
    /// - Throws: `invalidParameter` without a protection class; `unimplemented` where there is no such access control:
    ///   nothing is waived.
    package var control: AccessControl {
        get throws(KeychainError) {
            guard let protection else {
                throw KeychainError(.invalidParameter, "the access control has no protection class")
            }
            if isBare, !needsApplicationPassword, case .accessibility(let accessibility) = protection {
                return AccessControl(bare: accessibility)
            }
            let candidates = AccessControlFlags.combinations.compactMap { flags in
                try? AccessControl(
                    protection: protection.name,
                    flags: needsApplicationPassword ? flags.union(.applicationPassword) : flags
                )
            }
            let exact = candidates.first { AccessControlRules($0).demands == demands }
            guard let control = exact ?? candidates.first(where: isEnforced) else {
                throw KeychainError(.unimplemented, "the keychain cannot enforce what the access control demands")
            }
            return control
        }
    }

    /// Whether a control demands for each operation what is demanded here. An operation that is free here may be one
    /// that the control says nothing of.
    private func isEnforced(by control: AccessControl) -> Bool {
        let rules = AccessControlRules(control)
        return Self.operations.union(constraints.keys).subtracting([Self.fallback]).allSatisfy { operation in
            let asked = constraint(for: operation).simplified
            let given = rules.constraint(for: operation).simplified
            return asked == given || (asked == .always && given == .never)
        }
    }
}

extension AccessControlRules: Hashable {
    /// Equal when they demand the same, however it was said.
    package static func == (left: AccessControlRules, right: AccessControlRules) -> Bool {
        left.protection == right.protection && left.demands == right.demands
            && left.needsApplicationPassword == right.needsApplicationPassword
            && left.isBound == right.isBound && left.isBare == right.isBare
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(protection)
        hasher.combine(demands)
    }
}

extension AccessControlFlags {
    /// Each way to demand something, the application password aside; those that contradict themselves are among them.
    fileprivate static let combinations: [AccessControlFlags] = {
        let single = AccessFlagMeaning.all.map(\.flag) + [.privateKeyUsage, .or]
        return (0..<(1 << single.count)).map { number in
            AccessControlFlags(single.indices.filter { number & (1 << $0) != 0 }.map { single[$0] })
        }
    }()

    /// What the flags demand of a person, wherever they demand something.
    fileprivate var constraint: AccessConstraint {
        let factors = constraints.map(\.factor)
        guard factors.count > 1 else { return AccessConstraint(factors: factors) ?? .always }
        let required = contains(.or) ? 1 : factors.count
        return AccessFactor(required: required, of: factors).map { .factors([$0]) } ?? .never
    }
}

/// The conditions of access to an item: a protection class and, where it was made with flags, the constraints of those
/// flags.
///
/// The rules are those of `SecAccessControlCreateWithFlags`
/// (https://developer.apple.com/documentation/security/secaccesscontrolcreatewithflags(_:_:_:_:)).
package struct AccessControl: Sendable {
    /// An accessibility class, or `f` (until reboot), which an access control takes and item storage refuses.
    package let protection: Protection
    /// The flags it was made with; nil for the bare access control that every ordinary item is returned with.
    package let flags: AccessControlFlags?

    package enum Protection: Sendable, Hashable {
        case accessibility(Accessibility)
        case untilReboot

        package init?(_ name: String) {
            if name == "f" {
                self = .untilReboot
            } else if let accessibility = Accessibility(rawValue: name) {
                self = .accessibility(accessibility)
            } else {
                return nil
            }
        }

        package var name: String {
            switch self {
            case .accessibility(let accessibility): accessibility.rawValue
            case .untilReboot: "f"
            }
        }
    }

    /// The access control of an item that was stored with an accessibility class alone.
    package init(bare accessibility: Accessibility) {
        protection = .accessibility(accessibility)
        flags = nil
    }

    /// Checks a combination of flags.
    ///
    /// - Throws: `invalidParameter` for an unknown protection class and for flags that contradict each other. Unknown
    ///   bits are not an error.
    package init(protection name: String, flags: AccessControlFlags) throws(KeychainError) {
        guard let protection = Protection(name) else {
            throw KeychainError(.invalidParameter, "an access control needs one of the protection classes")
        }
        guard !flags.isSuperset(of: [.or, .and]) else {
            throw KeychainError(.invalidParameter, "an access control is either any of its constraints or all of them")
        }
        guard !flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) else {
            throw KeychainError(.invalidParameter, "biometryAny and biometryCurrentSet exclude each other")
        }
        if flags.contains(.userPresence) {
            let others = flags.intersection(.known).subtracting([
                .userPresence, .privateKeyUsage, .applicationPassword,
            ])
            guard others.isEmpty else {
                throw KeychainError(
                    .invalidParameter,
                    "userPresence goes only with privateKeyUsage and applicationPassword"
                )
            }
        }
        self.protection = protection
        self.flags = flags
    }

    package var isBare: Bool { flags == nil }

    /// Whether nothing stands between an item and its reader but the protection class.
    package var isUnconstrained: Bool {
        guard let flags else { return true }
        return flags.constraints.isEmpty && flags.isDisjoint(with: [.privateKeyUsage, .applicationPassword])
    }

    /// Whether something is under a password of the application's beside all else: the item's value, or, where it is
    /// for key use, what the private key does.
    fileprivate var namesApplicationPassword: Bool { flags?.contains(.applicationPassword) ?? false }

    /// Whether an item's value is under a password of the application's beside all else.
    package var needsApplicationPassword: Bool { namesApplicationPassword && !isForKeyUse }

    /// The same of what a private key does.
    package var keyUseNeedsApplicationPassword: Bool { namesApplicationPassword && isForKeyUse }

    /// Whether it is about what a private key does, and not about its value (`kSecAccessControlPrivateKeyUsage`).
    package var isForKeyUse: Bool { flags?.contains(.privateKeyUsage) ?? false }

    /// What each operation demands, by the operation's short name; `dacl` stands for all that are not named.
    package var operations: [(name: String, requirement: String)] {
        guard let flags else { return [] }
        let constraints = flags.constraints.map(\.description)
        let requirement =
            switch constraints.count {
            case 0: "true"
            case 1: constraints[0]
            default: "ckon(\(flags.contains(.or) ? 1 : constraints.count);\(constraints.joined(separator: ",")))"
            }
        switch (constraints.isEmpty, flags.contains(.privateKeyUsage)) {
        case (true, false): return [("dacl", "true")]
        case (false, false): return [("od", requirement), ("odel", "true"), ("oe", "true")]
        case (_, true):
            return [("oa", "true"), ("ock", requirement), ("odel", "true"), ("osgn", requirement)]
        }
    }
}

extension AccessControl: Hashable {
    /// Equal when the protection and what each operation demands are equal, however the flags spelled it.
    package static func == (left: AccessControl, right: AccessControl) -> Bool {
        left.protection == right.protection
            && left.operations.elementsEqual(right.operations, by: ==)
            && left.namesApplicationPassword == right.namesApplicationPassword
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(protection)
        for (name, requirement) in operations {
            hasher.combine(name)
            hasher.combine(requirement)
        }
    }
}

extension AccessControl {
    /// The stored form: nothing for a bare access control, else a version byte, the protection's code (0 for until
    /// reboot) and the known flags as eight bytes, highest first.
    package var serialized: [UInt8] {
        guard let flags else { return [] }
        let code: UInt8 =
            switch protection {
            case .accessibility(let accessibility): accessibility.code
            case .untilReboot: 0
            }
        let bits = UInt64(flags.intersection(.known).rawValue)
        return [1, code] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - $0 * 8)) }
    }

    /// Reads the stored form of an item of the given class, or returns nil where it is not one.
    package init?(serialized bytes: [UInt8], accessibility: Accessibility) {
        if bytes.isEmpty {
            self.init(bare: accessibility)
            return
        }
        guard bytes.count == 10, bytes[0] == 1, bytes[1] == accessibility.code else { return nil }
        let bits = bytes.dropFirst(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // A flag that is unknown here may be a constraint, and what is not understood is not waived.
        guard let raw = UInt(exactly: bits), AccessControlFlags.known.isSuperset(of: AccessControlFlags(rawValue: raw)),
            let control = try? AccessControl(
                protection: accessibility.rawValue,
                flags: AccessControlFlags(rawValue: raw)
            )
        else { return nil }
        self = control
    }
}

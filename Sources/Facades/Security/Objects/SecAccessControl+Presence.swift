@_implementationOnly import KeychainModel

/// What an access control asks of the person, for the code that asks.
package struct AccessControlDemand: Sendable {
    /// A finger or a face.
    package let needsBiometry: Bool
    /// The passcode, alone or as one of the ways.
    package let needsPasscode: Bool
    /// A password of the application's own.
    package let needsApplicationPassword: Bool

    /// The ways to meet it, the application password aside: a bit for each set of factors that is enough, at the place
    /// of the set's number.
    package let alternatives: UInt32

    /// Whether the person has to prove who they are, be there or not a password of the application's.
    package var needsPerson: Bool { alternatives & PresenceDemand.nothing.bits == 0 }
}

extension AccessControlDemand {
    fileprivate static let impossible = AccessControlDemand(
        needsBiometry: false,
        needsPasscode: false,
        needsApplicationPassword: false,
        alternatives: PresenceDemand.impossible.bits
    )
}

extension SecAccessControl {
    /// What stands in its flags; how they are joined is not in it. What the keychain cannot enforce nobody can prove.
    package var presenceDemand: AccessControlDemand {
        guard let control = try? control else { return .impossible }
        let flags = control.flags ?? []
        return AccessControlDemand(
            needsBiometry: !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]),
            needsPasscode: !flags.isDisjoint(with: [.userPresence, .devicePasscode]),
            needsApplicationPassword: flags.contains(.applicationPassword),
            alternatives: control.constraint.bits
        )
    }
}

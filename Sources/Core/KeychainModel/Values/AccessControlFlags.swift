/// `SecAccessControlCreateFlags`.
package struct AccessControlFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt
    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let userPresence = AccessControlFlags(rawValue: 1 << 0)
    package static let biometryAny = AccessControlFlags(rawValue: 1 << 1)
    package static let biometryCurrentSet = AccessControlFlags(rawValue: 1 << 3)
    package static let devicePasscode = AccessControlFlags(rawValue: 1 << 4)
    package static let companion = AccessControlFlags(rawValue: 1 << 5)
    package static let or = AccessControlFlags(rawValue: 1 << 14)
    package static let and = AccessControlFlags(rawValue: 1 << 15)
    package static let privateKeyUsage = AccessControlFlags(rawValue: 1 << 30)
    package static let applicationPassword = AccessControlFlags(rawValue: 1 << 31)

    package static let known = AccessControlFlags(AccessFlagMeaning.all.map(\.flag))
        .union([.or, .and, .privateKeyUsage, .applicationPassword])
}

/// What a flag of an access control stands for that demands something of a person.
struct AccessFlagMeaning: Sendable {
    let flag: AccessControlFlags
    /// How an access control says it that is put together by hand.
    let factor: AccessFactor
    /// How the description of an access control says it.
    let description: String
    let demand: PresenceDemand

    static let all = [
        AccessFlagMeaning(
            flag: .userPresence,
            factor: .deviceOwner,
            description: "cpo(DeviceOwnerAuthentication)",
            demand: .owner
        ),
        AccessFlagMeaning(
            flag: .biometryAny,
            factor: .biometryAny(set: []),
            description: "cbio(any)",
            demand: .biometry
        ),
        AccessFlagMeaning(
            flag: .biometryCurrentSet,
            factor: .biometryCurrentSet(set: [], database: []),
            description: "cbio(currentSet)",
            demand: .biometry
        ),
        AccessFlagMeaning(
            flag: .devicePasscode,
            factor: .passcode,
            description: "cup(true)",
            demand: .passcode
        ),
        AccessFlagMeaning(
            flag: .companion,
            factor: .watch,
            description: "cwtch(true)",
            demand: .impossible
        ),
    ]
}

extension AccessControlFlags {
    /// What the flags demand of a person. Most items have none.
    var constraints: [AccessFlagMeaning] {
        isEmpty ? [] : AccessFlagMeaning.all.filter { contains($0.flag) }
    }
}

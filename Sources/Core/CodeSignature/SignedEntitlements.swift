import Foundation
import KeychainModel

/// The rules for entitlements that a team signs.
enum SignedEntitlements {
    /// Reads them, and holds them to the team's own names.
    ///
    /// `*` and `TEAM.*`, which Apple gives to its own programs and to development, are refused: they would be the items of
    /// programs that do not know of this one.
    ///
    /// - Returns: the identifier of the program, and its groups in Apple's order.
    /// - Throws: `missingEntitlement`: the message says which entitlement.
    static func read(_ list: [UInt8], of team: TeamIdentifier) throws(KeychainError) -> (
        identifier: String, groups: [String]
    ) {
        let entitlements = try Entitlements(propertyList: Data(list))
        guard entitlements.teamIdentifier == team.description else {
            throw KeychainError(
                .missingEntitlement,
                "com.apple.developer.team-identifier has to be \(team), the team that signs"
            )
        }
        guard let identifier = entitlements.applicationIdentifier else {
            throw KeychainError(.missingEntitlement, "there is no application-identifier among the entitlements")
        }
        try check([identifier], of: "application-identifier", begin: team)
        try check(entitlements.accessGroups, of: "keychain-access-groups", begin: team)
        try check(
            entitlements.associatedIdentifiers,
            of: "com.apple.developer.associated-application-identifier",
            begin: team
        )
        try check(entitlements.applicationGroups, of: "com.apple.security.application-groups", begin: team)
        return (identifier, entitlements.groups(identifier: identifier).names)
    }

    private static func check(
        _ names: [String],
        of entitlement: String,
        begin team: TeamIdentifier
    ) throws(KeychainError) {
        for name in names {
            guard name.utf8.starts(with: team.prefix.utf8), name.utf8.count > team.prefix.utf8.count else {
                throw KeychainError(
                    .missingEntitlement,
                    "every name in \(entitlement) has to begin with \(team.prefix), the team that signs"
                )
            }
            guard !name.utf8.contains(UInt8(ascii: "*")) else {
                throw KeychainError(.missingEntitlement, "\(entitlement) has a wildcard, which cannot be signed")
            }
            guard !name.utf8.contains(UInt8(ascii: "$")), !name.unicodeScalars.contains(where: \.properties.isUnfit),
                name.utf8.count <= longestName
            else {
                throw KeychainError(.missingEntitlement, "\(entitlement) has a name that cannot be one")
            }
        }
    }

    /// In bytes.
    private static let longestName = 1024
}

extension Unicode.Scalar.Properties {
    /// What would forge lines of logs, or turn their letters around.
    fileprivate var isUnfit: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}

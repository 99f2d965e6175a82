package import Foundation
package import KeychainModel

/// The entitlements file of a program's source, made into what a team signs.
///
/// It may be the one that Xcode keeps: what Xcode fills in when it signs is filled in here.
package enum EntitlementsTemplate {
    /// - Parameters:
    ///   - file: an XML property list.
    ///   - identifier: the program's bundle identifier.
    /// - Returns: the file itself where nothing was missing.
    /// - Throws: `missingEntitlement` for what no team can sign; the message says why.
    package static func complete(
        _ file: Data,
        team: TeamIdentifier,
        identifier: String
    ) throws(KeychainError) -> [UInt8] {
        // Before any other reader sees it: this one refuses what others come to harm by.
        let given = try Entitlements(propertyList: file)
        guard var list = try? unsafe PropertyListSerialization.propertyList(from: file, format: nil) as? [String: Any]
        else {
            throw KeychainError(.missingEntitlement, "the entitlements file is no property list with a dictionary")
        }
        for (key, value) in list { list[key] = expanded(value, team: team, identifier: identifier) }
        if given.teamIdentifier == nil { list["com.apple.developer.team-identifier"] = team.description }
        if given.applicationIdentifier == nil { list["application-identifier"] = team.prefix + identifier }
        let completed = try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        guard let completed else { throw KeychainError(.missingEntitlement, "the entitlements cannot be written") }
        let isComplete =
            given.teamIdentifier != nil && given.applicationIdentifier != nil && !file.contains(UInt8(ascii: "$"))
        let bytes = Array(isComplete ? file : completed)
        _ = try SignedEntitlements.read(bytes, of: team)
        return bytes
    }

    private static func expanded(_ value: Any, team: TeamIdentifier, identifier: String) -> Any {
        switch value {
        case let text as String:
            ["AppIdentifierPrefix": team.prefix, "TeamIdentifierPrefix": team.prefix]
                .merging(["CFBundleIdentifier": identifier, "PRODUCT_BUNDLE_IDENTIFIER": identifier]) { $1 }
                .reduce(text) { $0.replacingOccurrences(of: "$(\($1.key))", with: $1.value) }
        case let list as [Any]: list.map { expanded($0, team: team, identifier: identifier) }
        default: value
        }
    }
}

package import Foundation
package import KeychainModel

/// A program's entitlements: the property list that Xcode calls `PROGRAM.entitlements`.
package struct Entitlements: Sendable, Equatable {
    /// `keychain-access-groups`.
    package var accessGroups: [String] = []
    /// `application-identifier`.
    package var applicationIdentifier: String?
    /// `com.apple.security.application-groups`.
    package var applicationGroups: [String] = []
    /// `com.apple.developer.team-identifier`.
    package var teamIdentifier: String?

    package init() {}

    /// Reads an XML or binary property list.
    ///
    /// - Throws: `missingEntitlement` where it is none, or a key has a value of another type than Apple's.
    package init(propertyList: Data) throws(KeychainError) {
        guard
            let list = try? unsafe PropertyListSerialization.propertyList(from: propertyList, options: [], format: nil),
            let dictionary = list as? [String: Any]
        else {
            throw KeychainError(.missingEntitlement, "the entitlements file is no property list with a dictionary")
        }
        accessGroups = try Self.value(dictionary, "keychain-access-groups") ?? []
        applicationIdentifier = try Self.value(dictionary, "application-identifier")
        applicationGroups = try Self.value(dictionary, "com.apple.security.application-groups") ?? []
        teamIdentifier = try Self.value(dictionary, "com.apple.developer.team-identifier")
    }

    private static func value<Value>(_ dictionary: [String: Any], _ key: String) throws(KeychainError) -> Value? {
        guard let value = dictionary[key] else { return nil }
        guard let value = value as? Value else {
            throw KeychainError(.missingEntitlement, "the entitlement \(key) has a value of another type than it takes")
        }
        return value
    }

    /// The access groups that they give a program, in Apple's order; its own identifier is the last resort.
    ///
    /// - Parameter identifier: what the program is called where the entitlements do not say it.
    package func groups(identifier: String) -> AccessGroups {
        let prefix = teamIdentifier.map { $0 + "." } ?? ""
        let own = applicationIdentifier ?? identifier
        return AccessGroups(
            (accessGroups + [own] + applicationGroups).map { group in
                // What Xcode fills in when it signs.
                group.replacingOccurrences(of: "$(AppIdentifierPrefix)", with: prefix)
                    .replacingOccurrences(of: "$(TeamIdentifierPrefix)", with: prefix)
                    .replacingOccurrences(of: "$(CFBundleIdentifier)", with: identifier)
                    .replacingOccurrences(of: "$(PRODUCT_BUNDLE_IDENTIFIER)", with: identifier)
            }
        )
    }
}

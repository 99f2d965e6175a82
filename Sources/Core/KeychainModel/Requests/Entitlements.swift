package import FoundationEssentials

/// A program's entitlements: the property list that Xcode calls `PROGRAM.entitlements`.
package struct Entitlements: Sendable, Equatable {
    /// `keychain-access-groups`.
    package var accessGroups: [String] = []
    /// `application-identifier`.
    package var applicationIdentifier: String?
    /// `com.apple.developer.associated-application-identifier`: text, or a list of it.
    package var associatedIdentifiers: [String] = []
    /// `com.apple.security.application-groups`.
    package var applicationGroups: [String] = []
    /// `com.apple.developer.team-identifier`.
    package var teamIdentifier: String?
    /// Whether the list is there, and has nothing in it: as on Apple's systems the program then has no group, not even one
    /// of its own.
    private var isEmptyList = false

    package init() {}

    /// Reads an XML property list, which is what Xcode writes and signs with.
    ///
    /// Binary lists and lists of the old style are refused: Foundation's readers of both end the process over some that
    /// are damaged, and this one may come from any program.
    ///
    /// - Throws: `missingEntitlement` where it is none, or a key has a value of another type than Apple's.
    package init(propertyList: Data) throws(KeychainError) {
        guard propertyList.count <= Self.largestFile else {
            throw KeychainError(.missingEntitlement, "the entitlements file is larger than 64 KiB")
        }
        guard Self.isXML(propertyList) else {
            throw KeychainError(
                .missingEntitlement,
                "the entitlements file is no XML property list; plutil -convert xml1 makes one of a binary list"
            )
        }
        do {
            self = try PropertyListDecoder().decode(Entitlements.self, from: propertyList)
        } catch DecodingError.typeMismatch(_, let context) {
            let key = context.codingPath.first?.stringValue
            throw KeychainError(
                .missingEntitlement,
                key.map { "the entitlement \($0) has a value of another type than it takes" }
                    ?? "the entitlements file is no dictionary"
            )
        } catch {
            throw KeychainError(.missingEntitlement, "the entitlements file is no property list with a dictionary")
        }
    }

    /// In bytes. Real ones have a few hundred; the reader's stack grows with the nesting.
    static let largestFile = 64 << 10

    private static func isXML(_ file: Data) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = file.starts(with: byteOrderMark) ? file.dropFirst(byteOrderMark.count) : file
        return ["<?xml", "<!DOCTYPE", "<plist"].contains { text.starts(with: $0.utf8) }
    }

    /// The access groups that they give a program, in Apple's order; its own identifier is the last resort. New items go
    /// into the first: that of the application that it is associated with, if there is one.
    ///
    /// - Parameter identifier: what the program is called where the entitlements do not say it.
    package func groups(identifier: String) -> AccessGroups {
        if isEmptyList { return AccessGroups([]) }
        let own = applicationIdentifier ?? identifier
        return AccessGroups(
            (associatedIdentifiers + accessGroups + [own] + applicationGroups).map {
                expanded($0, identifier: identifier)
            }
        )
    }

    /// The one of the groups that is the program's own.
    ///
    /// - Parameter identifier: what the program is called where the entitlements do not say it.
    package func ownGroup(identifier: String) -> String {
        expanded(applicationIdentifier ?? identifier, identifier: identifier)
    }

    /// Whether a group has the team's place in it, and nothing says which team.
    package var lacksTeam: Bool {
        let texts =
            accessGroups + applicationGroups + associatedIdentifiers + (applicationIdentifier.map { [$0] } ?? [])
        return teamIdentifier == nil
            && texts.contains { $0.contains("$(AppIdentifierPrefix)") || $0.contains("$(TeamIdentifierPrefix)") }
    }

    /// The same for a team that the list does not name: Xcode writes the team's identifier and the application's into the
    /// signature, and not into the file of its project.
    package func completed(team: String) -> Entitlements {
        guard !isEmptyList, teamIdentifier == nil else { return self }
        var completed = self
        completed.teamIdentifier = team
        completed.applicationIdentifier = applicationIdentifier ?? "$(AppIdentifierPrefix)$(CFBundleIdentifier)"
        return completed
    }

    /// A text with what Xcode fills in when it signs.
    ///
    /// - Parameter identifier: what the program is called where the entitlements do not say it.
    package func expanded(_ text: String, identifier: String) -> String {
        let prefix = teamIdentifier.map { $0 + "." } ?? ""
        return text.replacing("$(AppIdentifierPrefix)", with: prefix)
            .replacing("$(TeamIdentifierPrefix)", with: prefix)
            .replacing("$(CFBundleIdentifier)", with: identifier)
            .replacing("$(PRODUCT_BUNDLE_IDENTIFIER)", with: identifier)
    }
}

extension Entitlements: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessGroups = "keychain-access-groups"
        case applicationIdentifier = "application-identifier"
        case associatedIdentifiers = "com.apple.developer.associated-application-identifier"
        case applicationGroups = "com.apple.security.application-groups"
        case teamIdentifier = "com.apple.developer.team-identifier"
    }

    package init(from decoder: any Decoder) throws {
        let list = try decoder.container(keyedBy: CodingKeys.self)
        accessGroups = try list.decodeIfPresent([String].self, forKey: .accessGroups) ?? []
        applicationIdentifier = try list.decodeIfPresent(String.self, forKey: .applicationIdentifier)
        associatedIdentifiers = try list.decodeIfPresent(TextOrList.self, forKey: .associatedIdentifiers)?.texts ?? []
        applicationGroups = try list.decodeIfPresent([String].self, forKey: .applicationGroups) ?? []
        teamIdentifier = try list.decodeIfPresent(String.self, forKey: .teamIdentifier)
        isEmptyList = try decoder.container(keyedBy: AnyKey.self).allKeys.isEmpty
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// What may be written as text where it is one alone.
private struct TextOrList: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            texts = [text]
        } else {
            texts = try container.decode([String].self)
        }
    }
}

/// The calling program: its name for logs, and the access groups that its entitlements give it.
package struct Caller: Sendable {
    package let name: String
    package let groups: AccessGroups
    private let namedOwnGroup: String?

    /// - Parameter ownGroup: the one of the groups that the entitlements give no other program:
    ///   `application-identifier`. Nil where the only group is that one.
    package init(name: String, groups: AccessGroups, ownGroup: String? = nil) {
        self.name = name
        self.groups = groups
        namedOwnGroup = ownGroup
    }

    /// The group that is the program's own; nil where nothing says which of several is.
    package var ownGroup: String? { Self.ownGroup(namedOwnGroup, among: groups.names) }

    /// - Parameter named: what a keychain service, or the entitlements, call it.
    package static func ownGroup(_ named: String?, among groups: [String]) -> String? {
        named ?? (groups.count == 1 ? groups.first : nil)
    }
}

/// The access groups of a caller, in the order of its entitlements: the first is the default for adds, searches look
/// into all of them.
package struct AccessGroups: Sendable, Equatable {
    /// The groups that are named in full.
    package let names: [String]
    /// What stands before the asterisk of `*` and `TEAM.*`.
    package let wildcards: [String]
    /// Whether any group that is named counts as the caller's, as in Apple's simulator. A search that names none looks into
    /// the caller's own all the same.
    package private(set) var acceptsAnyName = false

    package init(_ entries: [String]) {
        var names: [String] = []
        var wildcards: [String] = []
        for entry in entries where !entry.isEmpty {
            if entry.hasSuffix("*") {
                wildcards.append(String(entry.dropLast()))
            } else if !names.contains(where: { $0.hasSameBytes(as: entry) }) {
                names.append(entry)
            }
        }
        self.names = names
        self.wildcards = wildcards
    }

    /// The same groups, for a caller of which nothing says what its groups are.
    package var acceptingAnyName: AccessGroups {
        var groups = self
        groups.acceptsAnyName = true
        return groups
    }

    /// All that an item may be in that is named by a persistent reference.
    package var ofReferences: AccessGroups { acceptsAnyName ? AccessGroups(["*"]) : self }

    /// Whether these are all that there can be.
    package var areAll: Bool { wildcards.contains("") }

    package func contains(_ group: String) -> Bool {
        acceptsAnyName || names.contains { $0.hasSameBytes(as: group) }
            || wildcards.contains { group.utf8.starts(with: $0.utf8) }
    }
}

import KeychainTrailer

/// What a team is called, and what its access groups begin with: capital letters and digits, as Apple's ten are.
package struct TeamIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let text: String

    /// - Returns: nil for what is none.
    package init?(_ text: String) {
        guard (1...ProgramTrailer.largestTeam).contains(text.utf8.count), text.utf8.allSatisfy(ProgramTrailer.isInTeam)
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    /// What stands before every name that is the team's.
    package var prefix: String { text + "." }

    package static func < (left: TeamIdentifier, right: TeamIdentifier) -> Bool { left.text < right.text }
}

package import PeerIdentity

/// Whether the kernel itself vouches for a program: an administrator installed it, and it was started cleanly.
package struct InstallationProof: Sendable, Equatable {
    /// What is missing, for people to read. Empty for an installed program.
    package let deficiencies: [String]

    package var isComplete: Bool { deficiencies.isEmpty }

    /// - Parameter markerGroup: the group that installed programs get at their start and that owns nothing else.
    package init(_ facts: ProcessFacts, markerGroup: UInt32, checks: PeerChecks) {
        deficiencies = InstallationRequirement.allCases
            .filter { checks.contains($0.check) && !$0.isMet(by: facts, markerGroup: markerGroup) }
            .map(\.deficiency)
    }
}

extension InstallationRequirement {
    fileprivate var check: PeerChecks {
        switch self {
        case .fileMarker: .fileMarker
        case .fileOwner: .fileOwner
        case .fileMode: .fileMode
        case .fileMount: .fileMount
        case .marker: .marker
        case .tracer: .tracer
        case .userNamespace: .userNamespace
        case .pidNamespace: .pidNamespace
        case .mountNamespace: .mountNamespace
        case .root: .root
        case .noNewPrivileges: .noNewPrivileges
        case .seccomp: .seccomp
        case .dumpability: .dumpability
        }
    }
}

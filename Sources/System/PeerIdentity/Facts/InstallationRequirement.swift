/// What a process has to be for the kernel itself to vouch for its program: an administrator installed it, and it was
/// started cleanly.
///
/// A program that may be read by its user's other processes, or was given a library, a filter or a tracer at its start,
/// belongs to the user who started it, despite its signature.
package enum InstallationRequirement: CaseIterable, Sendable {
    case fileMarker
    case fileOwner
    case fileMode
    case fileMount
    case marker
    case tracer
    case userNamespace
    case pidNamespace
    case mountNamespace
    case root
    case noNewPrivileges
    case seccomp
    case dumpability

    /// What is missing where it is not met, for people to read.
    package var deficiency: String {
        switch self {
        case .fileMarker: "it is not installed"
        case .fileOwner: "its file does not belong to root"
        case .fileMode: "others can write to its file"
        case .fileMount: "its file is on a mount of its own, or on one without set-group-id"
        case .marker: "it was not started cleanly: the kernel did not give it its group"
        case .tracer: "another process traces it"
        case .userNamespace: "it runs in a user namespace of its own"
        case .pidNamespace: "it runs in a process namespace of its own"
        case .mountNamespace: "it runs in a mount namespace of its own"
        case .root: "it has a root folder of its own"
        case .noNewPrivileges: "it runs without new privileges"
        case .seccomp: "its system calls are filtered"
        case .dumpability: "other processes of its user can read its memory"
        }
    }

    /// - Parameter markerGroup: the group that installed programs get at their start and that owns nothing else.
    package func isMet(by facts: ProcessFacts, markerGroup: UInt32) -> Bool {
        let file = facts.executable
        switch self {
        case .fileMarker: return file?.isSetGroupID == true && file?.group == markerGroup
        case .fileOwner: return file?.owner == 0
        case .fileMode: return file?.isRegular == true && file?.isWritableByOthers == false
        case .fileMount:
            return file?.mount.isOfSystem == true && file?.mount.ignoresSetID == false
                && file?.mount.isInUserSpace == false
        case .marker:
            // The group stays as the saved one alone: a process that keeps it as the effective one passes it on to its
            // children.
            let others = [facts.gids.real, facts.gids.effective, facts.gids.fileSystem]
            return facts.gids.saved == markerGroup && !others.contains(markerGroup)
        case .tracer: return !facts.isTraced
        case .userNamespace: return facts.shared.contains(.userNamespace)
        case .pidNamespace: return facts.shared.contains(.pidNamespace) && facts.pidNamespaceDepth == 1
        case .mountNamespace: return facts.shared.contains(.mountNamespace)
        case .root: return facts.shared.contains(.root)
        case .noNewPrivileges: return !facts.noNewPrivileges
        case .seccomp: return facts.seccompMode == 0
        case .dumpability: return !facts.isDumpable
        }
    }
}

extension ProcessFacts {
    package func isInstalled(markerGroup: UInt32) -> Bool {
        InstallationRequirement.allCases.allSatisfy { $0.isMet(by: self, markerGroup: markerGroup) }
    }
}

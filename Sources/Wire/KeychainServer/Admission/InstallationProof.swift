package import PeerIdentity

/// Whether the kernel itself vouches for a program: an administrator installed it, and it was started cleanly.
///
/// A program that may be read by its user's other processes, or was given a library, a filter or a tracer at its start,
/// belongs to whoever started it, whatever its signature says.
package struct InstallationProof: Sendable, Equatable {
    /// What is missing, for people to read. Empty for an installed program.
    package let deficiencies: [String]

    package var isComplete: Bool { deficiencies.isEmpty }

    /// - Parameter markerGroup: the group that installed programs get at their start and that owns nothing else.
    package init(_ facts: ProcessFacts, markerGroup: UInt32, checks: PeerChecks) {
        var deficiencies: [String] = []
        func require(_ check: PeerChecks, _ condition: Bool, _ deficiency: String) {
            if checks.contains(check), !condition { deficiencies.append(deficiency) }
        }

        let file = facts.executable
        require(.fileMarker, file?.isSetGroupID == true && file?.group == markerGroup, "it is not installed")
        require(.fileOwner, file?.owner == 0, "its file does not belong to root")
        require(.fileMode, file?.isRegular == true && file?.isWritableByOthers == false, "others can write to its file")
        require(
            .fileMount,
            file?.mount.isOfSystem == true && file?.mount.ignoresSetID == false && file?.mount.isInUserSpace == false,
            "its file is on a mount of its own, or on one without set-group-id"
        )

        // The group stays as the saved one alone: whoever keeps it as the effective one passes it on to what it starts.
        let others = [facts.gids.real, facts.gids.effective, facts.gids.fileSystem]
        let hasMarker = facts.gids.saved == markerGroup && !others.contains(markerGroup)
        require(.marker, hasMarker, "it was not started cleanly: the kernel did not give it its group")
        require(.tracer, !facts.isTraced, "another process traces it")
        require(.userNamespace, facts.shared.contains(.userNamespace), "it runs in a user namespace of its own")
        require(
            .pidNamespace,
            facts.shared.contains(.pidNamespace) && facts.pidNamespaceDepth == 1,
            "it runs in a process namespace of its own"
        )
        require(.mountNamespace, facts.shared.contains(.mountNamespace), "it runs in a mount namespace of its own")
        require(.root, facts.shared.contains(.root), "it has a root folder of its own")
        require(.noNewPrivileges, !facts.noNewPrivileges, "it runs without new privileges")
        require(.seccomp, facts.seccompMode == 0, "its system calls are filtered")
        require(.dumpability, !facts.isDumpable, "other processes of its user can read its memory")
        self.deficiencies = deficiencies
    }
}

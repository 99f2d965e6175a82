import KeychainSystem

/// Looks for itself, with this process's own rights: those are enough for processes of its own user that can be dumped.
package struct LocalWitness: PeerWitness {
    private let reader: ProcessReader

    package init(reach: ProcessReader.Reach = .all) {
        reader = ProcessReader(reach: reach)
    }

    package func identify(
        _ socket: Int32,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> PeerEvidence {
        let process = try PinnedProcess(connectedTo: socket)
        let (facts, executable) = try reader.read(process)
        return PeerEvidence(process: process, facts: facts, executable: executable)
    }

    package func lookAgain(
        at process: PinnedProcess,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> RecheckedFacts {
        let facts = try reader.readAgain(process.folder)
        guard process.isAlive else { throw .isGone }
        return facts
    }

    /// The file that a process runs now; nil if it cannot be seen.
    package func executable(of process: PinnedProcess) -> FileIdentity? {
        FileStatus.of("exe", in: process.folder.number, followingLinks: true).map { FileIdentity($0) }
    }
}

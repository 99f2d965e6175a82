/// What is looked at again while a connection is set up: a process may have started another program meanwhile.
package struct RecheckedFacts: Sendable, Equatable {
    package var gids: ProcessIDs
    package var permittedCapabilities: UInt64
    package var isTraced: Bool
    /// Nil where it cannot be seen.
    package var executable: FileIdentity?

    package init(gids: ProcessIDs, permittedCapabilities: UInt64, isTraced: Bool, executable: FileIdentity?) {
        self.gids = gids
        self.permittedCapabilities = permittedCapabilities
        self.isTraced = isTraced
        self.executable = executable
    }
}

package import KeychainProtocol

/// What the kernel says of a program and of its start, as far as its identity depends on it.
package struct ProgramFacts: Sendable, Equatable {
    /// Where the executable lies, as the first process sees it.
    package let path: String
    /// Whether root alone can exchange the executable, and every folder above it.
    package let isInRootOwnedPlace: Bool
    /// Whether an administrator has installed it, and the kernel itself vouches for a clean start: no tracer, no filter, no
    /// library but its own.
    package let isInstalled: Bool
    /// What is missing for that, for people to read.
    package let deficiencies: [String]
    package let mode: ServiceIdentity.Mode

    package init(
        path: String,
        isInRootOwnedPlace: Bool,
        isInstalled: Bool,
        deficiencies: [String],
        mode: ServiceIdentity.Mode
    ) {
        self.path = path
        self.isInRootOwnedPlace = isInRootOwnedPlace
        self.isInstalled = isInstalled
        self.deficiencies = deficiencies
        self.mode = mode
    }
}

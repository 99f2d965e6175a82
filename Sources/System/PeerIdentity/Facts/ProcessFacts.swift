/// What the kernel says of a process, from outside it. Nothing here is what the process says of itself.
package struct ProcessFacts: Sendable, Equatable {
    /// In the reader's namespace.
    package var pid: Int32
    package var uids: ProcessIDs
    package var gids: ProcessIDs
    /// A bit for each, as in linux/capability.h (CapPrm).
    package var permittedCapabilities: UInt64
    package var isTraced: Bool
    /// In how many pid namespaces the process has a pid; 1 for one that lives in the reader's.
    package var pidNamespaceDepth: Int
    package var noNewPrivileges: Bool
    /// 0 for none.
    package var seccompMode: Int
    /// Whether processes of the same user can read this one's memory. False for every process of root.
    package var isDumpable: Bool
    /// What the process has in common with process 1.
    package var shared: SharedSurroundings
    /// The maker of the outermost user namespace that the process is in, below process 1's; nil where it is in that
    /// one, or where it cannot be told.
    package var namespaceOwner: UInt32?
    /// Nil where the executable cannot be seen, or lies where looking at it is left to a program of its owner (FUSE).
    package var executable: ExecutableFacts?

    package init(
        pid: Int32,
        uids: ProcessIDs,
        gids: ProcessIDs,
        permittedCapabilities: UInt64 = 0,
        isTraced: Bool = false,
        pidNamespaceDepth: Int = 1,
        noNewPrivileges: Bool = false,
        seccompMode: Int = 0,
        isDumpable: Bool = false,
        shared: SharedSurroundings = .all,
        namespaceOwner: UInt32? = nil,
        executable: ExecutableFacts? = nil
    ) {
        self.pid = pid
        self.uids = uids
        self.gids = gids
        self.permittedCapabilities = permittedCapabilities
        self.isTraced = isTraced
        self.pidNamespaceDepth = pidNamespaceDepth
        self.noNewPrivileges = noNewPrivileges
        self.seccompMode = seccompMode
        self.isDumpable = isDumpable
        self.shared = shared
        self.namespaceOwner = namespaceOwner
        self.executable = executable
    }
}

/// The four user or group ids of a process (credentials(7)).
package struct ProcessIDs: Sendable, Equatable {
    package var real: UInt32
    package var effective: UInt32
    package var saved: UInt32
    package var fileSystem: UInt32

    package init(real: UInt32, effective: UInt32, saved: UInt32, fileSystem: UInt32) {
        self.real = real
        self.effective = effective
        self.saved = saved
        self.fileSystem = fileSystem
    }

    package func areAll(_ id: UInt32) -> Bool {
        real == id && effective == id && saved == id && fileSystem == id
    }
}

/// Namespaces and root folder that are the same as process 1's.
package struct SharedSurroundings: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let userNamespace = SharedSurroundings(rawValue: 1)
    package static let pidNamespace = SharedSurroundings(rawValue: 2)
    package static let mountNamespace = SharedSurroundings(rawValue: 4)
    package static let root = SharedSurroundings(rawValue: 8)
    package static let all: SharedSurroundings = [.userNamespace, .pidNamespace, .mountNamespace, .root]
}

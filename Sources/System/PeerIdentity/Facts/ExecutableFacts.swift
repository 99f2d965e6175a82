/// What the kernel says of the file that a process runs.
package struct ExecutableFacts: Sendable, Equatable {
    package var file: FileIdentity
    package var owner: UInt32
    package var group: UInt32
    /// Type and rights, as in stat(2).
    package var mode: UInt32
    package var mount: MountFacts
    /// Where it lies, if a file of that name is this very file, and only root can put another one there: the file and
    /// all folders above it belong to root and no other user can write to them. Nil otherwise.
    package var protectedPath: String?

    package init(
        file: FileIdentity,
        owner: UInt32,
        group: UInt32,
        mode: UInt32,
        mount: MountFacts,
        protectedPath: String? = nil
    ) {
        self.file = file
        self.owner = owner
        self.group = group
        self.mode = mode
        self.mount = mount
        self.protectedPath = protectedPath
    }

    package var isRegular: Bool { mode & 0o170_000 == 0o100_000 }
    package var isSetGroupID: Bool { mode & 0o2_000 != 0 }
    /// Whether its group or everybody may write to it. The group's rights are the mask of an access control list, too.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 }
}

/// Which file it is, and in which state. Two equal ones hold the same bytes, as far as a file system tells.
package struct FileIdentity: Sendable, Hashable {
    package var device: UInt64
    package var inode: UInt64
    /// Never given to another mount while the system runs; 0 before Linux 6.8, which then cannot tell one medium from
    /// the next in the same place.
    package var uniqueMount: UInt64
    /// In bytes.
    package var size: UInt64
    /// When it was changed last (ctime), in nanoseconds since 1970.
    package var changed: Int64

    package init(device: UInt64, inode: UInt64, uniqueMount: UInt64, size: UInt64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.uniqueMount = uniqueMount
        self.size = size
        self.changed = changed
    }
}

/// What is known of the mount that a file was opened through.
package struct MountFacts: Sendable, Equatable {
    /// Whether process 1 sees this very mount: a mount in a user's own namespace is not one of the system's.
    package var isOfSystem: Bool
    package var ignoresSetID: Bool
    /// Whether a program of the mounting user supplies its contents (FUSE).
    package var isInUserSpace: Bool

    package init(isOfSystem: Bool, ignoresSetID: Bool, isInUserSpace: Bool) {
        self.isOfSystem = isOfSystem
        self.ignoresSetID = ignoresSetID
        self.isInUserSpace = isInUserSpace
    }
}

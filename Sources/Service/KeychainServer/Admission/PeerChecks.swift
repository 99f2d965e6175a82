/// What is checked of a caller, one name for each check, so that each can be shown to be needed: the tests' own daemon runs
/// an attack with all of them, and again without one.
package struct PeerChecks: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let all = PeerChecks(rawValue: .max)

    /// For the tests' daemon alone: the service makes no use of it.
    package static func unchecked(without checks: PeerChecks) -> PeerChecks {
        all.subtracting(checks)
    }

    // MARK: - Every connection

    /// The process lives, before and after each read.
    package static let liveness = PeerChecks(rawValue: 1 << 0)
    /// Its four user ids are the one that connected.
    package static let userIDs = PeerChecks(rawValue: 1 << 1)
    /// Nothing was sent before the nonce was.
    package static let emptyQueue = PeerChecks(rawValue: 1 << 2)
    /// The proof is the nonce's.
    package static let proof = PeerChecks(rawValue: 1 << 3)
    /// The proof is one message of sendmsg(2), with a descriptor.
    package static let descriptor = PeerChecks(rawValue: 1 << 4)
    /// Each chunk was sent by the process that connected.
    package static let sender = PeerChecks(rawValue: 1 << 5)
    /// No descriptor comes later.
    package static let laterDescriptors = PeerChecks(rawValue: 1 << 7)
    /// The process runs the program that it ran at first.
    package static let sameProgram = PeerChecks(rawValue: 1 << 8)
    /// The proof is read in the moment in which the nonce was sent, without anything between.
    package static let promptReading = PeerChecks(rawValue: 1 << 9)
    /// Its user is one of the system's, not one that a user namespace was lent.
    package static let namespaceOwner = PeerChecks(rawValue: 1 << 10)

    // MARK: - Installed programs: the start was clean

    /// The kernel gave it the marker group, which it gives to no program that is traced, filtered or in a namespace.
    package static let marker = PeerChecks(rawValue: 1 << 16)
    package static let tracer = PeerChecks(rawValue: 1 << 17)
    package static let userNamespace = PeerChecks(rawValue: 1 << 18)
    package static let pidNamespace = PeerChecks(rawValue: 1 << 19)
    package static let mountNamespace = PeerChecks(rawValue: 1 << 20)
    package static let root = PeerChecks(rawValue: 1 << 21)
    package static let noNewPrivileges = PeerChecks(rawValue: 1 << 22)
    package static let seccomp = PeerChecks(rawValue: 1 << 23)
    /// No process of the same user can read its memory.
    package static let dumpability = PeerChecks(rawValue: 1 << 24)

    // MARK: - Installed programs: the file is an administrator's

    package static let fileOwner = PeerChecks(rawValue: 1 << 32)
    package static let fileMode = PeerChecks(rawValue: 1 << 33)
    /// It would get the marker group at its next start.
    package static let fileMarker = PeerChecks(rawValue: 1 << 34)
    /// It is on a mount of the system's that heeds set-group-id.
    package static let fileMount = PeerChecks(rawValue: 1 << 35)

    // MARK: - What is remembered of programs

    /// A program is remembered by the mount's number that is never used again, and not by its device's alone.
    package static let uniqueMount = PeerChecks(rawValue: 1 << 40)

    /// All of them, as options name them.
    package static let named: KeyValuePairs<String, PeerChecks> = [
        "liveness": .liveness, "user-ids": .userIDs, "empty-queue": .emptyQueue, "proof": .proof,
        "descriptor": .descriptor, "sender": .sender, "later-descriptors": .laterDescriptors,
        "same-program": .sameProgram, "prompt-reading": .promptReading,
        "namespace-owner": .namespaceOwner,
        "marker": .marker, "tracer": .tracer, "user-namespace": .userNamespace, "pid-namespace": .pidNamespace,
        "mount-namespace": .mountNamespace, "root": .root, "no-new-privileges": .noNewPrivileges, "seccomp": .seccomp,
        "dumpability": .dumpability,
        "file-owner": .fileOwner, "file-mode": .fileMode, "file-marker": .fileMarker, "file-mount": .fileMount,
        "unique-mount": .uniqueMount,
    ]
}

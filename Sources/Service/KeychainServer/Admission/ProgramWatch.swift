import CKeychainLinux
import PeerIdentity

/// What tells, at every chunk and at little cost, that a process has not started another program in its place.
///
/// docs/decisions/0016-what-is-checked-of-every-chunk.md says why it differs by mode.
enum ProgramWatch: Sendable {
    /// The marker group is a process's as long as it runs the installed program: it cannot get it back, and the next
    /// program does not inherit it.
    case savedGroup(UInt32)
    /// For processes that this one may look at.
    case executable(FileIdentity, LocalWitness)
    /// The program belongs to the user who starts it, and so do its successors.
    case none

    func isUnchanged(in process: PinnedProcess) -> Bool {
        switch self {
        case .savedGroup(let group): process.savedGroup == group
        case .executable(let file, let witness): witness.executable(of: process) == file
        case .none: true
        }
    }
}

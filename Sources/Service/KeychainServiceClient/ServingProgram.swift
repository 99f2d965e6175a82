import Glibc
import KeychainSystem
import Synchronization

/// One of our own programs that serves others until it is stopped.
///
/// The keychain knows a program without a signature by the path of its file. Once an update has put another file there, this
/// process is another program to it: it would find nothing, and what it stored would be out of reach after its end. So it
/// ends, and systemd starts the new one.
package enum ServingProgram {
    private static let isOne = Atomic(false)
    /// EX_TEMPFAIL of sysexits.h.
    private static let status: Int32 = 75

    /// From now on this process ends where its file was replaced.
    package static func begin() { isOne.store(true, ordering: .relaxed) }

    /// Called before each new connection, since the keychain looks at a program when it connects.
    static func endIfReplaced() {
        guard isOne.load(ordering: .relaxed), OwnProgram.isReplaced else { return }
        let message = "this program's file was replaced: it ends, and the new one has to be started\n"
        try? LentDescriptor(STDERR_FILENO).write(Array(message.utf8))
        _exit(status)
    }
}

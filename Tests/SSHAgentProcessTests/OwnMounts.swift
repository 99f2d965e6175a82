import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A mount namespace that a test may change without the machine's noticing, for as long as this lives. Only root can make
/// one in which programs keep their users.
final class OwnMounts: @unchecked Sendable {
    // Unchecked: the process is started in the initialiser and killed after that.
    private let holder = Process()

    /// - Parameter script: lines of sh that change the mounts. When it is done, `sign` is there.
    init(_ script: String, sign: String) throws {
        holder.executableURL = URL(filePath: "/usr/bin/env")
        let lines = "set -e\n\(script)\n: >'\(sign)'\nexec sleep infinity\n"
        holder.arguments = ["unshare", "--mount", "--propagation", "private", "sh", "-c", lines]
        holder.standardInput = FileHandle.nullDevice
        try holder.runHearingSignals()
        let made = "/proc/\(holder.processIdentifier)/root" + sign
        try waitUntil("the namespace is made") { FileManager.default.fileExists(atPath: made) }
    }

    deinit {
        kill(holder.processIdentifier, SIGKILL)
        holder.waitForExit()
    }

    /// What starts a program in the namespace.
    var wrapper: [String] { ["nsenter", "--mount=/proc/\(holder.processIdentifier)/ns/mnt", "--wd=."] }
}

import CKeychainLinux
import Glibc
package import KeychainSystem

/// One process, and never another one that got its pid later: its pidfd, and its folder in /proc, opened while it lived.
///
/// The folder stays that process's own; once it is dead, nothing can be read in it.
package struct PinnedProcess: Sendable {
    package let pid: Int32
    package let pidfd: Descriptor
    /// O_PATH.
    package let folder: Descriptor

    package init(pid: Int32, pidfd: Descriptor, folder: Descriptor) {
        self.pid = pid
        self.pidfd = pidfd
        self.folder = folder
    }

    /// The process that connected a socket.
    ///
    /// - Throws: `isGone` if it is not there any more, or not one that this process can see.
    package init(connectedTo socket: Int32) throws(WitnessError) {
        let number = clinux_peer_process(socket)
        guard number >= 0 else { throw .isGone }
        try self.init(pidfd: Descriptor(owning: number))
    }

    /// The process of a pidfd.
    package init(pidfd: Descriptor) throws(WitnessError) {
        guard let pid = Self.pid(of: pidfd) else { throw .isGone }
        let flags = clinux_open_path | O_DIRECTORY | O_NOFOLLOW
        guard let folder = try? Descriptor(opening: "/proc/\(pid)", flags) else { throw .isGone }
        self.init(pid: pid, pidfd: pidfd, folder: folder)
        // It lives: so its pid was still its own when the folder was opened.
        guard isAlive else { throw .isGone }
    }

    package var isAlive: Bool { clinux_pidfd_is_alive(pidfd.number) }

    /// Its saved group, which everybody may know; nil once it has ended.
    package var savedGroup: UInt32? {
        var ids = clinux_process_ids()
        if unsafe clinux_pidfd_ids(pidfd.number, &ids) { return ids.saved_gid }
        // Before Linux 6.13.
        return ProcFile.read("status", in: folder.number, largest: 1 << 20).flatMap { ProcessStatus($0) }?.gids.saved
    }

    /// The pid as this process's /proc names it.
    private static func pid(of pidfd: Descriptor) -> Int32? {
        var ids = clinux_process_ids()
        if unsafe clinux_pidfd_ids(pidfd.number, &ids) { return ids.pid > 0 ? ids.pid : nil }
        // Before Linux 6.13.
        guard let text = ProcFile.read("/proc/self/fdinfo/\(pidfd.number)", largest: 4_096) else { return nil }
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let fields = line.split { $0 == "\t" || $0 == " " }
            if fields.count == 2, fields[0] == "Pid:", let pid = Int32(fields[1]), pid > 0 { return pid }
        }
        return nil
    }
}

import CKeychainLinux
import Glibc
package import KeychainSystem

/// Reads the facts of pinned processes with whatever rights this process has.
package final class ProcessReader: Sendable {
    /// Which executables are opened.
    package enum Reach: Sendable {
        /// Those that the system answers for: a file that a user's own program serves (FUSE) can block its readers.
        case ofSystem
        /// All: for a process of the same user, who can block only their own processes.
        case all
    }

    private let initial = InitialSurroundings()
    private let reach: Reach

    package init(reach: Reach) {
        self.reach = reach
    }

    /// Everything about a process, and its executable, open for reading.
    ///
    /// - Throws: `isGone` if the process has ended, or cannot be seen.
    package func read(_ process: PinnedProcess) throws(WitnessError) -> (ProcessFacts, executable: Descriptor?) {
        var facts = try status(of: process.folder)
        facts.shared = initial.shared(with: process.folder)
        if !facts.shared.contains(.userNamespace) {
            facts.namespaceOwner = initial.namespaceOwner(of: process.folder)
        }
        let executable = openExecutable(of: process.folder, sharing: facts.shared)
        facts.executable = executable?.facts
        guard process.isAlive else { throw .isGone }
        return (facts, executable?.descriptor)
    }

    /// What can change while a process lives: all but what it shares with process 1 and where its executable lies.
    ///
    /// - Parameter folder: of a process, in /proc.
    /// - Throws: `isGone` if the process has ended, or cannot be seen.
    package func readAgain(_ folder: Descriptor) throws(WitnessError) -> RecheckedFacts {
        let facts = try status(of: folder)
        return RecheckedFacts(
            gids: facts.gids,
            permittedCapabilities: facts.permittedCapabilities,
            isTraced: facts.isTraced,
            executable: FileStatus.of("exe", in: folder.number, followingLinks: true).map { FileIdentity($0) }
        )
    }

    private func status(of folder: Descriptor) throws(WitnessError) -> ProcessFacts {
        // Its owner is root if the process cannot be dumped (proc(5)); that of the folder itself tells nothing.
        guard let owner = FileStatus.of("status", in: folder.number)?.uid,
            let text = ProcFile.read("status", in: folder.number, largest: 1 << 20),
            let status = ProcessStatus(text)
        else { throw .isGone }
        return ProcessFacts(
            pid: status.pid,
            uids: status.uids,
            gids: status.gids,
            permittedCapabilities: status.permittedCapabilities,
            isTraced: status.tracer != 0,
            pidNamespaceDepth: status.pidNamespaceDepth,
            noNewPrivileges: status.noNewPrivileges,
            seccompMode: status.seccompMode,
            isDumpable: owner != 0,
            shared: []
        )
    }

    /// Looks at an executable before it opens it, so that no file is opened that could stop this process.
    private func openExecutable(
        of folder: Descriptor,
        sharing shared: SharedSurroundings
    ) -> (facts: ExecutableFacts, descriptor: Descriptor)? {
        guard let path = try? Descriptor(opening: "exe", clinux_open_path, in: folder),
            let file = FileStatus.of(path), file.mode & UInt32(S_IFMT) == UInt32(S_IFREG)
        else { return nil }
        let mount = initial.mount(file.mount, usedBy: folder, sharing: shared)
        guard reach == .all || mount?.isInUserSpace == false else { return nil }

        let place = "/proc/self/fd/\(path.number)"
        guard let descriptor = try? Descriptor(opening: place, O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let opened = FileStatus.of(descriptor), opened.device == file.device, opened.inode == file.inode
        else { return nil }
        let facts = ExecutableFacts(
            file: FileIdentity(opened),
            owner: opened.uid,
            group: opened.gid,
            mode: opened.mode,
            mount: mount ?? MountFacts(isOfSystem: false, ignoresSetID: true, isInUserSpace: true),
            protectedPath: SymbolicLink.target(of: "exe", in: folder).flatMap { protected($0, leadingTo: opened) }
        )
        return (facts, descriptor)
    }

    /// A path that leads to a file, and that only root can make lead anywhere else.
    ///
    /// Process 1's root folder, where it can be seen, is where the path begins: a sandboxed service's own is another
    /// one.
    private func protected(_ path: String, leadingTo file: clinux_file) -> String? {
        let components = path.split(separator: "/", omittingEmptySubsequences: true)
        guard path.hasPrefix("/"), let name = components.last, !components.contains(where: { $0 == ".." || $0 == "." })
        else { return nil }
        guard
            var folder = Self.openFolder("/proc/1/root", flags: 0) ?? Self.openFolder("/", flags: O_NOFOLLOW)
        else { return nil }
        for component in components.dropLast() {
            guard isProtected(FileStatus.of(folder)),
                let next = Self.openFolder(String(component), in: folder, flags: O_NOFOLLOW)
            else { return nil }
            folder = next
        }
        guard isProtected(FileStatus.of(folder)), let found = FileStatus.of(String(name), in: folder.number),
            isProtected(found), found.device == file.device, found.inode == file.inode, found.mount == file.mount
        else { return nil }
        return path
    }

    private static func openFolder(_ path: String, in folder: Descriptor? = nil, flags: Int32) -> Descriptor? {
        try? Descriptor(opening: path, clinux_open_path | O_DIRECTORY | flags, in: folder)
    }

    private func isProtected(_ file: clinux_file?) -> Bool {
        guard let file else { return false }
        return file.uid == 0 && file.mode & 0o022 == 0 && initial.isOfSystem(file.mount)
    }
}

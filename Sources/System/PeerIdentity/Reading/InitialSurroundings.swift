import CKeychainLinux
import Glibc
import KeychainSystem
import Synchronization

/// What process 1 lives in, to compare other processes with.
///
/// Needs the right to look at process 1. Where even that is not enough, since something guards process 1, this
/// process's own surroundings take its place: those that the administrator has started the service in.
final class InitialSurroundings: Sendable {
    private struct Place: Equatable {
        let device: UInt64
        let inode: UInt64
        let mount: UInt64

        init?(_ file: clinux_file?) {
            guard let file else { return nil }
            device = file.device
            inode = file.inode
            mount = file.mount
        }
    }

    private let places: [UInt8: Place]
    private let mountInformation: Descriptor?
    /// The table as it was when the kernel last said that it had changed.
    private let table: Mutex<MountTable?>

    init() {
        let first = Self.places(of: "1")
        // Never a mixture: a namespace of one and a root of the other describe no real process.
        let process = first.count == Self.paths.count ? "1" : "self"
        places = process == "1" ? first : Self.places(of: process)
        mountInformation = try? Descriptor(opening: "/proc/\(process)/mountinfo", O_RDONLY)
        table = Mutex(nil)
    }

    private static func places(of process: String) -> [UInt8: Place] {
        var places: [UInt8: Place] = [:]
        for (surrounding, path) in paths {
            places[surrounding.rawValue] = Place(FileStatus.of("/proc/\(process)/\(path)", followingLinks: true))
        }
        return places
    }

    /// - Parameter folder: a process's folder in /proc.
    func shared(with folder: Descriptor) -> SharedSurroundings {
        var shared: SharedSurroundings = []
        for (surrounding, path) in Self.paths {
            guard let initial = places[surrounding.rawValue],
                Place(FileStatus.of(path, in: folder.number, followingLinks: true)) == initial
            else { continue }
            shared.insert(surrounding)
        }
        return shared
    }

    /// The maker of the outermost user namespace below process 1's that a process is in; nil where that cannot be told.
    func namespaceOwner(of folder: Descriptor) -> UInt32? {
        guard let initial = places[SharedSurroundings.userNamespace.rawValue] else { return nil }
        var uid: UInt32 = 0
        return unsafe clinux_namespace_owner(folder.number, initial.device, initial.inode, &uid) ? uid : nil
    }

    /// What is known of a mount.
    ///
    /// - Parameters:
    ///   - number: as statx(2) gives it.
    ///   - folder: of the process that uses it.
    ///   - shared: what that process has in common with process 1.
    /// - Returns: nil if neither process 1 nor the process itself sees it, or if the process lives in a user namespace
    ///   of its own, where its maker can mount anything.
    func mount(_ number: UInt64, usedBy folder: Descriptor, sharing shared: SharedSurroundings) -> MountFacts? {
        if let mount = currentTable()?.mount(number) {
            return MountFacts(
                isOfSystem: true,
                ignoresSetID: mount.ignoresSetID,
                isInUserSpace: mount.isInUserSpace
            )
        }
        guard shared.contains(.userNamespace),
            let text = ProcFile.read("mountinfo", in: folder.number, largest: Self.largestTable),
            let mount = MountTable(text)?.mount(number)
        else { return nil }
        return MountFacts(isOfSystem: false, ignoresSetID: mount.ignoresSetID, isInUserSpace: mount.isInUserSpace)
    }

    /// Whether process 1 sees this mount, and the system answers for what is in it.
    func isOfSystem(_ number: UInt64) -> Bool {
        currentTable()?.mount(number).map { !$0.isInUserSpace } ?? false
    }

    private func currentTable() -> MountTable? {
        guard let mountInformation else { return nil }
        return table.withLock { table in
            // proc_pid_mountinfo(5): a change of the table is an exceptional condition, until it is polled.
            let hasChanged = (try? mountInformation.wait(for: POLLPRI, until: ContinuousClock.now)) ?? true
            if let table, !hasChanged { return table }
            table = ProcFile.read(mountInformation, largest: Self.largestTable).flatMap { MountTable($0) }
            return table
        }
    }

    /// In bytes; a hundred mounts have some 15,000.
    private static let largestTable = 8 << 20

    private static let paths: [(SharedSurroundings, String)] = [
        (.userNamespace, "ns/user"), (.pidNamespace, "ns/pid"), (.mountNamespace, "ns/mnt"), (.root, "root"),
    ]
}

import CKeychainLinux
import Glibc
import KeychainSystem

/// statx(2), which asks no remote file system and none in user space, and so does not wait for one.
enum FileStatus {
    static func of(_ path: String, in folder: Int32 = AT_FDCWD, followingLinks: Bool = false) -> clinux_file? {
        var file = clinux_file()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        return unsafe clinux_stat(folder, path, flags, &file) == 0 ? file : nil
    }

    static func of(_ descriptor: Descriptor) -> clinux_file? {
        var file = clinux_file()
        return unsafe clinux_stat(descriptor.number, "", 0, &file) == 0 ? file : nil
    }
}

extension FileIdentity {
    init(_ file: clinux_file) {
        self.init(
            device: file.device,
            inode: file.inode,
            uniqueMount: file.unique_mount,
            size: file.size,
            changed: file.change_seconds &* 1_000_000_000 &+ Int64(file.change_nanoseconds)
        )
    }
}

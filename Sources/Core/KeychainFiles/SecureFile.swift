import Glibc
package import KeychainModel

/// Small files that only their owner may read.
package enum SecureFile {
    /// The accounts that may own a file, and those that may also read it.
    package enum Ownership {
        /// Only this user.
        case own
        /// This user or root, as systemd hands credentials to a service (systemd.exec(5), "CREDENTIALS").
        case credential
    }

    /// - Returns: nil if there is no such file.
    /// - Throws: `notAvailable` for a file of another owner, one that others may read, one that is not a regular file,
    ///   or one that is too large.
    package static func read(_ path: String, largest: Int, ownership: Ownership) throws(KeychainError) -> SecretBytes? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw KeychainError(.notAvailable, "\(path) is a link; put the original file back")
            default: throw KeychainError(errno: errno, "\(path) cannot be opened")
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw KeychainError(errno: errno, "\(path) cannot be read")
        }
        try check(status, path: path, ownership: ownership)
        guard status.st_size <= largest else {
            throw KeychainError(.notAvailable, "\(path) is larger than it can be; put the original file back")
        }
        return try contents(of: descriptor, size: Int(status.st_size), path: path)
    }

    /// - Throws: `inputOutput` where there is less than that.
    package static func contents(of descriptor: Int32, size: Int, path: String) throws(KeychainError) -> SecretBytes {
        var count = 0
        var failure: Int32 = 0
        let contents = unsafe SecretBytes(count: size) { target in
            while count < size {
                let got = unsafe Glibc.read(descriptor, target.baseAddress.map { unsafe $0 + count }, size - count)
                guard got > 0 else {
                    failure = got < 0 ? errno : EIO
                    return
                }
                count += got
            }
        }
        guard failure == 0 else { throw KeychainError(errno: failure, "\(path) cannot be read") }
        return contents
    }

    private static func check(_ status: stat, path: String, ownership: Ownership) throws(KeychainError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeychainError(.notAvailable, "\(path) is not a file; put the original file back")
        }
        let isOurs = status.st_uid == geteuid() || (ownership == .credential && status.st_uid == 0)
        guard isOurs else {
            throw KeychainError(.notAvailable, "\(path) belongs to another user; it has to belong to you")
        }
        let forbidden: mode_t = ownership == .credential ? 0o037 : 0o077
        guard status.st_mode & forbidden == 0 else {
            throw KeychainError(
                .notAvailable,
                "\(path) can be read by others; make it yours alone: chmod 600 '\(path)'"
            )
        }
    }

    /// Writes a file that is either there whole, and stays there after a power cut, or not at all.
    package static func write(_ contents: SecretBytes, to path: String) throws(KeychainError) {
        let temporary = path + ".new"
        _ = unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(temporary) cannot be created") }
        defer { close(descriptor) }
        let written = unsafe contents.withUnsafeBytes { bytes in
            unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        }
        // Less than all is written only where there is no room for the rest.
        let isWhole = written < 0 || written == contents.count
        guard isWhole, written >= 0, fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
            let reason = isWhole ? errno : ENOSPC
            _ = unsafe unlink(temporary)
            throw KeychainError(errno: reason, "\(path) cannot be written")
        }
        try Folder.synchronize(of: path)
    }
}

extension SecureFile {
    /// Writes a small file in place, so that a full disk does not stand in the way of what was there before. A power
    /// cut may leave neither the old contents nor the new ones: a code in the file has to tell.
    package static func overwrite(_ contents: [UInt8], at path: String) throws(KeychainError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 && errno == ENOENT {
            try write(SecretBytes(contents), to: path)
            return
        }
        guard descriptor >= 0 else { throw KeychainError(errno: errno, "\(path) cannot be opened") }
        defer { close(descriptor) }
        let written = unsafe pwrite(descriptor, contents, contents.count, 0)
        guard written == contents.count, fdatasync(descriptor) == 0 else {
            let reason = written >= 0 && written < contents.count ? ENOSPC : errno
            throw KeychainError(errno: reason, "\(path) cannot be written")
        }
    }
}

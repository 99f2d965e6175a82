import Glibc
package import KeychainModel
package import KeychainSystem

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
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            switch error.code {
            case ENOENT: return nil
            case ELOOP: throw KeychainError(.notAvailable, "\(path) is a link; put the original file back")
            default: throw KeychainError(error)
            }
        }
        let stamp = try KeychainError.translating("\(path) cannot be read") { try file.stamp() }
        try check(stamp, path: path, ownership: ownership)
        guard stamp.size <= largest else {
            throw KeychainError(.notAvailable, "\(path) is larger than it can be; put the original file back")
        }
        return try contents(of: file, size: Int(stamp.size), path: path)
    }

    /// - Throws: `inputOutput` where there is less than that.
    package static func contents(
        of file: some OpenDescriptor,
        size: Int,
        path: String
    ) throws(KeychainError) -> SecretBytes {
        var failure: SystemError?
        let contents = unsafe SecretBytes(count: size) { room in
            do throws(SystemError) {
                guard try unsafe file.fill(room) < room.count else { return }
                failure = SystemError(EIO, "")
            } catch {
                failure = error
            }
        }
        if let failure { throw KeychainError(failure, "\(path) cannot be read") }
        return contents
    }

    private static func check(_ stamp: FileStamp, path: String, ownership: Ownership) throws(KeychainError) {
        guard stamp.isFile else {
            throw KeychainError(.notAvailable, "\(path) is not a file; put the original file back")
        }
        let isOurs = stamp.owner == geteuid() || (ownership == .credential && stamp.owner == 0)
        guard isOurs else {
            throw KeychainError(.notAvailable, "\(path) belongs to another user; it has to belong to you")
        }
        let forbidden: mode_t = ownership == .credential ? 0o037 : 0o077
        guard stamp.mode & forbidden == 0 else {
            throw KeychainError(
                .notAvailable,
                "\(path) can be read by others; make it yours alone: chmod 600 '\(path)'"
            )
        }
    }

    /// Writes a file that is either there whole, and stays there after a power cut, or not at all.
    package static func write(_ contents: SecretBytes, to path: String) throws(KeychainError) {
        try KeychainError.translating {
            let file = try NewFile(beside: path, mode: 0o600, isNamed: true)
            try contents.write(to: file)
            try file.commit(replacing: true)
        }
    }
}

extension SecureFile {
    /// Writes a small file in place, so that a full disk does not stand in the way of what was there before. A power
    /// cut may leave neither the old contents nor the new ones: a code in the file has to tell.
    package static func overwrite(_ contents: [UInt8], at path: String) throws(KeychainError) {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_WRONLY | O_NOFOLLOW)
        } catch {
            guard error.code == ENOENT else { throw KeychainError(error) }
            return try write(SecretBytes(contents), to: path)
        }
        defer { withExtendedLifetime(file) {} }
        let written = unsafe pwrite(file.number, contents, contents.count, 0)
        guard written == contents.count, fdatasync(file.number) == 0 else {
            let reason = written >= 0 && written < contents.count ? ENOSPC : errno
            throw KeychainError(errno: reason, "\(path) cannot be written")
        }
    }
}

extension SecretBytes {
    fileprivate func write(to file: NewFile) throws(SystemError) {
        var failure: SystemError?
        unsafe withUnsafeBytes { bytes in
            do throws(SystemError) { try unsafe file.write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

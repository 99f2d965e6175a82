import Glibc

/// A folder whose files are read and written by their names alone, and never through a link.
final class OpenRevocationCacheFolder {
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
    }

    /// Goes down, folder by folder.
    ///
    /// - Returns: nil where one is no folder, is somebody else's, or cannot be made private.
    func subfolder(_ names: [String], making: Bool = false) -> OpenRevocationCacheFolder? {
        guard let name = names.first else { return self }
        if making { _ = unsafe mkdirat(descriptor, name, 0o700) }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = unsafe openat(descriptor, name, flags)
        guard opened >= 0 else { return nil }
        let folder = OpenRevocationCacheFolder(descriptor: opened)
        var state = stat()
        guard unsafe fstat(opened, &state) == 0, state.st_uid == geteuid() else { return nil }
        if state.st_mode & 0o077 != 0, fchmod(opened, 0o700) != 0 { return nil }
        return folder.subfolder(Array(names.dropFirst()), making: making)
    }

    /// Reads a file.
    ///
    /// - Returns: nil for anything but a file of the caller's that is no longer than allowed.
    func read(_ name: String, atMost most: Int) -> [UInt8]? {
        // A pipe in the file's place opens at once, and is none.
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var state = stat()
        guard unsafe fstat(file, &state) == 0, isOwnFile(state), (0...most).contains(Int(state.st_size)) else {
            return nil
        }
        var contents = [UInt8](repeating: 0, count: Int(state.st_size))
        var count = 0
        while count < contents.count {
            let added = unsafe contents[count...].withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(file, bytes.baseAddress, bytes.count)
            }
            if added < 0, errno == EINTR { continue }
            guard added > 0 else { return nil }
            count += added
        }
        return contents
    }

    /// Puts a file in the place of whatever has this name. Where that fails, nothing changes.
    func write(_ contents: [UInt8], to name: String) {
        let other = Self.unfinished + String(UInt64.random(in: .min ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(descriptor, other, flags, 0o600)
        guard file >= 0 else { return }
        let isWritten = Self.write(contents, to: file)
        // It need not outlive a crash of the machine: what is damaged then proves nothing.
        guard close(file) == 0, isWritten, unsafe renameat(descriptor, other, descriptor, name) == 0 else {
            remove(other)
            return
        }
    }

    private static func write(_ contents: [UInt8], to file: Int32) -> Bool {
        var count = 0
        while count < contents.count {
            let added = unsafe contents[count...].withUnsafeBytes { bytes in
                unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
            }
            if added < 0, errno == EINTR { continue }
            guard added > 0 else { return false }
            count += added
        }
        return true
    }

    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor, name, 0)
    }

    /// Removes files that are too old, then the oldest until the rest is within bounds. What is no file of the caller's
    /// stays.
    func shrink(toFiles mostFiles: Int, bytes mostBytes: Int, seconds mostSeconds: Int) {
        let now = time(nil)
        var kept = files()
        for file in kept where !(now - mostSeconds...now + mostSeconds).contains(file.seconds) || file.isAbandoned(now)
        {
            remove(file.name)
        }
        kept.removeAll { !(now - mostSeconds...now + mostSeconds).contains($0.seconds) || $0.isUnfinished }
        kept.sort { ($0.seconds, $0.nanoseconds) > ($1.seconds, $1.nanoseconds) }
        var (count, bytes) = (0, 0)
        for file in kept {
            count += 1
            bytes += file.size
            if count > mostFiles || bytes > mostBytes { remove(file.name) }
        }
    }

    /// What the name of a file begins with that is not written to its end.
    private static let unfinished = "new-"

    private struct File {
        let name: String
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        var isUnfinished: Bool { name.hasPrefix(OpenRevocationCacheFolder.unfinished) }

        /// Whether its writer must have ended in the middle.
        func isAbandoned(_ now: Int) -> Bool { isUnfinished && seconds < now - 3_600 }
    }

    /// The caller's own files, of which no more are looked at than anybody could have stored here.
    private func files() -> [File] {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let stream = unsafe fdopendir(copy) else {
            _ = close(copy)
            return []
        }
        defer { _ = unsafe closedir(stream) }
        var files: [File] = []
        while files.count < 65_536, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var state = stat()
            guard unsafe fstatat(descriptor, name, &state, AT_SYMLINK_NOFOLLOW) == 0, isOwnFile(state) else { continue }
            files.append(
                File(
                    name: name,
                    size: Int(state.st_size),
                    seconds: state.st_mtim.tv_sec,
                    nanoseconds: state.st_mtim.tv_nsec
                )
            )
        }
        return files
    }

    private func isOwnFile(_ state: stat) -> Bool {
        state.st_mode & S_IFMT == S_IFREG && state.st_uid == geteuid()
    }
}

import Glibc
import KeychainSystem

/// A folder whose files are read and written by their names alone, and never through a link.
final class OpenRevocationCacheFolder {
    private let folder: Descriptor

    init(_ folder: Descriptor) {
        self.folder = folder
    }

    /// Goes down, folder by folder.
    ///
    /// - Returns: nil where one is no folder, is somebody else's, or cannot be made private.
    func subfolder(_ names: [String], making: Bool = false) -> OpenRevocationCacheFolder? {
        guard let name = names.first else { return self }
        if making { _ = unsafe mkdirat(folder.number, name, 0o700) }
        guard let next = try? Descriptor(opening: name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: folder),
            let stamp = try? next.stamp(), stamp.owner == geteuid(),
            stamp.mode & 0o077 == 0 || fchmod(next.number, 0o700) == 0
        else { return nil }
        return OpenRevocationCacheFolder(next).subfolder(Array(names.dropFirst()), making: making)
    }

    /// Reads a file.
    ///
    /// - Returns: nil for anything but a file of the caller's that is no longer than allowed.
    func read(_ name: String, atMost most: Int) -> [UInt8]? {
        // A pipe in the file's place opens at once, and is none.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        guard let file = try? Descriptor(opening: name, flags, in: folder), let stamp = try? file.stamp(),
            isOwnFile(stamp), stamp.size <= most, let contents = try? file.prefix(Int(stamp.size)),
            contents.count == Int(stamp.size)
        else { return nil }
        return contents
    }

    /// Puts a file in the place of whatever has this name. Where that fails, nothing changes.
    func write(_ contents: [UInt8], to name: String) {
        let other = Self.unfinished + String(UInt64.random(in: .min ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = try? Descriptor(opening: other, flags, mode: 0o600, in: folder) else { return }
        // It need not outlive a crash of the machine: what is damaged then proves nothing.
        guard let _ = try? file.write(contents), unsafe renameat(folder.number, other, folder.number, name) == 0 else {
            return remove(other)
        }
    }

    func remove(_ name: String) {
        _ = unsafe unlinkat(folder.number, name, 0)
    }

    /// Removes files that are too old, then the oldest until the rest is within bounds. What is no file of the caller's
    /// stays.
    func shrink(toFiles mostFiles: Int, bytes mostBytes: Int, seconds mostSeconds: Int) {
        let now = FileTime.now.seconds
        let oldest = Int64(mostSeconds)
        var kept = files()
        for file in kept where !(now - oldest...now + oldest).contains(file.changed.seconds) || file.isAbandoned(now) {
            remove(file.name)
        }
        kept.removeAll { !(now - oldest...now + oldest).contains($0.changed.seconds) || $0.isUnfinished }
        kept.sort { $0.changed > $1.changed }
        var count = 0
        var bytes: UInt64 = 0
        for file in kept {
            count += 1
            bytes += file.size
            if count > mostFiles || bytes > UInt64(mostBytes) { remove(file.name) }
        }
    }

    /// What the name of a file begins with that is not written to its end.
    private static let unfinished = "new-"

    private struct File {
        let name: String
        let size: UInt64
        let changed: FileTime

        var isUnfinished: Bool { name.hasPrefix(OpenRevocationCacheFolder.unfinished) }

        /// Whether its writer must have ended in the middle.
        func isAbandoned(_ now: Int64) -> Bool { isUnfinished && changed.seconds < now - 3_600 }
    }

    /// The caller's own files, of which no more are looked at than anybody could have stored here.
    private func files() -> [File] {
        let names = (try? Folder.names(in: folder, atMost: 65_536)) ?? []
        return names.compactMap { name in
            let name = String(decoding: name, as: UTF8.self)
            guard let stamp = (try? FileStamp(path: name, in: folder)) ?? nil, isOwnFile(stamp) else { return nil }
            return File(name: name, size: stamp.size, changed: stamp.modified)
        }
    }

    private func isOwnFile(_ stamp: FileStamp) -> Bool { stamp.isFile && stamp.owner == geteuid() }
}

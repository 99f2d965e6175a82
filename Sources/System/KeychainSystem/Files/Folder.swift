import Glibc

/// Folders, by their paths or open.
package enum Folder {
    /// The folder that a file's name is in: `/` above the first, `.` for a name alone.
    package static func path(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Makes the names in a file's folder survive a power cut.
    package static func synchronize(of file: String) throws(SystemError) {
        let folder = path(of: file)
        let descriptor = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
        guard descriptor.withNumber({ fsync($0) }) == 0 else { throw SystemError("\(folder) cannot be written") }
    }

    /// The names in an open folder, in the order of their bytes; without `.` and `..`.
    ///
    /// - Parameter most: how many are looked for. A caller that has to notice more asks for one more.
    package static func names(in folder: some OpenDescriptor, atMost most: Int) throws(SystemError) -> [[UInt8]] {
        // Not a duplicate, which would share its place in the folder.
        let own = unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { throw SystemError("a folder cannot be listed") }
        guard let listing = unsafe fdopendir(own) else {
            let error = SystemError("a folder cannot be listed")
            close(own)
            throw error
        }
        defer { unsafe closedir(listing) }
        var names: [[UInt8]] = []
        while names.count < most {
            errno = 0
            guard let entry = unsafe readdir(listing) else {
                guard errno == 0 else { throw SystemError("a folder cannot be listed") }
                break
            }
            let name = unsafe bytes(of: entry)
            if name == Array(".".utf8) || name == Array("..".utf8) { continue }
            names.append(name)
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// An entry is only as long as its name, so it may not be copied as a whole.
    private static func bytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
        return unsafe UnsafeBufferPointer(start: start, count: strlen(start)).map { UInt8(bitPattern: $0) }
    }
}

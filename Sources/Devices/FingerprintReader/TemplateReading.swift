import Glibc

/// A file of fprintd's: its path below the user's folder, and what is in it.
struct TemplateFile: Equatable {
    let path: [UInt8]
    let contents: [UInt8]
}

/// One look at all of a user's files.
struct TemplateReading: Equatable {
    private(set) var files: [TemplateFile] = []
    /// Which files and folders these were, and since when they have been so: changes that undo each other show here.
    private var stamps: [Stamp] = []
    private var entries = 0
    private var size = 0

    /// fprintd keeps a file per finger, reader and driver, of some kilobytes: `DRIVER/DEVICE/FINGER`.
    private static let deepest = 4
    private static let mostEntries = 256
    private static let largestFile = 1 << 20
    private static let largestSum = 4 << 20

    private struct Stamp: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modified: [Int]
        let changed: [Int]

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    init(of user: String, in folder: String) throws(EnrolledTemplates.Obstacle) {
        let base = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard base >= 0 else { throw errno == ENOENT ? .noFolder : .unreadable(errno) }
        defer { close(base) }
        let own = unsafe openat(base, user, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if own < 0 {
            let code = errno
            if code == ENOENT { return }
            throw code == ELOOP || code == ENOTDIR ? .unexpectedFile : .unreadable(code)
        }
        defer { close(own) }
        try read(folder: own, path: [], depth: 1)
    }

    private mutating func read(folder: Int32, path: [UInt8], depth: Int) throws(EnrolledTemplates.Obstacle) {
        guard depth <= Self.deepest else { throw .tooMuch }
        stamps.append(Stamp(try Self.status(of: folder)))
        for name in try Self.names(in: folder, most: Self.mostEntries - entries) {
            entries += 1
            let path = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            try read(entry: name.map { CChar(bitPattern: $0) } + [0], of: folder, path: path, depth: depth)
        }
    }

    private mutating func read(
        entry name: [CChar],
        of folder: Int32,
        path: [UInt8],
        depth: Int
    ) throws(EnrolledTemplates.Obstacle) {
        // Merely opening a device can act on it.
        var found = stat()
        guard unsafe fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.unreadable() }
        let isFolder = found.st_mode & S_IFMT == S_IFDIR
        guard isFolder || found.st_mode & S_IFMT == S_IFREG else { throw .unexpectedFile }
        let kind = isFolder ? O_DIRECTORY : O_NONBLOCK
        let descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | kind)
        guard descriptor >= 0 else { throw Self.unreadable() }
        defer { close(descriptor) }
        if isFolder { return try read(folder: descriptor, path: path, depth: depth + 1) }
        let status = try Self.status(of: descriptor)
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unexpectedFile }
        let contents = try Self.contents(of: descriptor, most: min(Self.largestFile, Self.largestSum - size))
        size += contents.count
        stamps.append(Stamp(status))
        files.append(TemplateFile(path: path, contents: contents))
    }

    private static func status(of descriptor: Int32) throws(EnrolledTemplates.Obstacle) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable() }
        return status
    }

    /// What stood there a moment ago may be gone: then the next look is at something else, and this one counts for
    /// nothing.
    private static func unreadable() -> EnrolledTemplates.Obstacle {
        switch errno {
        case ENOENT: .changing
        case ELOOP, ENOTDIR: .unexpectedFile
        default: .unreadable(errno)
        }
    }

    /// In the order of their bytes.
    private static func names(in folder: Int32, most: Int) throws(EnrolledTemplates.Obstacle) -> [[UInt8]] {
        // Not a duplicate, which would share its place in the folder.
        let own = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { throw unreadable() }
        guard let listing = unsafe fdopendir(own) else {
            close(own)
            throw .unreadable(errno)
        }
        defer { unsafe closedir(listing) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(listing) else {
                guard errno == 0 else { throw .unreadable(errno) }
                return names.sorted { $0.lexicographicallyPrecedes($1) }
            }
            let name = unsafe bytes(of: entry)
            if name == Array(".".utf8) || name == Array("..".utf8) { continue }
            guard names.count < most else { throw .tooMuch }
            names.append(name)
        }
    }

    /// An entry is only as long as its name, so it may not be copied as a whole.
    private static func bytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
        return unsafe UnsafeBufferPointer(start: start, count: strlen(start)).map { UInt8(bitPattern: $0) }
    }

    private static func contents(of descriptor: Int32, most: Int) throws(EnrolledTemplates.Obstacle) -> [UInt8] {
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(errno)
            }
            if count == 0 { return contents }
            guard contents.count + count <= most else { throw .tooMuch }
            contents += piece.prefix(count)
        }
    }
}

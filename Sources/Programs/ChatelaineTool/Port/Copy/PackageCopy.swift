import Glibc

/// Copies what is in a folder into an empty one. Everything is opened beside an open folder, and no link is followed.
struct PackageCopy {
    /// A name in a folder, as the system has it.
    private typealias Name = [CChar]

    /// What another session of building or of git makes anew.
    static let leftOut = [".build", ".git"]

    private static let deepest = 64
    private static let mostBytes: Int64 = 1 << 30

    private var entries = 0
    private var bytes: Int64 = 0
    /// The links that were copied.
    private(set) var links: [String] = []

    /// - Throws: for anything but files, folders and relative links; where there is more than a package has; and where a file
    ///   changes while it is copied.
    mutating func copy(_ source: Int32, into destination: Int32, path: String = "", depth: Int = 0) throws {
        guard depth < Self.deepest else { throw Failure("\(path): more than \(Self.deepest) folders deep") }
        for name in try Self.names(in: source, at: path) {
            let text = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if Self.leftOut.contains(text) { continue }
            entries += 1
            guard entries <= SourceFiles.mostEntries else {
                throw Failure("there are more than \(SourceFiles.mostEntries) files")
            }
            let place = path.isEmpty ? text : path + "/" + text
            var found = stat()
            guard unsafe fstatat(source, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.failure(place) }
            switch found.st_mode & S_IFMT {
            case S_IFDIR: try copyFolder(name, from: source, to: destination, place, depth)
            case S_IFREG: try copyFile(name, from: source, to: destination, place)
            case S_IFLNK: try copyLink(name, from: source, to: destination, place)
            default: throw Failure("\(place) is neither a file nor a folder nor a link")
            }
        }
    }

    private mutating func copyFolder(
        _ name: Name,
        from source: Int32,
        to destination: Int32,
        _ place: String,
        _ depth: Int
    ) throws {
        let old = unsafe openat(source, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard old >= 0 else { throw Self.failure(place) }
        defer { close(old) }
        guard unsafe mkdirat(destination, name, 0o777) == 0 else { throw Self.failure(place) }
        let new = unsafe openat(destination, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard new >= 0 else { throw Self.failure(place) }
        defer { close(new) }
        try copy(old, into: new, path: place, depth: depth + 1)
    }

    private mutating func copyFile(_ name: Name, from source: Int32, to destination: Int32, _ place: String) throws {
        let old = unsafe openat(source, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard old >= 0 else { throw Self.failure(place) }
        defer { close(old) }
        let before = try Self.status(of: old, place)
        guard before.st_mode & S_IFMT == S_IFREG else { throw Failure("\(place) is no file any more") }
        bytes = bytes.addingReportingOverflow(Int64(before.st_size)).partialValue
        guard bytes >= 0, bytes <= Self.mostBytes else { throw Failure("there are more than \(Self.mostBytes) bytes") }
        let mode: mode_t = before.st_mode & 0o100 == 0 ? 0o666 : 0o777
        let new = unsafe openat(destination, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard new >= 0 else { throw Self.failure(place) }
        defer { close(new) }
        let count = try Self.copyBytes(from: old, to: new, most: Int64(before.st_size), place)
        let after = try Self.status(of: old, place)
        guard count == before.st_size, after.st_size == before.st_size,
            after.st_mtim.tv_sec == before.st_mtim.tv_sec, after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
        else { throw Failure("\(place) changed while it was copied") }
    }

    private mutating func copyLink(_ name: Name, from source: Int32, to destination: Int32, _ place: String) throws {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = unsafe readlinkat(source, name, &target, target.count - 1)
        guard length >= 0 else { throw Self.failure(place) }
        guard length > 0, length < target.count - 1, target[0] != CChar(UInt8(ascii: "/")) else {
            throw Failure("\(place) is a link that leads out of the package")
        }
        guard unsafe symlinkat(target, destination, name) == 0 else { throw Self.failure(place) }
        links.append(place)
    }

    /// The names in a folder, in the order of their bytes; without `.` and `..`.
    private static func names(in folder: Int32, at path: String) throws -> [Name] {
        let own = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0, let stream = unsafe fdopendir(own) else { throw failure(path) }
        defer { unsafe closedir(stream) }
        var names: [Name] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if bytes == Array(".".utf8) || bytes == Array("..".utf8) { continue }
            names.append(bytes.map { CChar(bitPattern: $0) } + [0])
            guard names.count <= SourceFiles.mostEntries else {
                throw Failure("there are more than \(SourceFiles.mostEntries) files")
            }
        }
        guard errno == 0 else { throw failure(path) }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func copyBytes(from old: Int32, to new: Int32, most: Int64, _ place: String) throws -> Int64 {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var count: Int64 = 0
        // One byte more than there were says that the file has grown.
        while count <= most {
            let got = unsafe buffer.withUnsafeMutableBytes { unsafe read(old, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure(place) }
            if got == 0 { break }
            var written = 0
            while written < got {
                let put = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe bytes.baseAddress.map { unsafe write(new, $0 + written, got - written) } ?? 0
                }
                if put < 0, errno == EINTR { continue }
                guard put > 0 else { throw failure(place) }
                written += put
            }
            count += Int64(got)
        }
        return count
    }

    private static func status(of descriptor: Int32, _ place: String) throws -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(place) }
        return status
    }

    private static func failure(_ place: String) -> Failure {
        let reason = unsafe String(cString: strerror(errno))
        return Failure("\(place.isEmpty ? "the package's folder" : place): \(reason)")
    }
}

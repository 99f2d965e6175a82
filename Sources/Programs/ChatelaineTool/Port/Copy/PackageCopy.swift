import Glibc
import KeychainSystem
import Terminal

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
    mutating func copy(_ source: Descriptor, into destination: Descriptor, path: String = "", depth: Int = 0) throws {
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
            guard unsafe fstatat(source.number, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
                throw Self.failure(place)
            }
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
        from source: Descriptor,
        to destination: Descriptor,
        _ place: String,
        _ depth: Int
    ) throws {
        let old = try Self.opened(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: source, place)
        guard unsafe mkdirat(destination.number, name, 0o777) == 0 else { throw Self.failure(place) }
        let new = try Self.opened(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: destination, place)
        try copy(old, into: new, path: place, depth: depth + 1)
    }

    private mutating func copyFile(_ name: Name, from source: Descriptor, to destination: Descriptor, _ place: String)
        throws
    {
        let old = try Self.opened(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, in: source, place)
        let before = try Self.trying(place) { try old.stamp() }
        guard before.isFile else { throw Failure("\(place) is no file any more") }
        bytes = bytes.addingReportingOverflow(Int64(before.size)).partialValue
        guard bytes >= 0, bytes <= Self.mostBytes else { throw Failure("there are more than \(Self.mostBytes) bytes") }
        let mode: mode_t = before.mode & 0o100 == 0 ? 0o666 : 0o777
        let new = try Self.opened(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, in: destination, place)
        let count = try Self.copyBytes(
            from: old,
            to: new,
            most: Int64(before.size),
            place
        )
        let after = try Self.trying(place) { try old.stamp() }
        guard count == before.size, after.size == before.size, after.modified == before.modified
        else { throw Failure("\(place) changed while it was copied") }
    }

    private mutating func copyLink(_ name: Name, from source: Descriptor, to destination: Descriptor, _ place: String)
        throws
    {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = unsafe readlinkat(source.number, name, &target, target.count - 1)
        guard length >= 0 else { throw Self.failure(place) }
        guard length > 0, length < target.count - 1, target[0] != CChar(UInt8(ascii: "/")) else {
            throw Failure("\(place) is a link that leads out of the package")
        }
        guard unsafe symlinkat(target, destination.number, name) == 0 else { throw Self.failure(place) }
        links.append(place)
    }

    /// The names in a folder, in the order of their bytes; without `.` and `..`.
    private static func names(in folder: Descriptor, at path: String) throws -> [Name] {
        let names = try trying(path) {
            try Folder.names(in: folder, atMost: SourceFiles.mostEntries + 1)
        }
        guard names.count <= SourceFiles.mostEntries else {
            throw Failure("there are more than \(SourceFiles.mostEntries) files")
        }
        return names.map { $0.map { CChar(bitPattern: $0) } + [0] }
    }

    private static func copyBytes(from old: Descriptor, to new: Descriptor, most: Int64, _ place: String) throws
        -> Int64
    {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var count: Int64 = 0
        // One byte more than there were says that the file has grown.
        while count <= most {
            let got = try trying(place) { try unsafe buffer.withUnsafeMutableBytes { try unsafe old.read(into: $0) } }
            if got == 0 { break }
            try trying(place) { try new.write(Array(buffer[..<got])) }
            count += Int64(got)
        }
        return count
    }

    private static func opened(
        _ name: Name,
        _ flags: Int32,
        mode: mode_t = 0,
        in folder: Descriptor,
        _ place: String
    ) throws -> Descriptor {
        try trying(place) { try Descriptor(opening: name, flags, mode: mode, in: folder) }
    }

    private static func trying<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SystemError {
            throw Failure("\(name(place)): \(error.reason)")
        }
    }

    private static func failure(_ place: String) -> Failure { Failure("\(SystemError(name(place)))") }

    private static func name(_ place: String) -> String { place.isEmpty ? "the package's folder" : place }
}

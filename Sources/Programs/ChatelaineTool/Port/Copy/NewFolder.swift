import Foundation
import Glibc

/// A folder that is filled under another name, and gets its own when it is complete.
final class NewFolder {
    private let path: String
    /// Where it is filled.
    let unfinished: String
    private var isFinished = false

    /// - Throws: where something other than an empty folder is there, or the folder would lie in `source`.
    init(_ path: String, outside source: String) throws {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !["", ".", ".."].contains(name) else {
            throw Failure("\(path) cannot be made: name a new folder")
        }
        let parent =
            parts.count == 1
            ? "." : parts.count == 2 && parts[0].isEmpty ? "/" : parts.dropLast().joined(separator: "/")
        var status = stat()
        if unsafe lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure("\(path) is there and is no folder") }
            guard try FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
                throw Failure("\(path) is not empty")
            }
        }
        self.path = path
        unfinished = parent + "/.\(name)-\(UUID().uuidString)"
        guard try !Self.lies(parent, in: source) else { throw Failure("\(path) lies in the package itself") }
        guard unsafe mkdir(unfinished, 0o777) == 0 else {
            throw Failure("\(path): \(unsafe String(cString: strerror(errno)))")
        }
    }

    deinit {
        if !isFinished { try? FileManager.default.removeItem(atPath: unfinished) }
    }

    /// - Throws: where something has come to be there in the meantime.
    func finish() throws {
        guard unsafe rename(unfinished, path) == 0 else {
            throw Failure("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        isFinished = true
    }

    /// Whether a folder is another one, or lies in it, by whatever names and links. It is asked of the folders themselves.
    private static func lies(_ folder: String, in other: String) throws -> Bool {
        func opened(_ descriptor: Int32) throws -> (Int32, stat) {
            var status = stat()
            guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
                let reason = unsafe String(cString: strerror(errno))
                close(descriptor)
                throw Failure("\(folder): \(reason)")
            }
            return (descriptor, status)
        }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let (outer, wanted) = try opened(unsafe open(other, flags))
        defer { close(outer) }
        var (place, status) = try opened(unsafe open(folder, flags))
        defer { close(place) }
        while status.st_dev != wanted.st_dev || status.st_ino != wanted.st_ino {
            let (next, above) = try opened(unsafe openat(place, "..", flags))
            close(place)
            place = next
            // The root is above itself.
            if above.st_dev == status.st_dev, above.st_ino == status.st_ino { return false }
            status = above
        }
        return true
    }
}

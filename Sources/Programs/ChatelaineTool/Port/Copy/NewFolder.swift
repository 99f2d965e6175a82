import Foundation
import Glibc
import KeychainSystem
import Terminal

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
        let parent = Folder.path(of: path)
        if let stamp = FileStamp.ofFile(path) {
            guard stamp.isFolder else { throw Failure("\(path) is there and is no folder") }
            guard try FileManager.default.contentsOfDirectory(atPath: path).isEmpty else {
                throw Failure("\(path) is not empty")
            }
        }
        self.path = path
        unfinished = parent + "/.\(name)-\(UUID().uuidString)"
        guard try !Self.lies(parent, in: source) else { throw Failure("\(path) lies in the package itself") }
        guard unsafe mkdir(unfinished, 0o777) == 0 else {
            throw Failure("\(SystemError(path))")
        }
    }

    deinit {
        if !isFinished { try? FileManager.default.removeItem(atPath: unfinished) }
    }

    /// - Throws: where something has come to be there in the meantime.
    func finish() throws {
        guard unsafe rename(unfinished, path) == 0 else {
            throw Failure("\(SystemError(path))")
        }
        isFinished = true
    }

    /// Whether a folder is another one, or lies in it, by whatever names and links. It is asked of the folders themselves.
    private static func lies(_ folder: String, in other: String) throws -> Bool {
        func opened(_ path: String, in place: Descriptor? = nil) throws -> (Descriptor, FileStamp) {
            do throws(SystemError) {
                let descriptor = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY, in: place)
                return (descriptor, try descriptor.stamp())
            } catch {
                throw Failure("\(folder): \(error.reason)")
            }
        }
        let (_, wanted) = try opened(other)
        var (place, stamp) = try opened(folder)
        while !stamp.isSameFile(as: wanted) {
            let (next, above) = try opened("..", in: place)
            // The root is above itself.
            if above.isSameFile(as: stamp) { return false }
            (place, stamp) = (next, above)
        }
        return true
    }
}

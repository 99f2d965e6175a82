import Foundation

/// The sources of a package, read as text. Nothing of it is run, and no symbolic link is followed.
struct SourceFiles {
    /// How much is read of a package that is nobody's size.
    static let mostFiles = 20_000
    static let mostEntries = 200_000
    static let mostBytes = 1 << 20
    static let mostBytesInAll = 64 << 20

    /// A file below the package's folder.
    struct File {
        let path: String
        let lines: [Substring]
    }

    private(set) var files: [File] = []
    /// What could not be read: no text, too large, or not permitted.
    private(set) var unread: [String] = []
    /// Whether there was more than is read.
    private(set) var isCutShort = false

    private static let extensions: Set = ["swift", "c", "h", "m", "mm", "cpp"]

    init(below folder: String) {
        var bytes = 0
        var entries = 0
        for root in ["Sources", "Source", "Tests"] where !isCutShort {
            guard Self.type(folder + "/" + root) == .typeDirectory,
                let enumerator = FileManager.default.enumerator(atPath: folder + "/" + root)
            else { continue }
            for case let name as String in enumerator {
                entries += 1
                if files.count >= Self.mostFiles || entries > Self.mostEntries || bytes > Self.mostBytesInAll {
                    isCutShort = true
                    break
                }
                guard let dot = name.lastIndex(of: "."), Self.extensions.contains(String(name[dot...].dropFirst()))
                else { continue }
                let path = root + "/" + name
                guard Self.type(folder + "/" + path) == .typeRegular else { continue }
                guard let text = Self.text(at: folder + "/" + path) else {
                    unread.append(path)
                    continue
                }
                bytes += text.utf8.count
                files.append(File(path: path, lines: text.split(omittingEmptySubsequences: false) { $0.isNewline }))
            }
        }
        files.sort { $0.path < $1.path }
        unread.sort()
    }

    static func type(_ path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// The text of a file; nil if it is none, is too large, or cannot be read.
    static func text(at path: String) -> String? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        let data: Data
        do {
            // At the end of a file, and so in an empty one, there is no data.
            data = try handle.read(upToCount: mostBytes + 1) ?? Data()
        } catch {
            return nil
        }
        guard data.count <= mostBytes, !data.contains(0) else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}

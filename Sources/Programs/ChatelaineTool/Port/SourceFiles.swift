import Foundation
import Glibc
import KeychainSystem

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

    /// Of the files that are read.
    static let usualExtensions: Set = ["swift", "c", "h", "m", "mm", "cpp"]

    /// - Parameters:
    ///   - folder: the package's.
    ///   - extensions: of the files to read.
    ///   - named: folders below it that its manifest names, besides the usual ones; the empty name is the package's own.
    init(below folder: String, only extensions: Set<String> = usualExtensions, named: [String] = []) {
        let usual = ["Sources", "Source", "src", "srcs", "Tests"]
        var roots: [String] = []
        for root in (usual + named).sorted(by: { $0.count < $1.count }) {
            let isRead = roots.contains { $0.isEmpty || root == $0 || root.hasPrefix($0 + "/") }
            if !isRead, Self.isFolder(root, below: folder) { roots.append(root) }
        }
        var bytes = 0
        var entries = 0
        for root in roots where !isCutShort {
            guard let enumerator = FileManager.default.enumerator(atPath: folder + "/" + root) else { continue }
            for case let name as String in enumerator {
                entries += 1
                if files.count >= Self.mostFiles || entries > Self.mostEntries || bytes > Self.mostBytesInAll {
                    isCutShort = true
                    break
                }
                let path = root.isEmpty ? name : root + "/" + name
                let last = name.split(separator: "/").last ?? ""
                // Builds and checkouts lie in hidden folders.
                if last.hasPrefix("."), Self.type(folder + "/" + path) == .typeDirectory {
                    enumerator.skipDescendants()
                    continue
                }
                guard let dot = last.lastIndex(of: "."), extensions.contains(String(last[dot...].dropFirst())),
                    path != "Package.swift"
                else { continue }
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

    /// Whether this is a folder, and each folder on the way to it is one and no link.
    static func isFolder(_ path: String, below folder: String) -> Bool {
        var place = folder
        for part in path.split(separator: "/") {
            place += "/" + part
            guard type(place) == .typeDirectory else { return false }
        }
        return true
    }

    static func type(_ path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// The text of a file; nil if it is no ordinary one, is no text, is too large, or cannot be read.
    static func text(at path: String) -> String? {
        // An archive may hold a pipe, whose opening waits for somebody who writes.
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let stamp = try? file.stamp(), stamp.isFile, let data = try? file.contents(atMost: mostBytes),
            !data.contains(0)
        else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}

import Foundation
import Glibc
import KeychainSystem
import Terminal

/// A copy of a package, with a manifest that names this one.
struct PortedCopy {
    let analysis: PortAnalysis

    /// Copies a package, changes the copy's manifest, and gives it its name when all of that is done.
    ///
    /// - Parameters:
    ///   - source: the package's folder, which stays as it is.
    ///   - path: that of the copy: of nothing, or of an empty folder.
    ///   - chatelaine: this package's folder, as the copy's manifest is to name it.
    init(of source: String, at path: String, chatelaine: String) throws {
        let folder = try NewFolder(path, outside: source)
        try Self.copy(source, to: folder.unfinished)
        // From here on it is the copy that counts, which nobody changes.
        analysis = try PortAnalysis(of: folder.unfinished, copiedFrom: source)
        let manifest = try analysis.changedManifest(chatelaine: chatelaine)
        do {
            try Data(manifest.utf8).write(to: URL(filePath: folder.unfinished + "/Package.swift"))
        } catch {
            throw Failure("the manifest of the copy cannot be written")
        }
        try folder.finish()
    }

    private static func copy(_ source: String, to destination: String) throws {
        let old = try opened(source)
        let new = try opened(destination)
        var copy = PackageCopy()
        try copy.copy(old, into: new)
        // Asked of the copy, where each link stands by now: one may lead on to another.
        guard let root = resolved(destination) else { throw Failure("the copy cannot be found") }
        for link in copy.links {
            guard let end = resolved(destination + "/" + link), end == root || end.hasPrefix(root + "/") else {
                throw Failure("\(link) is a link that leads out of the package, or nowhere")
            }
        }
    }

    private static func opened(_ folder: String) throws -> Descriptor {
        do {
            return try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
        } catch {
            throw Failure("\(folder) cannot be opened")
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

import Foundation
import Terminal

/// What a package's sources and manifest say about its way to Linux.
struct PortAnalysis {
    let sources: SourceFiles
    let findings: PortFindings
    let needs: PortNeeds
    /// The targets with what each needs, or why the manifest does not tell.
    let targets: Result<PortTargets, PortManifest.Obstacle>
    let dependencies: PortDependencies
    private let manifest: Result<PortManifest, PortManifest.Obstacle>

    /// - Parameters:
    ///   - folder: the package's.
    ///   - original: where the package was built, if this is a copy.
    init(of folder: String, copiedFrom original: String? = nil) throws {
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder)) != nil else {
            throw Failure("\(folder) is not a folder that can be read")
        }
        guard let text = SourceFiles.text(at: folder + "/Package.swift") else {
            throw Failure("\(folder) has no Package.swift that can be read")
        }
        let manifest: Result<PortManifest, PortManifest.Obstacle>
        do throws(PortManifest.Obstacle) { manifest = .success(try PortManifest(text)) } catch {
            manifest = .failure(error)
        }
        let named = (try? manifest.get()).map(PortTargets.namedFolders) ?? []
        let sources = SourceFiles(below: folder, named: named)
        self.manifest = manifest
        self.sources = sources
        let first = PortFindings(in: sources.files)
        // What turns on follows from the toolsets, and these from what is imported.
        let provided = PortFindings.usualModules.union(PortNeeds(first).products)
        findings = PortFindings(in: sources.files, provided: provided)
        needs = PortNeeds(findings)
        dependencies = PortDependencies(of: original ?? folder, provided: provided)
        targets = manifest.map { PortTargets($0, sources.files, in: folder) }
        otherManifests =
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?
            .filter { $0.hasPrefix("Package@swift-") && $0.hasSuffix(".swift") }.sorted() ?? []
    }

    private let otherManifests: [String]

    /// The manifest with what the targets need.
    ///
    /// - Throws: why it is not changed.
    func changedManifest(chatelaine path: String) throws -> String {
        do {
            if let other = otherManifests.first { throw PortManifest.Obstacle("\(other) may be taken in its place") }
            guard !sources.isCutShort else { throw PortManifest.Obstacle("there are more sources than are read") }
            let manifest = try manifest.get()
            let wanted = try targets.get().targets.filter { !$0.needs.products.isEmpty }
            guard !wanted.isEmpty else {
                throw PortManifest.Obstacle("none of its targets is known to need the keychain")
            }
            let needs = Dictionary(wanted.map { ($0.name, $0.needs) }) { first, _ in first }
            return try manifest.adding(needs, from: path)
        } catch let obstacle as PortManifest.Obstacle {
            throw Failure("Package.swift is not changed, and no copy made: \(obstacle.reason)")
        }
    }
}

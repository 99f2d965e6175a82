/// The targets of a package, with what each of them needs.
struct PortTargets {
    struct Target {
        let name: String
        /// Below the package's folder; empty for that folder itself.
        let folder: String
        let needs: PortNeeds
    }

    let targets: [Target]

    /// - Parameters:
    ///   - files: all that were read.
    ///   - folder: the package's.
    init(_ manifest: PortManifest, _ files: [SourceFiles.File], in folder: String) {
        let folders = manifest.targets.map { Self.folder(of: $0, manifest, in: folder) }
        // A file belongs to the innermost folder.
        var byTarget: [Int: [SourceFiles.File]] = [:]
        for file in files {
            let owner = folders.indices
                .filter { number in folders[number].map { Self.lies(file.path, in: $0) } ?? false }
                .max { (folders[$0] ?? "").count < (folders[$1] ?? "").count }
            if let owner { byTarget[owner, default: []].append(file) }
        }
        targets = zip(manifest.targets, folders).enumerated().compactMap { number, pair in
            let (target, folder) = pair
            return folder.map {
                Target(name: target.name, folder: $0, needs: PortNeeds(PortFindings(in: byTarget[number] ?? [])))
            }
        }
    }

    /// The folders that targets name, where these lead out of the package neither by name nor by a link.
    static func namedFolders(_ manifest: PortManifest) -> [String] {
        manifest.targets.compactMap { $0.path.flatMap(normalized) }
    }

    private static func lies(_ path: String, in folder: String) -> Bool {
        folder.isEmpty || path.hasPrefix(folder + "/")
    }

    /// `./Sources/A/` is `Sources/A`; nil for what is not below the package.
    private static func normalized(_ path: String) -> String? {
        guard !path.hasPrefix("/") else { return nil }
        let parts = path.split(separator: "/").filter { $0 != "." }
        return parts.contains("..") ? nil : parts.joined(separator: "/")
    }

    private static func folder(of target: PortManifest.Target, _ manifest: PortManifest, in package: String) -> String?
    {
        if let path = target.path { return normalized(path) }
        let isTest = target.kind == "testTarget"
        let roots =
            switch target.kind {
            case "testTarget": ["Tests", "Sources", "Source", "src", "srcs"]
            case "plugin": ["Plugins"]
            default: ["Sources", "Source", "src", "srcs"]
            }
        let usual = roots.map { $0 + "/" + target.name }
        if let folder = usual.first(where: { SourceFiles.isFolder($0, below: package) }) { return folder }
        let alike = manifest.targets.filter { ($0.kind == "testTarget") == isTest }
        guard alike.count == 1, manifest.toolsVersion >= .withoutFolders else { return nil }
        return roots.first { SourceFiles.isFolder($0, below: package) }
    }
}

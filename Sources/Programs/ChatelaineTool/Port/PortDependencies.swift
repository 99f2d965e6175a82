import Foundation

/// The packages that a package depends on, as far as they lie in its build folder: a module of the keychain's turns
/// `canImport` on in them too.
struct PortDependencies {
    struct Dependency {
        /// By SwiftPM's identity, which need not be the name in the manifest.
        let name: String
        /// The folders of its targets, which mostly have the modules' names.
        let modules: Set<String>
        let findings: PortFindings

        var turnedOn: [PortFindings.Place] { findings.places[.turnedOn] ?? [] }
        var stopping: [PortFindings.Place] { findings.places[.turnedOnImport] ?? [] }
    }

    /// Those that were read, by name.
    let read: [Dependency]
    /// The names of those that are not here.
    let absent: [String]

    /// - Parameter folder: the package's.
    init(of folder: String, provided: Set<String>) {
        let resolved = Self.resolved(in: folder)
        let state = Self.state(in: folder)
        var read: [Dependency] = []
        var names: Set<String> = []
        for entry in state {
            let sources = SourceFiles(below: entry.folder, only: ["swift"])
            guard !sources.files.isEmpty else { continue }
            names.insert(entry.identity)
            let modules = Set(sources.files.compactMap { PortFindings.folderOfTarget($0.path)?.lowercased() })
            read.append(
                Dependency(
                    name: entry.identity,
                    modules: modules,
                    findings: PortFindings(in: sources.files, provided: provided)
                )
            )
        }
        self.read = read.sorted { $0.name < $1.name }
        absent = Set(resolved + state.map(\.identity)).subtracting(names).sorted()
    }

    /// Whether one of them, or a module of one, is called so.
    func have(_ name: String) -> Bool {
        let name = name.lowercased()
        return absent.contains(name) || read.contains { $0.name.lowercased() == name || $0.modules.contains(name) }
    }

    private struct Entry {
        let identity: String
        let folder: String
    }

    // What SwiftPM writes: only what is read here.
    private struct WorkspaceState: Decodable {
        let object: Object

        struct Object: Decodable { let dependencies: [Dependency] }
        struct Dependency: Decodable {
            let packageRef: Reference
            let state: State
            let subpath: String
        }
        struct Reference: Decodable { let identity: String }
        struct State: Decodable { let path: String? }
    }

    private struct ResolvedVersions: Decodable {
        let pins: [Pin]?
        struct Pin: Decodable { let identity: String }
    }

    /// At most so many are read: each may be as large as a package is.
    private static let most = 200

    private static func state(in folder: String) -> [Entry] {
        guard let text = SourceFiles.text(at: folder + "/.build/workspace-state.json"),
            let state = try? JSONDecoder().decode(WorkspaceState.self, from: Data(text.utf8))
        else { return [] }
        return state.object.dependencies.prefix(most).compactMap { dependency in
            let reference = dependency.packageRef
            if let path = dependency.state.path, path.hasPrefix("/") {
                return Entry(identity: reference.identity, folder: path)
            }
            guard !dependency.subpath.contains("/"), dependency.subpath != "..", !dependency.subpath.isEmpty else {
                return nil
            }
            return Entry(
                identity: reference.identity,
                folder: folder + "/.build/checkouts/" + dependency.subpath
            )
        }
    }

    private static func resolved(in folder: String) -> [String] {
        guard let text = SourceFiles.text(at: folder + "/Package.resolved"),
            let versions = try? JSONDecoder().decode(ResolvedVersions.self, from: Data(text.utf8))
        else { return [] }
        return (versions.pins ?? []).prefix(most).map(\.identity)
    }
}

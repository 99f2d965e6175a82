// Checks that dependencies between the package's targets point one way.
// Reads what `swift package dump-package` prints; says what is wrong and ends with 1, or says nothing and ends with 0.

import Foundation

struct Manifest: Decodable {
    var targets: [Target]
}

struct Target: Decodable {
    var name: String
    var type: String
    var path: String?
    var dependencies: [Dependency]

    var isForTests: Bool { path?.hasPrefix("Tests/") ?? false }

    /// The folder that decides the target's layer, such as `Sources/Core`.
    var layer: String {
        let components = (path ?? "Sources/\(name)").split(separator: "/")
        let depth = components.first == "Sources" ? 2 : 1
        return components.prefix(depth).joined(separator: "/")
    }

    /// Its place among the floors; nil for what lies elsewhere, such as the tests' programs.
    var floor: Int? { floors.firstIndex(of: layer) }
}

/// A dependency on a target of this package, or on anything else.
struct Dependency: Decodable {
    /// The target's name; nil for a product of another package. A name alone may be either.
    var target: String?

    private enum Kind: String, CodingKey {
        case byName
        case target
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first else { return }
        // An array of the name and of a condition, which may be null.
        var values = try container.nestedUnkeyedContainer(forKey: kind)
        target = try values.decode(String.self)
    }
}

/// The journey of an item. A target may depend on those before it, never on those after it.
let journey = [
    "KeychainCertificates", "KeychainTrust", "KeychainModel", "KeychainKeys", "KeychainExchange", "EnclaveInterface",
    "EnclaveDesk", "LocalEnclave", "KeychainPolicy", "KeychainVault", "KeychainStore", "KeychainEngine",
    "KeychainClient",
    "Security",
]

/// The floors of Sources, from the bottom to the top. A target may depend on its own floor and on those below it.
let floors =
    ["System", "Core", "Devices", "Service", "Facades", "Bridges", "Programs"].map { "Sources/\($0)" } + ["Examples"]

/// What holds keys and rows, and whom the rest of the core stands in front of.
let guarded: Set = ["KeychainVault", "KeychainStore"]

/// The only ones that know the enclave's own code. Everybody else has its interface.
let holders: Set = [
    "KeychainEngine", "KeychainClient", "KeychainDaemon", "EnclaveServer", "TPMEnclave", "chatelaine-enclave",
]

/// Those who reach a keychain only through the engine, where policy is asked first.
func mustAskPolicy(_ target: Target) -> Bool {
    guard let floor = target.floor, let core = floors.firstIndex(of: "Sources/Core") else { return false }
    return floor > core
}

/// The targets that answer other processes. Programs that import a façade do not link them.
let servers: Set = ["EnclaveServer", "KeychainServer", "KeychainDaemon"]

/// The products that apps are linked with, and words of which each target below them has one. SwiftPM refuses a graph in
/// which two packages have targets of one name.
let products: Set = [
    "Security", "SecurityABI", "LocalAuthentication", "CryptoSecureEnclave", "CryptoKit", "CommonCrypto",
]
let ownWords = ["Keychain", "Enclave", "Security", "CoreFoundation"]

/// The programs that are linked without Foundation, which would bring ICU into each of them (docs/decisions/0054).
let small = ["chatelaine-enclave", "chatelaine-prompt", "chatelaine-identify"]

/// The files of a target that import all of Foundation. Its parts, such as FoundationEssentials, are other modules.
func filesWithFoundation(in target: Target) -> [String] {
    guard let path = target.path, let files = FileManager.default.enumerator(atPath: path) else { return [] }
    return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }.filter { file in
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.contains(#/\bimport (\w+ )?Foundation\b/#)
    }
}

/// A target's dependencies, and theirs.
func everything(below target: Target, in targets: [String: Target]) -> Set<String> {
    var found: Set<String> = []
    var waiting = [target]
    while let next = waiting.popLast() {
        for name in next.dependencies.compactMap(\.target) where found.insert(name).inserted {
            if let target = targets[name] { waiting.append(target) }
        }
    }
    return found
}

func problems(in manifest: Manifest) -> [String] {
    // Tests may look into whatever they test.
    let targets = manifest.targets.filter { $0.type != "test" }
    let byName = Dictionary(targets.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var problems: [String] = []

    for name in journey where byName[name] == nil {
        problems.append("\(name) is not a target any more: say in scripts/layers.swift what took its place.")
    }
    for target in targets where target.path?.hasPrefix("Sources/") == true && target.floor == nil {
        problems.append("\(target.name) lies in \(target.layer), which is no floor.")
    }
    for target in targets where target.layer == "Sources/Facades" {
        for server in everything(below: target, in: byName).intersection(servers).sorted() {
            problems.append("\(target.name) reaches \(server), but no façade carries a server along.")
        }
    }
    for target in targets where products.contains(target.name) {
        for part in everything(below: target, in: byName).subtracting(products) where byName[part] != nil {
            if !ownWords.contains(where: part.contains) {
                problems.append(
                    "\(part) is linked into apps, whose own targets may be called so: name it with a word of ours."
                )
            }
        }
    }
    // It may look at every process, and is linked with nothing of ours but what looks.
    for part in byName["chatelaine-identify"].map({ everything(below: $0, in: byName) }) ?? [] {
        guard let floor = byName[part]?.floor, floor > 0 else { continue }
        problems.append("chatelaine-identify reaches \(part), but it has System alone.")
    }
    for target in targets where small.contains(target.name) {
        for part in everything(below: target, in: byName).union([target.name]).compactMap({ byName[$0] }) {
            for file in filesWithFoundation(in: part) {
                problems.append("\(file) imports Foundation, which \(target.name) is linked without.")
            }
        }
    }
    for target in targets {
        for dependency in target.dependencies.compactMap({ $0.target.flatMap { byName[$0] } }) {
            let arrow = "\(target.name) depends on \(dependency.name)"

            if let own = journey.firstIndex(of: target.name), let other = journey.firstIndex(of: dependency.name),
                other >= own
            {
                problems.append("\(arrow), but arrows run one way: \(journey.joined(separator: " ◀ ")).")
            }
            if let own = target.floor, let other = dependency.floor, other > own {
                problems.append("\(arrow), but \(target.layer) lies below \(dependency.layer).")
            }
            if dependency.name == "LocalEnclave", !target.isForTests, !holders.contains(target.name) {
                problems.append("\(arrow), but only those who open one know its code: they use EnclaveInterface.")
            }
            if guarded.contains(dependency.name), mustAskPolicy(target) {
                problems.append("\(arrow), but what lies above Core never does: it goes through KeychainEngine.")
            }
        }
    }
    return problems
}

let manifest = try JSONDecoder().decode(Manifest.self, from: FileHandle.standardInput.readDataToEndOfFile())
let found = problems(in: manifest)
for problem in found {
    print(problem)
}
exit(found.isEmpty ? 0 : 1)

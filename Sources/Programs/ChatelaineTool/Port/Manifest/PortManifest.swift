/// A package's manifest, read as text: as much of it as tells its targets, and where something can be added to them.
/// Nothing is run, so targets that a program makes up are not seen; such a manifest is refused.
struct PortManifest {
    /// Why a manifest cannot be read this way, or not changed.
    struct Obstacle: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    struct Target {
        let kind: String
        let name: String
        /// The folder that it names; nil where it stands in the usual place.
        let path: String?
        let arguments: ManifestList
    }

    let text: [UInt8]
    let tokens: [ManifestToken]
    /// What `Package(…)` is given.
    let package: ManifestList
    let targets: [Target]
    let toolsVersion: ToolsVersion

    private static let kinds: Set = [
        "target", "executableTarget", "testTarget", "macro", "plugin", "systemLibrary", "binaryTarget",
    ]

    init(_ string: String) throws(Obstacle) {
        text = Array(string.utf8)
        guard let version = ToolsVersion(firstLineOf: string) else { throw Obstacle("it has no swift-tools-version") }
        toolsVersion = version
        guard let tokens = ManifestToken.tokens(of: text) else {
            throw Obstacle("it has a comment or a string that is not understood")
        }
        self.tokens = tokens
        let calls = tokens.indices.dropLast().filter {
            tokens[$0].isWord("Package") && tokens[$0 + 1].isMark("(") && ($0 == 0 || !tokens[$0 - 1].isMark("."))
        }
        guard calls.count == 1 else { throw Obstacle("it has \(calls.count) calls of Package(…), not one") }
        guard let package = ManifestList(openedBy: calls[0] + 1, in: tokens) else {
            throw Obstacle("the arguments of Package(…) are not understood")
        }
        self.package = package
        guard let list = package["targets"].flatMap({ Self.array($0, tokens) }) else {
            throw Obstacle("its targets are not written as one array")
        }
        var targets: [Target] = []
        for entry in list.entries { targets.append(try Self.target(entry, tokens)) }
        self.targets = targets
        guard Set(targets.map(\.name)).count == targets.count else { throw Obstacle("two targets have one name") }
    }

    /// An array that is written out, and nothing but that.
    static func array(_ entry: ManifestList.Entry, _ tokens: [ManifestToken]) -> ManifestList? {
        guard tokens[entry.tokens.lowerBound].isMark("["),
            let list = ManifestList(openedBy: entry.tokens.lowerBound, in: tokens),
            list.brackets.upperBound == entry.tokens.upperBound - 1
        else { return nil }
        return list
    }

    private static func target(_ entry: ManifestList.Entry, _ tokens: [ManifestToken]) throws(Obstacle) -> Target {
        let first = entry.tokens.lowerBound
        guard entry.label == nil, entry.tokens.count > 3, tokens[first].isMark("."),
            case .word(let kind) = tokens[first + 1].kind, kinds.contains(kind), tokens[first + 2].isMark("("),
            let arguments = ManifestList(openedBy: first + 2, in: tokens),
            arguments.brackets.upperBound == entry.tokens.upperBound - 1,
            let name = arguments["name"].flatMap({ string($0, tokens) })
        else { throw Obstacle("a target is not written as .target(name: \"…\")") }
        var path: String?
        if let entry = arguments["path"] {
            guard let folder = string(entry, tokens) else {
                throw Obstacle("the path of \(name) is not a plain string")
            }
            path = folder
        }
        return Target(kind: kind, name: name, path: path, arguments: arguments)
    }

    private static func string(_ entry: ManifestList.Entry, _ tokens: [ManifestToken]) -> String? {
        guard entry.tokens.count == 1, case .string(let text?) = tokens[entry.tokens.lowerBound].kind else {
            return nil
        }
        return text
    }
}

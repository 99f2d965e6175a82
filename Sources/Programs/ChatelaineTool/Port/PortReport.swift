import Terminal

/// An analysis, for people and for programs.
struct PortReport {
    let analysis: PortAnalysis
    /// The folder of a copy that was written.
    let copy: String?

    /// How many places of one kind are shown.
    private static let mostPlaces = 10
    private static let mostPlacesOfDependency = 3

    private var findings: PortFindings { analysis.findings }
    private var sources: SourceFiles { analysis.sources }

    private var lines: [String] {
        guard !analysis.needs.products.isEmpty else { return [] }
        return [".package(path: \"../chatelaine\"),"] + analysis.needs.productLines
            + (analysis.needs.needsPlugin ? ["plugins: [\(PortNeeds.pluginLine)]"] : [])
    }

    var text: String {
        var text = ""
        for topic in PortTopic.allCases {
            guard let places = findings.places[topic] else { continue }
            text += "\(topic.rawValue): \(topic.advice)\n"
            for place in places.prefix(Self.mostPlaces) {
                text += "  \(TerminalText.escaped("\(place.path):\(place.line): \(place.text)"))\n"
            }
            if places.count > Self.mostPlaces { text += "  and \(places.count - Self.mostPlaces) more\n" }
        }
        let lines = lines
        if lines.isEmpty {
            text += "Nothing here needs the keychain.\n"
        } else {
            text += "Without a change to the package, after make install\n"
            text += "  swift build\(analysis.needs.toolsets.map { " --toolset …/share/chatelaine/\($0)" }.joined())\n"
            text += "  or the same by \(command)\n"
            text += "or for Package.swift: the first line for the package, the others for each target that needs them\n"
            text += lines.map { "  \($0)\n" }.joined()
            text += targets
        }
        text += dependencies
        text += "Files read: \(sources.files.count)\n"
        if !sources.unread.isEmpty {
            text += "Not read: \(sources.unread.count), the first is \(TerminalText.escaped(sources.unread[0]))\n"
        }
        if sources.isCutShort { text += "There are more files than are read: this is not all.\n" }
        if let copy { text += "Written: \(TerminalText.escaped(copy))\n" }
        return text
    }

    /// The build that hides the keychain where a package stops building by it.
    private var command: String {
        let stopping = analysis.dependencies.read.filter { !$0.stopping.isEmpty }
        return "chatelaine swift\(stopping.map { " --hide " + TerminalText.escaped($0.name) }.joined()) build"
    }

    private var dependencies: String {
        var text = ""
        let affected = analysis.dependencies.read.filter { !$0.turnedOn.isEmpty }
        if !affected.isEmpty { text += "Dependencies in which canImport turns code on\n" }
        for dependency in affected {
            let name = TerminalText.escaped(dependency.name)
            let isStopped = !dependency.stopping.isEmpty
            text +=
                "  \(name): \(isStopped ? "STOPS BUILDING; --hide \(name)" : "is compiled")\n"
            for place in (dependency.stopping + dependency.turnedOn).prefix(Self.mostPlacesOfDependency) {
                text += "    \(TerminalText.escaped("\(place.path):\(place.line): \(place.text)"))\n"
            }
        }
        let absent = analysis.dependencies.absent
        if !absent.isEmpty {
            let names = absent.prefix(Self.mostPlaces).map { TerminalText.escaped($0) }.joined(separator: ", ")
            text += "Dependencies that are not here and were not read: \(names)"
            text += absent.count > Self.mostPlaces ? " and \(absent.count - Self.mostPlaces) more" : ""
            text += "; swift package resolve fetches them\n"
        }
        return text
    }

    private var jsonDependencies: JSONText {
        .array(
            analysis.dependencies.read.map { dependency in
                .object([
                    ("name", .string(dependency.name)),
                    ("turnedOn", .number(Int64(dependency.turnedOn.count))),
                    ("stopsBuilding", .bool(!dependency.stopping.isEmpty)),
                ])
            }
        )
    }

    private var targets: String {
        switch analysis.targets {
        case .success(let targets):
            "What each target needs\n"
                + targets.targets.map { "  \(TerminalText.escaped($0.name)): \($0.needs.summary)\n" }.joined()
        case .failure(let obstacle):
            "Which target needs what, Package.swift does not tell: \(TerminalText.escaped(obstacle.reason))\n"
        }
    }

    var json: JSONText {
        .object([
            (
                "findings",
                .array(
                    PortTopic.allCases.flatMap { topic in
                        (findings.places[topic] ?? []).prefix(1000).map { place in
                            .object([
                                ("topic", .string(topic.rawValue)), ("file", .string(place.path)),
                                ("line", .number(Int64(place.line))), ("advice", .string(topic.advice)),
                            ])
                        }
                    }
                )
            ),
            ("manifest", .array(lines.map { .string($0) })),
            ("targets", jsonTargets),
            ("dependencies", jsonDependencies),
            ("dependenciesNotRead", .array(analysis.dependencies.absent.prefix(1000).map { .string($0) })),
            ("toolsets", .array(analysis.needs.toolsets.map { .string($0) })),
            ("filesRead", .number(Int64(sources.files.count))),
            ("filesNotRead", .array(sources.unread.prefix(1000).map { .string($0) })),
            ("isComplete", .bool(!sources.isCutShort)),
            ("written", copy.map { .string($0) } ?? .null),
        ])
    }

    /// Null where the manifest does not tell.
    private var jsonTargets: JSONText {
        guard case .success(let targets) = analysis.targets else { return .null }
        return .array(
            targets.targets.map { target in
                .object([
                    ("name", .string(target.name)), ("folder", .string(target.folder)),
                    ("products", .array(target.needs.products.map { .string($0) })),
                    ("plugin", .bool(target.needs.needsPlugin)),
                ])
            }
        )
    }
}

extension PortManifest {
    /// Text to insert, and where.
    private struct Insertion {
        let position: Int
        let text: String
    }

    /// The manifest with this package among its dependencies, and products and the plugin for the targets that need them.
    ///
    /// - Parameters:
    ///   - needs: of targets, by name.
    ///   - path: the folder of this package, as the manifest is to name it.
    /// - Throws: where a place to add something to cannot be told for sure.
    func adding(_ needs: [String: PortNeeds], from path: String) throws(Obstacle) -> String {
        guard toolsVersion >= .withConditions else { throw Obstacle("its swift-tools-version is before 5.3") }
        guard !replacesLists else { throw Obstacle("it assigns dependencies or targets after Package(…)") }
        let isThere = tokens.contains {
            guard case .string(let text?) = $0.kind else { return false }
            return text == "chatelaine" || text.hasSuffix("/chatelaine") || text.hasSuffix("/chatelaine.git")
        }
        guard !isThere else { throw Obstacle("it names chatelaine already") }
        var insertions = [try dependency(path)]
        for target in targets {
            guard let needs = needs[target.name], !needs.products.isEmpty else { continue }
            insertions.append(
                try insertion(of: needs.productLines, "dependencies", in: target, after: target.arguments["name"])
            )
            guard needs.needsPlugin else { continue }
            guard toolsVersion >= .withPlugins else {
                throw Obstacle("its swift-tools-version is before 5.6, which knows no plugins of other packages")
            }
            let last = target.arguments.entries.last
            insertions.append(try insertion(of: [PortNeeds.pluginLine + ","], "plugins", in: target, after: last))
        }
        return try edited(insertions)
    }

    /// `package.dependencies = …` would take away what is added above.
    private var replacesLists: Bool {
        tokens.indices.dropLast(2).contains { number in
            tokens[number].isMark(".")
                && ["dependencies", "targets"].contains { tokens[number + 1].isWord($0) }
                && tokens[number + 2].isMark("=")
        }
    }

    private func dependency(_ path: String) throws(Obstacle) -> Insertion {
        let line = ".package(name: \"chatelaine\", path: \(Self.literal(path))),"
        if let entry = package["dependencies"] {
            guard let list = Self.array(entry, tokens) else { throw Obstacle("its dependencies are not one array") }
            return Insertion(position: tokens[list.brackets.lowerBound].range.upperBound, text: "\n        \(line)")
        }
        guard let targets = package["targets"] else { throw Obstacle("it has no targets") }
        // Before the label, which stands before the colon.
        let position = tokens[targets.tokens.lowerBound - 2].range.lowerBound
        return Insertion(position: position, text: "dependencies: [\n        \(line)\n    ],\n    ")
    }

    private func insertion(
        of lines: [String],
        _ label: String,
        in target: Target,
        after entry: ManifestList.Entry?
    ) throws(Obstacle) -> Insertion {
        let text = lines.map { "\n                \($0)" }.joined()
        if target.arguments.entries.contains(where: { $0.label == label }) {
            guard let list = target.arguments[label].flatMap({ Self.array($0, tokens) }) else {
                throw Obstacle("the \(label) of \(target.name) are not one array")
            }
            return Insertion(position: tokens[list.brackets.lowerBound].range.upperBound, text: text)
        }
        guard let entry else { throw Obstacle("\(target.name) has no place for \(label)") }
        return Insertion(
            position: tokens[entry.tokens.upperBound - 1].range.upperBound,
            text: ",\n            \(label): [\(text)\n            ]"
        )
    }

    private func edited(_ insertions: [Insertion]) throws(Obstacle) -> String {
        var bytes: [UInt8] = []
        var position = 0
        // Of two at one place, what was asked for first comes first.
        let inOrder = insertions.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        for (_, insertion) in inOrder {
            bytes += text[position..<insertion.position]
            bytes += Array(insertion.text.utf8)
            position = insertion.position
        }
        bytes += text[position...]
        guard let edited = String(validating: bytes, as: UTF8.self) else { throw Obstacle("it is no text") }
        // What is read again has the same targets, or it was not understood.
        let again = try PortManifest(edited)
        guard again.targets.map(\.name) == targets.map(\.name), again.package["dependencies"] != nil else {
            throw Obstacle("it is not understood")
        }
        return edited
    }

    /// A string as Swift's source has it.
    static func literal(_ string: String) -> String {
        var literal = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}

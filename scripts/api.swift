// Reads the symbol graphs of modules, as `swift symbolgraph-extract` writes them; writes a list of each module's
// declarations, and a page that says what each symbol does.
//
//   swift scripts/api.swift GRAPHS MISSING OUTPUT MODULE…
//
// A function is said to report an error if its comment says `errSecUnimplemented`, "yet" or "so far": these words are for
// what is not finished. MISSING names what is not there; a name in it that is there after all ends this with 1.

import Foundation

struct Graph: Decodable {
    var symbols: [Symbol]
    var relationships: [Relationship]
}

struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
}

struct Symbol: Decodable {
    struct Kind: Decodable { var identifier: String }
    struct Identifier: Decodable { var precise: String }
    struct Fragment: Decodable { var spelling: String }
    struct Comment: Decodable {
        struct Line: Decodable { var text: String }
        var lines: [Line]
    }

    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]
    var accessLevel: String
    var docComment: Comment?

    var isTopLevel: Bool { pathComponents.count == 1 }

    var path: String { pathComponents.joined(separator: ".") }

    /// The base name, without the labels of arguments.
    var name: String { path.split(separator: "(").first.map(String.init) ?? path }

    var declaration: String {
        let text = declarationFragments.map(\.spelling).joined()
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The sentences of the comment.
    var sentences: [String] {
        let text = (docComment?.lines ?? []).map { $0.text.trimmingCharacters(in: .whitespaces) }
        // A list's entry begins a sentence of its own.
        let joined = text.map { $0.hasPrefix("- ") || $0.isEmpty ? "\n" + $0 : $0 }.joined(separator: " ")
        return joined.split(separator: "\n").flatMap { paragraph in
            paragraph.replacing(". ", with: ".\n").split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// What it cannot do so far, or nil.
    var shortcoming: String? {
        let found = sentences.filter { sentence in
            sentence.contains("`errSecUnimplemented`")
                || sentence.range(of: #"\b(yet|so far)\b"#, options: .regularExpression) != nil
        }
        if found.isEmpty { return nil }
        let text = found.joined(separator: " ")
        return text.replacing(#/^- (?:Parameter )?\w+: /#, with: "").firstUppercased
    }
}

extension String {
    var firstUppercased: String { prefix(1).uppercased() + dropFirst() }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count > 3 else { fail("usage: api.swift GRAPHS MISSING OUTPUT MODULE…") }
let (graphs, missingFile, output) = (arguments[0], arguments[1], arguments[2])
let modules = Array(arguments[3...])

/// A module's own graph and those of its extensions of other modules' types.
func symbols(of module: String) throws -> (symbols: [Symbol], relationships: [Relationship]) {
    let files = try FileManager.default.contentsOfDirectory(atPath: graphs).sorted().filter {
        $0 == "\(module).symbols.json" || $0.hasPrefix("\(module)@")
    }
    var found: (symbols: [Symbol], relationships: [Relationship]) = ([], [])
    for file in files {
        let data = try Data(contentsOf: URL(filePath: "\(graphs)/\(file)"))
        let graph = try JSONDecoder().decode(Graph.self, from: data)
        found.symbols += graph.symbols.filter { $0.kind.identifier != "swift.extension" }
        found.relationships += graph.relationships
    }
    return found
}

// MARK: - The lists of declarations

func listing(_ symbols: [Symbol], _ relationships: [Relationship]) -> String {
    let names = Dictionary(symbols.map { ($0.identifier.precise, $0.path) }, uniquingKeysWith: { first, _ in first })
    var lines = symbols.map { symbol in
        let parent = symbol.isTopLevel ? "" : symbol.pathComponents.dropLast().joined(separator: ".") + ": "
        return "\(parent)\(symbol.accessLevel) \(symbol.declaration)"
    }
    for relationship in relationships where ["conformsTo", "inheritsFrom"].contains(relationship.kind) {
        guard let source = names[relationship.source] else { continue }
        let target = names[relationship.target] ?? relationship.targetFallback ?? relationship.target
        lines.append("\(source): \(relationship.kind == "conformsTo" ? "conforms to" : "inherits from") \(target)")
    }
    return Set(lines).sorted().map { $0 + "\n" }.joined()
}

// MARK: - The page

/// Text that stands in a cell of a table.
func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|")
}

func isConstant(_ symbol: Symbol) -> Bool {
    symbol.kind.identifier == "swift.var"
}

func isFunction(_ symbol: Symbol) -> Bool {
    ["swift.func", "swift.method", "swift.type.method"].contains(symbol.kind.identifier)
}

/// A heading and a table of what a module's functions and types do, and the names of its constants.
func section(_ module: String, _ symbols: [Symbol]) -> String {
    var text = "\n## \(module)\n"
    let rows = symbols.filter { !isConstant($0) && ($0.isTopLevel || (isFunction($0) && $0.shortcoming != nil)) }
    var seen: Set<String> = []
    if !rows.isEmpty {
        text += "\n| Symbol | State | |\n|---|---|---|\n"
        for symbol in rows.sorted(by: { ($0.path, $0.declaration) < ($1.path, $1.declaration) }) {
            let state = !isFunction(symbol) ? "there" : symbol.shortcoming == nil ? "works" : "reports an error"
            let row = "| `\(cell(symbol.path))` | \(state) | \(cell(symbol.shortcoming ?? "")) |\n"
            if seen.insert(row).inserted { text += row }
        }
    }
    let constants = Set(symbols.filter { isConstant($0) && $0.isTopLevel }.map(\.path)).sorted()
    if !constants.isEmpty {
        text += "\nConstants, all there, with Apple's values (\(constants.count)):\n\n"
        text += wrapped(constants.map { "`\($0)`" }.joined(separator: ", ") + ".\n")
    }
    return text
}

/// Breaks lines between words, before column 120.
func wrapped(_ text: String) -> String {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if line.count + 1 + word.count > 118 {
            lines.append(line)
            line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
    }
    return (lines + [line]).joined(separator: "\n")
}

/// The lines of the file of names that are not there: a pattern, a tab or blanks, and what to say of it.
func missing() throws -> [(pattern: String, note: String)] {
    let text = try String(contentsOfFile: missingFile, encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
    }
}

// MARK: - Writing

var page = """
    # Symbols

    What of Apple's `Security` and `LocalAuthentication` is here. `make api` makes this page from the modules and from
    [the list of what is not there](api/missing.txt), and `make check` compares it: it is true. A function that *works*
    does all that Apple documents of it, but for what [the page on compatibility](compatibility.md) says. One that
    *reports an error* is declared as Apple declares it, and says through its documented way that it cannot do what the
    last column names. Every declaration, letter by letter: [CoreFoundationAliases](api/CoreFoundationAliases.txt) and
    [SecurityObjects](api/SecurityObjects.txt), which `Security` re-exports, [Security](api/Security.txt),
    [LocalAuthentication](api/LocalAuthentication.txt), and, of CryptoKit, [CryptoSecureEnclave](api/CryptoSecureEnclave.txt).

    """
var names: Set<String> = []
for module in modules {
    let (symbols, relationships) = try symbols(of: module)
    try listing(symbols, relationships).write(toFile: "\(output)/api/\(module).txt", atomically: true, encoding: .utf8)
    page += section(module, symbols)
    names.formUnion(symbols.filter(\.isTopLevel).map(\.name))
}
let absent = try missing()
page += "\n## Not there\n\n| Symbol | |\n|---|---|\n"
for (pattern, note) in absent {
    let there = names.filter { fnmatch(pattern, $0, 0) == 0 }.sorted()
    if !there.isEmpty {
        fail("\(missingFile) says that \(pattern) is not there, but \(there.joined(separator: ", ")) is")
    }
    page += "| `\(cell(pattern))` | \(cell(note)) |\n"
}
try page.write(toFile: "\(output)/symbols.md", atomically: true, encoding: .utf8)

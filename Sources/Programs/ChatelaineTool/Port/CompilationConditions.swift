/// Which lines of a Swift file are compiled on Linux, by its `#if` lines: with the keychain's modules, and without them.
///
/// What a condition names and nobody here knows, such as a flag of the build, counts as false.
struct CompilationConditions {
    /// A condition, in one of the two cases.
    private struct Branch {
        let isReached: Bool
        var isCompiled: Bool
        var isDecided: Bool

        init(isReached: Bool, holds: Bool) {
            self.isReached = isReached
            isCompiled = isReached && holds
            isDecided = holds
        }

        mutating func goOn(holds: Bool) {
            isCompiled = isReached && !isDecided && holds
            isDecided = isDecided || holds
        }
    }

    private var with: [Branch] = []
    private var without: [Branch] = []
    private let provided: Set<String>

    /// - Parameter provided: the keychain's modules that the build has.
    init(provided: Set<String>) {
        self.provided = provided
    }

    /// Whether the next line is compiled, with the keychain's modules.
    var isCompiled: Bool { with.last?.isCompiled ?? true }

    /// Whether it is compiled with them, and not without.
    var isTurnedOn: Bool { isCompiled && !(without.last?.isCompiled ?? true) }

    /// Takes a line into account.
    ///
    /// - Parameter text: without blanks around it.
    /// - Returns: false for a line that is no condition.
    mutating func read(_ text: String) -> Bool {
        if let condition = Self.condition(after: "#if", in: text) {
            with.append(Branch(isReached: isCompiled, holds: holds(condition, provided)))
            without.append(Branch(isReached: without.last?.isCompiled ?? true, holds: holds(condition, [])))
        } else if let condition = Self.condition(after: "#elseif", in: text) {
            goOn(holds(condition, provided), holds(condition, []))
        } else if text.hasPrefix("#else") {
            goOn(true, true)
        } else if text.hasPrefix("#endif") {
            _ = with.popLast()
            _ = without.popLast()
        } else {
            return false
        }
        return true
    }

    private mutating func goOn(_ holds: Bool, _ holdsWithout: Bool) {
        guard !with.isEmpty else { return }
        with[with.count - 1].goOn(holds: holds)
        without[without.count - 1].goOn(holds: holdsWithout)
    }

    private static func condition(after word: String, in text: String) -> Substring? {
        let condition = text.dropFirst(word.count)
        guard text.hasPrefix(word), let next = condition.first, !next.isLetter, !next.isNumber, next != "_" else {
            return nil
        }
        return condition.firstRange(of: "//").map { condition[..<$0.lowerBound] } ?? condition
    }

    private func holds(_ condition: Substring, _ modules: Set<String>) -> Bool {
        var reader = ConditionReader(condition, modules: modules)
        return reader.disjunction()
    }
}

/// Reads a condition of Swift: `canImport(Security) && !os(iOS)`.
private struct ConditionReader {
    private var rest: Substring
    private let modules: Set<String>
    private var depth = 0

    init(_ text: Substring, modules: Set<String>) {
        rest = text.filter { !$0.isWhitespace }[...]
        self.modules = modules
    }

    mutating func disjunction() -> Bool {
        var holds = conjunction()
        while take("||") {
            let next = conjunction()
            holds = holds || next
        }
        return holds
    }

    private mutating func conjunction() -> Bool {
        var holds = term()
        while take("&&") {
            let next = term()
            holds = holds && next
        }
        return holds
    }

    private mutating func term() -> Bool {
        // What is nested deeper is no condition that anybody wrote.
        guard depth < 32 else { return false }
        depth += 1
        defer { depth -= 1 }
        if take("!") { return !term() }
        if take("(") {
            let holds = disjunction()
            _ = take(")")
            return holds
        }
        let name = word()
        guard take("(") else { return name == "true" }
        let argument = String(rest.prefix { $0 != ")" })
        rest = rest.dropFirst(argument.count + 1)
        switch name {
        case "canImport":
            let module = argument.prefix { $0 != "," && $0 != "." }
            return modules.contains(String(module)) || Self.modulesOfLinux.contains(String(module))
        case "os": return argument == "Linux"
        case "swift", "compiler": return argument.hasPrefix(">")
        default: return false
        }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private mutating func word() -> String {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        // An unknown sign is passed over, so that reading ends.
        rest = word.isEmpty ? rest.dropFirst() : rest.dropFirst(word.count)
        return String(word)
    }

    private static let modulesOfLinux: Set = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Dispatch", "Glibc", "XCTest",
        "Testing", "Swift", "Synchronization", "RegexBuilder", "Observation",
    ]
}

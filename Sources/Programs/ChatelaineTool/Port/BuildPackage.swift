import ArgumentParser
import Foundation
import Glibc
import KeychainSystem
import Terminal

/// Runs `swift` with the installed toolsets, and hides the keychain's modules from packages that are not meant for them.
///
/// A toolset gives its options to every module of a graph. So the compiler is a script of ours, which leaves them out for
/// the modules that the caller names (`packaging/chatelaine-swiftc`).
struct BuildPackage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Run swift build, test or run with the keychain's toolsets.",
        discussion: """
            The toolsets are those that `chatelaine port` names for the package in this folder, unless the arguments have \
            --toolset. --hide names a package, or a module of one, that is compiled as if there were no keychain: for it \
            canImport(Security) is false. What such a package depends on has to be hidden as well.

              chatelaine swift build
              chatelaine swift --hide Alamofire --hide AppState test --parallel
            """
    )

    private static let listOption = "-DCHATELAINE_HIDE="

    @Option(help: ArgumentHelp("A package or a module that does not see the keychain.", valueName: "name"))
    var hide: [String] = []

    @Argument(parsing: .captureForPassthrough, help: "What swift is told, such as build or test.")
    var arguments: [String] = []

    func run() throws {
        if let first = arguments.first, ["-h", "--help", "help"].contains(first) { throw CleanExit.helpRequest(self) }
        guard let subcommand = arguments.first, ["build", "test", "run"].contains(subcommand) else {
            throw Failure("say build, test or run: chatelaine swift [--hide NAME] build")
        }
        if arguments.contains(where: { $0 == "--hide" || $0.hasPrefix("--hide=") }) {
            throw Failure("--hide stands before \(subcommand): chatelaine swift --hide NAME \(subcommand)")
        }
        if arguments.contains("--static-swift-stdlib") {
            throw Failure(
                """
                with --static-swift-stdlib a program has Swift's library twice, and no call works; use the product in the \
                manifest
                """
            )
        }
        for name in hide where !Self.isName(name) {
            throw Failure("\(TerminalText.escaped(name)) is no name of a package or a module")
        }
        let prefix = try Self.prefix()
        let environment = ProcessInfo.processInfo.environment
        let search = environment["PATH"] ?? "/usr/bin:/bin"
        guard let swift = Self.program("swift", in: search) else { throw Failure("there is no swift on the PATH") }
        if !hide.isEmpty { try Self.useHidingCompiler(of: prefix, in: environment, search) }
        let analysis = try? PortAnalysis(of: packageFolder)
        for name in hide where analysis.map({ !$0.dependencies.read.isEmpty && !$0.dependencies.have(name) }) ?? false {
            Console.printError("chatelaine: no dependency that is here is called \(name), and no module of one\n")
        }
        let toolsets =
            arguments.contains { $0 == "--toolset" || $0.hasPrefix("--toolset=") }
            ? [] : try Self.toolsets(analysis?.needs.toolsets ?? [], prefix)
        // A part of the command line, so that another list compiles anew.
        let options =
            hide.isEmpty
            ? [] : ["-Xswiftc", "-Xcc", "-Xswiftc", Self.listOption + hidden(analysis?.dependencies)]
        try ForwardedProgram.become(swift, ["swift", subcommand] + toolsets + options + arguments.dropFirst())
    }

    private static func useHidingCompiler(
        of prefix: String,
        in environment: [String: String],
        _ search: String
    ) throws {
        let wrapper = prefix + "/libexec/chatelaine/chatelaine-swiftc"
        guard ChildProgram.isExecutable(wrapper) else { throw Failure("\(wrapper) is not installed") }
        guard let swiftc = environment["SWIFT_EXEC"] ?? program("swiftc", in: search) else {
            throw Failure("there is no swiftc on the PATH")
        }
        let cache =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.cache"
        let toolchain = try HidingToolchain(wrapper: wrapper, around: swiftc, cache: cache)
        for (name, value) in [
            ("SWIFT_EXEC", toolchain.compiler), ("CHATELAINE_SWIFTC", toolchain.realCompiler),
            ("CHATELAINE_MODULES", prefix + "/lib/chatelaine/"),
        ] {
            guard unsafe setenv(name, value, 1) == 0 else { throw Failure("the environment cannot be changed") }
        }
    }

    /// Whether it consists of letters, digits and the signs that names of packages have.
    private static func isName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// Where the tool is installed: the folder of `bin`.
    private static func prefix() throws -> String {
        let folder = try ForwardedProgram.folder()
        guard folder.hasSuffix("/bin") else { throw Failure("this needs what make install installs") }
        return String(folder.dropLast("/bin".count))
    }

    private static func program(_ name: String, in search: String) -> String? {
        search.split(separator: ":").map { "\($0)/\(name)" }.first(where: ChildProgram.isExecutable)
    }

    /// The names as the compiler is told them: a package's name with signs in it has underscores, and an earlier package's
    /// name it is not told, but its modules'.
    private func hidden(_ dependencies: PortDependencies?) -> String {
        let names = hide.map { $0.lowercased() }
        let modules = (dependencies?.read ?? []).filter { names.contains($0.name.lowercased()) }.flatMap(\.modules)
        let told = names.map { String($0.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }
        return Set(names + told + modules).sorted().joined(separator: ",")
    }

    /// What SwiftPM takes for the package's folder.
    private var packageFolder: String {
        for (index, argument) in arguments.enumerated() {
            if argument == "--package-path", index + 1 < arguments.count { return arguments[index + 1] }
            if argument.hasPrefix("--package-path=") { return String(argument.dropFirst("--package-path=".count)) }
        }
        return "."
    }

    private static func toolsets(_ needed: [String], _ prefix: String) throws -> [String] {
        // A package that names nothing of ours may depend on one that does.
        let names =
            needed.contains { $0 == "chatelaine.json" || $0 == "chatelaine-explicit.json" }
            ? needed : ["chatelaine.json"] + needed
        return try names.flatMap { name in
            let path = prefix + "/share/chatelaine/" + name
            guard unsafe access(path, R_OK) == 0 else { throw Failure("\(path) is not installed") }
            return ["--toolset", path]
        }
    }
}

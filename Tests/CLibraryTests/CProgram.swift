import Foundation
import KeychainTestSupport
import Testing

/// A program in C or C++, compiled against the headers and the library of this build as a user would.
struct CProgram {
    let executable: String

    /// What came of a command.
    struct Run {
        var status: Int32
        var output: String
    }

    /// Compiles a program under `Tests/Clients`.
    ///
    /// - Parameter options: more for the compiler.
    init(_ source: String, options: [String] = []) throws {
        let path = Self.package + "/Tests/Clients/" + source
        executable = try temporaryFolder() + "/program"
        let compiler = source.hasSuffix(".cpp") ? ["clang++", "-std=c++17"] : ["clang", "-std=gnu11"]
        let run = try Self.run(
            compiler + Self.headers + ["-O1", "-Wall", "-Wextra", "-Werror"] + options + [path, "-o", executable]
                + Self.libraries
        )
        try #require(run.status == 0, "\(run.output)")
    }

    func run(_ arguments: [String] = []) throws -> Run {
        try Self.run([executable] + arguments)
    }

    /// What the compiler needs to find the headers.
    static let headers = [
        "-fblocks", "-fcf-runtime-abi=swift", "-I", package + "/Sources/Facades/CSecurity/include",
        "-isystem", toolchain,
    ]

    /// What the linker needs to find the libraries.
    private static let libraries: [String] = [
        "-L", products, "-lSecurityABI", "-L", toolchain + "/linux", "-lFoundation", "-lswiftCore", "-ldispatch",
        "-lBlocksRuntime", "-pthread", "-Wl,-rpath," + products, "-Wl,-rpath," + toolchain + "/linux",
    ]

    /// The library of this build.
    static let library = products + "/libSecurityABI.so"

    static let package: String = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// The folder of the test's own executable, where the library lies too.
    private static let products: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: own).deletingLastPathComponent().path
    }()

    /// Where the toolchain keeps Core Foundation's headers and its libraries.
    private static let toolchain: String = {
        struct Target: Decodable {
            var paths: [String: PathValue]
        }
        /// A path, or a list of them.
        enum PathValue: Decodable {
            case one(String)
            case list([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let one = try? container.decode(String.self) {
                    self = .one(one)
                } else {
                    self = .list(try container.decode([String].self))
                }
            }
        }
        let answer = (try? run(["swiftc", "-print-target-info"]))?.output ?? ""
        let target = try? JSONDecoder().decode(Target.self, from: Data(answer.utf8))
        if case .one(let path) = target?.paths["runtimeResourcePath"] { return path }
        return ""
    }()

    /// Runs a command, found on PATH, with a keychain in memory.
    static func run(_ command: [String]) throws -> Run {
        let output = try temporaryFolder() + "/output"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment
            .merging(["CHATELAINE_KEYCHAIN": "memory:", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardError = process.standardOutput
        try process.runHearingSignals()
        process.waitForExit()
        // A signal is no status of its own choosing.
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        let text = String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        return Run(status: status, output: text)
    }
}

/// A new folder, which nobody else knows.
func temporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "c-library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
}

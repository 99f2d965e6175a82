import Foundation
import Testing

struct MissingLibraryTests {
    /// Runs a command and returns its exit status.
    private func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test func `without libcrypto every function says so, and what cannot say so gives random bytes`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let sources = tests.appending(path: "../../Sources/Facades/CommonCrypto").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".c") }
        try #require(!files.isEmpty)
        let program = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: program) }
        let compiled = try run(
            [
                "clang", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", sources.path + "/include",
                "-DCHATELAINE_LIBCRYPTO=\"libcrypto-that-is-not-there.so\"", tests.path + "/without-libcrypto.c",
            ] + files.map { sources.path + "/" + $0 } + ["-ldl", "-o", program]
        )
        try #require(compiled == 0)
        #expect(try run([program]) == 0)
    }
}

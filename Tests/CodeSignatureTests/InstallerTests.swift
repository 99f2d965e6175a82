import Foundation
import KeychainModel
import KeychainSystem
import KeychainTestSupport
import Testing

@testable import CodeSignature

/// A signed program, linked with a run path.
private func linked(_ fixture: SigningFixture, _ arguments: [String]) throws -> String {
    let source = fixture.folder + "/main.c"
    try Data("int main(void) { return 0; }".utf8).write(to: URL(filePath: source))
    let program = fixture.folder + "/linked"
    try run("gcc", ["-o", program, source] + arguments)
    try ProgramSigner.sign(program, entitlements: SigningFixture.entitlements(), with: fixture.key)
    return program
}

private func run(_ command: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command] + arguments
    try process.runHearingSignals()
    process.waitForExit()
    try #require(process.terminationStatus == 0)
}

private func folder(_ name: String, mode: mode_t, in fixture: SigningFixture) throws -> String {
    let path = fixture.folder + "/" + name
    try #require(mkdir(path, 0o755) == 0)
    try #require(chmod(path, mode) == 0)
    return path
}

private func install(_ path: String, with fixture: SigningFixture) throws {
    _ = try ProgramInstaller.install(path, markerGroup: 64_124, verifier: fixture.verifier)
}

@Test(.enabled(if: isRoot, "needs root"))
func `a program that looks for libraries where others can write is not installed (as root)`() throws {
    let fixture = try SigningFixture()
    let open = try folder("open", mode: 0o777, in: fixture)
    let sticky = try folder("sticky", mode: 0o1777, in: fixture)
    let closed = try folder("closed", mode: 0o755, in: fixture)
    try #require(symlink(open, closed + "/link") == 0)
    let runPaths = [
        open, open + "/missing", sticky + "/missing", closed + "/../open", closed + "/link", "lib", closed + ":" + open,
        "/usr/lib:", "$LIB", closed + "/$PLATFORM",
    ]
    for runPath in runPaths {
        let program = try linked(fixture, ["-Wl,-rpath," + runPath])
        #expect(throws: KeychainError(.notAvailable, ""), "\(runPath)") { try install(program, with: fixture) }
        #expect(try FileStamp.of(path: program)?.group == 0)
    }
}

@Test(.enabled(if: isRoot, "needs root"))
func `run paths where only root can write, and those that secure execution ignores, are no matter (as root)`() throws {
    let fixture = try SigningFixture()
    let closed = try folder("closed", mode: 0o755, in: fixture)
    for runPath in ["/usr/lib", closed, closed + "/missing", "$ORIGIN", "${ORIGIN}/lib"] {
        let program = try linked(fixture, ["-Wl,-rpath," + runPath])
        try install(program, with: fixture)
        #expect(try FileStamp.of(path: program)?.mode == 0o102755)
    }
    try install(linked(fixture, ["-static"]), with: fixture)
}

@Test(.enabled(if: isRoot, "needs root"))
func `a library's own run path counts as the program's does (as root)`() throws {
    let fixture = try SigningFixture()
    let open = try folder("open", mode: 0o777, in: fixture)
    let closed = try folder("closed", mode: 0o755, in: fixture)
    let source = fixture.folder + "/library.c"
    try Data("int library(void) { return 0; }".utf8).write(to: URL(filePath: source))
    try run("gcc", ["-shared", "-fPIC", "-o", closed + "/liba.so", source, "-Wl,-rpath," + open])
    let program = try linked(fixture, ["-Wl,--no-as-needed", closed + "/liba.so", "-Wl,-rpath," + closed])
    #expect(throws: KeychainError(.notAvailable, "")) { try install(program, with: fixture) }
}

@Test(.enabled(if: isRoot, "needs root"))
func `a library that belongs to another user keeps a program from being installed (as root)`() throws {
    let fixture = try SigningFixture()
    let closed = try folder("closed", mode: 0o755, in: fixture)
    let source = fixture.folder + "/library.c"
    try Data("int library(void) { return 0; }".utf8).write(to: URL(filePath: source))
    try run("gcc", ["-shared", "-fPIC", "-Wl,-soname,liba.so", "-o", closed + "/liba.so", source])
    let program = try linked(fixture, ["-Wl,--no-as-needed", closed + "/liba.so", "-Wl,-rpath," + closed])
    #expect(chown(closed + "/liba.so", 65534, 65534) == 0)
    #expect(throws: KeychainError(.notAvailable, "")) { try install(program, with: fixture) }
    #expect(chown(closed + "/liba.so", 0, 0) == 0)
    try install(program, with: fixture)
}

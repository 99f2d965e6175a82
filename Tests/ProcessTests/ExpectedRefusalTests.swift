import Foundation
import KeychainTestSupport
import Testing

/// What a program that asks for a person's proof says on standard error, where the answer is that this is impossible.
@Suite(.timeLimit(.minutes(5)))
struct ExpectedRefusalTests {
    /// Runs the probe with nothing set that makes it say more.
    private func ask(_ keychain: String, _ variables: [String: String] = [:]) throws -> (
        lines: [String], errors: String
    ) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refusals-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let streams = ["out", "err"].map { folder.appending(path: $0) }
        for stream in streams { try Data().write(to: stream) }
        let process = Process()
        process.executableURL = URL(filePath: ProbeProcess.executable)
        process.arguments = ["ask"]
        process.environment = ["CHATELAINE_KEYCHAIN": keychain, "PATH": "/usr/bin:/bin", "HOME": folder.path]
            .merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: streams[0])
        process.standardError = try FileHandle(forWritingTo: streams[1])
        try process.runHearingSignals()
        process.waitForExit()
        #expect(process.terminationStatus == 0)
        let texts = try streams.map { try String(contentsOf: $0, encoding: .utf8) }
        return (texts[0].split(separator: "\n").map(String.init), texts[1])
    }

    /// What is refused: without a passcode, without a reader of fingers, and with nobody who could ask.
    private static let refusals = [
        "2 can false", "2 is false -5", "1 can false", "1 is false -6", "3 can false", "3 is false -11",
        "2 add 0", "2 read -25291", "8 add -25291", "8 read -25300", "16 add 0", "16 read -25293", "32 add -25291",
    ]

    @Test func `a program that asks in vain leaves standard error empty, in an embedded keychain`() throws {
        let keychain = try TestKeychain()
        let (lines, errors) = try ask(keychain.variable)
        for line in Self.refusals { #expect(lines.contains(line), "\(line)") }
        #expect(errors == "")
        // Whoever wants to know is told.
        let verbose = try ask(keychain.variable, ["CHATELAINE_LOG": "debug"]).errors
        #expect(verbose.contains("finger") && !verbose.contains(" error "))
    }

    @Test func `a program that asks in vain leaves standard error empty, with a session's service`() throws {
        let keychain = try TestKeychain()
        let service = try ServiceProcess(in: keychain.surroundings, arguments: ["--pinentry", "none"])
        try #require(service.waitUntilReady())
        let (lines, errors) = try ask("unix:" + service.socket)
        for line in Self.refusals { #expect(lines.contains(line), "\(line)") }
        #expect(errors == "")
    }

    @Test func `a keychain that is damaged is still an error that everybody is told of`() throws {
        let keychain = try TestKeychain()
        #expect(try ask(keychain.variable).errors == "")
        let folder = String(keychain.variable.drop { $0 != ":" }.dropFirst())
        let keybags = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains("keybag") }
        try #require(!keybags.isEmpty)
        for name in keybags { try Data("damaged".utf8).write(to: URL(filePath: folder + "/" + name)) }
        let errors = try ask(keychain.variable).errors
        #expect(errors.contains(" error ") && errors.contains("keybag"))
    }
}

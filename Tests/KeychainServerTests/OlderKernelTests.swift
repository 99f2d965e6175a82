import Foundation
import KeychainTestSupport
import Testing

/// What finds out who is calling has another way where the kernel is older: the suites about it, once more, in a process
/// that sees such a kernel.
struct OlderKernelTests {
    private static let suites = [
        "PeerIdentityTests.WitnessTests", "KeychainServerTests.PeerGatekeeperTests",
        "KeychainServerTests.InstallationProofTests", "EnclaveProtocolTests.EnclavePeerTests",
        "CodeSignatureTests.FileWatcherTests",
    ]

    @Test(arguments: suites)
    func `a suite about callers passes on an older kernel as well`(_ suite: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            SeenKernel.older.wrapper + [
                ServiceProcess.program("chatelainePackageTests.xctest"), "--testing-library", "swift-testing",
                "--filter", "^" + suite.replacing(".", with: "\\.") + "/",
            ]
        let log = FileManager.default.temporaryDirectory.appending(path: "older-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: log) }
        let file = try FileHandle(forWritingTo: log)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = file
        try process.runHearingSignals()
        process.waitForExit()
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(process.terminationStatus == 0, "\(text.suffix(2_000))")
        // A filter that meets nothing would pass as well.
        #expect(text.contains(#/Test run with [1-9][0-9]* tests? /#), "\(text.suffix(2_000))")
    }
}

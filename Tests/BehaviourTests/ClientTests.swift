import Foundation
import KeychainTestSupport
import Testing

/// Programs in the style of Apple's documentation, built without a condition or a line of ours, and run as they are.
@Suite("Programs written for Apple's platforms")
struct ClientTests {
    @Test(arguments: ["Swift5Client", "Swift6Client", "PluginClient"])
    func `a program written for Apple's platforms compiles, runs and finds all well`(name: String) throws {
        let process = Process()
        process.executableURL = try builtProducts().appending(path: name)
        process.environment = ProcessInfo.processInfo.environment.merging(["CHATELAINE_KEYCHAIN": "memory:"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        #expect(text.hasSuffix("all is well\n"))
        #expect(!text.contains("NOT OK"), "\(text)")
    }

    /// The folder of the test's own executable, which is that of all others.
    private func builtProducts() throws -> URL {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: executable).deletingLastPathComponent()
    }
}

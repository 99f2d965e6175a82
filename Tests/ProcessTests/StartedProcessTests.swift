import Foundation
import KeychainTestSupport
import Testing

@Suite("Programs that tests start")
struct StartedProcessTests {
    @Test func `a write to a program that has ended is an error and not the end of the tests`() throws {
        let input = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        process.standardInput = input
        try process.runHearingSignals()
        #expect(process.waitForExit() == 0)
        #expect(throws: (any Error).self) { try input.fileHandleForWriting.write(contentsOf: Data([10])) }
    }

    @Test func `they end by a broken pipe as they do elsewhere`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "kill -PIPE $$; exit 3"]
        try process.runHearingSignals()
        process.waitForExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == SIGPIPE)
    }
}

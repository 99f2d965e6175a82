import Foundation
import KeychainTestSupport
import Testing
import TranscriptTesting

private let transcripts = Transcript.all(in: .module)

/// Those that only root can act out have it in their names; the test below counts them as left out.
private func isPossible(_ transcript: Transcript) -> Bool {
    SystemMode.isPossible || !transcript.name.hasSuffix("-as-root")
}

@Test(arguments: transcripts.filter(isPossible))
func `a session with chatelaine goes as its transcript says`(_ transcript: Transcript) throws {
    let session = try ChatelaineSession()
    for step in transcript.steps {
        let outcome = try session.run(step.command)
        #expect(
            try matches(outcome.output, step.output, ["FOLDER": session.folder.path]),
            "\(step.command)\nprinted:\n\(outcome.output)"
        )
        #expect(
            try matches(outcome.errors, step.errors, ["FOLDER": session.folder.path]),
            "\(step.command)\nprinted to standard error:\n\(outcome.errors)"
        )
        #expect(outcome.status == step.status, "\(step.command)")
    }
    #expect(transcript.steps.last?.status == transcript.status)
}

@Test
func `there are transcripts of chatelaine`() {
    #expect(transcripts.count > 4)
}

@Test(.enabled(if: SystemMode.isPossible, "\(SystemMode.reason)"))
func `the transcripts that only root can act out are acted out`() {
    #expect(transcripts.filter(isPossible).count == transcripts.count)
}

import Foundation
import Testing
import TranscriptTesting

private let transcripts = Transcript.all(in: .module)

@Test(arguments: transcripts)
func `a session goes as its transcript says`(_ transcript: Transcript) throws {
    let sandbox = try Sandbox()
    for step in transcript.steps {
        let outcome = try sandbox.run(step.command)
        #expect(
            try matches(outcome.output, step.output, ["KEYCHAIN": sandbox.keychain]),
            "\(step.command)\nprinted:\n\(outcome.output)"
        )
        #expect(
            try matches(outcome.errors, step.errors, ["KEYCHAIN": sandbox.keychain]),
            "\(step.command)\nprinted to standard error:\n\(outcome.errors)"
        )
        #expect(outcome.status == step.status, "\(step.command)")
    }
    #expect(transcript.steps.last?.status == transcript.status)
}

@Test
func `there are transcripts`() {
    #expect(transcripts.count > 10)
}

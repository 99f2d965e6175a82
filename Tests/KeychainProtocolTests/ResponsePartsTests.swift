import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Testing

@Suite("Responses in parts")
struct ResponsePartsTests {
    private func parts(_ body: Response.Body) throws -> [Response] {
        var responses: [Response] = []
        try FrameCodec.encodeInParts(body, id: 5) { (frame) throws(KeychainError) in
            guard case .response(let response) = try FrameCodec.decodeServer(Array(frame.dropFirst(4))) else {
                throw KeychainError(.internalError, "no response")
            }
            responses.append(response)
        }
        return responses
    }

    @Test func `a short list is one response`() throws {
        for items in [[], [Samples.plain]] {
            let responses = try parts(.outcome(.items(items, explanation: ["why"])))
            #expect(responses.count == 1)
            #expect(picture(responses[0].body) == picture(Response.Body.outcome(.items(items, explanation: ["why"]))))
        }
    }

    @Test func `a long list comes in parts, in order and whole`() throws {
        let items = (0..<40).map { Samples.item(ofSize: 100_000 + $0) } + [Samples.item(ofSize: 16 << 20)]
        let responses = try parts(.outcome(.items(items, explanation: ["why"])))
        #expect(responses.count > 4)
        #expect(responses.map(\.hasMore) == [Bool](repeating: true, count: responses.count - 1) + [false])
        var together: [FoundItem] = []
        for response in responses {
            guard response.id == 5, case .outcome(.success(let result)) = response.body,
                case .items(let part) = result.answer
            else {
                Issue.record("a part is no list")
                return
            }
            #expect(result.explanation.isEmpty == response.hasMore)
            together += part
        }
        #expect(together.map(\.reference) == items.map(\.reference))
    }

    @Test func `an item that no frame can hold is an error and not half a list`() throws {
        let responses = try parts(.outcome(.items([Samples.plain, Samples.item(ofSize: 96 << 20)])))
        guard responses.count == 1, case .outcome(.failure(let error)) = responses[0].body else {
            Issue.record("there was no single error")
            return
        }
        #expect(error.code == .dataTooLarge)
    }

    @Test func `the outcomes of a batch come in parts too`() throws {
        let outcomes = (0..<8).map { _ in OperationOutcome.items([Samples.item(ofSize: 400_000)]) } + [.count(2)]
        let responses = try parts(.batch(outcomes))
        #expect(responses.count > 2)
        let together = responses.flatMap { response -> [OperationOutcome] in
            if case .batch(let part) = response.body { part } else { [] }
        }
        #expect(together.map(picture) == outcomes.map(picture))
        #expect(try parts(.batch([])).count == 1)
    }
}

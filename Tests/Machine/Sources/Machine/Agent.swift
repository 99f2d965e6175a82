import AgentProtocol
import Foundation
import Synchronization

/// The tests' end of the agent inside.
final class Agent: Sendable {
    fileprivate struct Answer {
        var bytes: [UInt8] = []
        var status: Int32?
        var isReady = false
        let heard: (@Sendable (String) -> Void)?
    }

    fileprivate struct State {
        var reader = MessageReader()
        var last: UInt32 = 0
        var answers: [UInt32: Answer] = [:]
        var isGone = false
    }

    private let stream: Stream
    private let state: HeldState

    private final class HeldState: Sendable {
        let value = Mutex(State())
    }

    init(_ path: String) throws {
        let state = HeldState()
        self.state = state
        stream = try Stream(path) { bytes in
            let heard = state.value.withLock { $0.take(bytes) }
            for (text, listener) in heard { listener(text) }
        }
    }

    /// Until it is there.
    func greet(seconds: Double) throws {
        let request = begin(heard: nil)
        try stream.write(Message(request: request, kind: .hello).encoded)
        try waited(for: "the agent inside the machine", seconds: seconds) {
            state.value.withLock { $0.answers[request]?.isReady == true ? () : nil }
        }
    }

    /// - Parameter heard: gets what it prints as it comes, as well.
    func run(_ script: String, seconds: Double, heard: (@Sendable (String) -> Void)? = nil) throws -> Output {
        let request = begin(heard: heard)
        defer { state.value.withLock { $0.answers[request] = nil } }
        try stream.write(Message(request: request, kind: .run, payload: Array(script.utf8)).encoded)
        return try waited(for: "the end of: \(script)", seconds: seconds) {
            try state.value.withLock { state in
                guard !state.isGone else { throw Failure("the machine went off while it ran: \(script)") }
                guard let answer = state.answers[request], let status = answer.status else { return nil }
                return Output(text: String(decoding: answer.bytes, as: UTF8.self), status: status)
            }
        }
    }

    func end() { stream.end() }

    private func begin(heard: (@Sendable (String) -> Void)?) -> UInt32 {
        state.value.withLock { state in
            state.last += 1
            state.answers[state.last] = Answer(heard: heard)
            return state.last
        }
    }
}

extension Agent.State {
    /// - Returns: what somebody wants to hear at once.
    fileprivate mutating func take(_ bytes: [UInt8]) -> [(String, @Sendable (String) -> Void)] {
        isGone = bytes.isEmpty
        reader.append(bytes)
        var heard: [(String, @Sendable (String) -> Void)] = []
        while let message = try? reader.next() {
            switch message.kind {
            case .ready: answers[message.request]?.isReady = true
            case .output:
                answers[message.request]?.bytes += message.payload
                if let listener = answers[message.request]?.heard { heard.append((message.text, listener)) }
            case .status: answers[message.request]?.status = Int32(message.text) ?? -1
            case .run, .hello: break
            }
        }
        return heard
    }
}

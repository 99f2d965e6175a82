import Foundation
import Glibc
import Synchronization

/// What Chromium tells of its own accord.
struct BrowserEvent: Sendable {
    let method: String
    let details: JSONValue
}

/// The conversation with a browser: commands, their answers and events, as JSON that a zero byte ends.
///
/// There is no thread that reads. Whoever waits for something reads what has come and files it for all.
final class DebuggingPipe: Sendable {
    private struct State {
        var rest = Data()
        var lastCommand = 0
        var answers: [Int: JSONValue] = [:]
        /// All so far, by session.
        var events: [String: [BrowserEvent]] = [:]
        var isClosed = false
    }

    private let process: BrowserProcess
    private let state = Mutex(State())
    private let writing = Mutex(())

    init(_ process: BrowserProcess) {
        self.process = process
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(process.socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether the browser has ended.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// All events of a session since one of them.
    func events(_ session: String, since first: Int = 0) -> ArraySlice<BrowserEvent> {
        state.withLock { $0.events[session, default: []].dropFirst(first) }
    }

    /// Gives a command and waits for its answer.
    ///
    /// - Parameter session: that of a page; none for a command to the browser.
    @discardableResult
    func send(
        _ method: String,
        _ parameters: JSONValue = [:],
        session: String? = nil,
        by deadline: Deadline
    ) throws -> JSONValue {
        let command = state.withLock { state in
            state.lastCommand += 1
            return state.lastCommand
        }
        try write(command, method, parameters, session)
        let answer = try wait(for: "an answer to \(method)", by: deadline) {
            state.withLock { $0.answers.removeValue(forKey: command) }
        }
        if let message = answer["error"]["message"].text {
            throw BrowserFailure("\(method) failed: \(message) \(answer["error"]["data"].text ?? "")")
        }
        return answer["result"]
    }

    /// Reads what comes until something has been found in it.
    func wait<Found>(for what: String, by deadline: Deadline, _ find: () throws -> Found?) throws -> Found {
        while true {
            if let found = try find() { return found }
            guard !isClosed else { throw BrowserFailure("the browser has ended: \(process.log)") }
            guard !deadline.isPast else { throw BrowserFailure("waited in vain for \(what)") }
            var ready = pollfd(fd: process.socket, events: Int16(POLLIN), revents: 0)
            // No longer, since another thread may read what this one waits for.
            unsafe poll(&ready, 1, deadline.milliseconds(atMost: 20))
            try read()
        }
    }

    /// Files all that has come, without waiting.
    private func read() throws {
        let asking = try state.withLock { state in
            var asking: [String] = []
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe recv(process.socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { break }
                guard count > 0 else {
                    state.isClosed = true
                    break
                }
                state.rest += bytes[..<count]
                guard bytes[..<count].contains(0) else { continue }
                var messages = state.rest.split(separator: 0, omittingEmptySubsequences: false)
                state.rest = Data(messages.removeLast())
                asking += try messages.compactMap { Self.file(try JSONValue(parsing: $0), in: &state) }
            }
            return asking
        }
        // A page that asks does nothing else until it is answered.
        for session in asking { try write(0, "Page.handleJavaScriptDialog", ["accept": true], session) }
    }

    /// - Returns: the session, if its page opens a dialog.
    private static func file(_ message: JSONValue, in state: inout State) -> String? {
        if let command = message["id"].int {
            if command > 0 { state.answers[command] = message }
            return nil
        }
        let event = BrowserEvent(method: message["method"].text ?? "", details: message["params"])
        let session = message["sessionId"].text ?? ""
        state.events[session, default: []].append(event)
        return event.method == "Page.javascriptDialogOpening" ? session : nil
    }

    private func write(_ command: Int, _ method: String, _ parameters: JSONValue, _ session: String?) throws {
        var message: [String: JSONValue] = [
            "id": .number(Double(command)), "method": .string(method), "params": parameters,
        ]
        message["sessionId"] = session.map(JSONValue.string)
        let bytes = JSONValue.object(message).json + [0]
        try writing.withLock { _ in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe Glibc.send(
                        process.socket,
                        bytes.baseAddress.map { unsafe $0 + sent },
                        bytes.count - sent,
                        Int32(MSG_NOSIGNAL)
                    )
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw BrowserFailure("the browser takes no commands: \(process.log)") }
                sent += count
            }
        }
    }
}

import Foundation
import Synchronization

/// The emulator's monitor (QMP, https://www.qemu.org/docs/master/interop/qmp-spec.html).
final class Monitor: Sendable {
    private let stream: Stream
    private let lines: Lines

    private final class Lines: Sendable {
        let waiting = Mutex<[UInt8]>([])

        func take(_ bytes: [UInt8]) { waiting.withLock { $0 += bytes } }

        func next() -> Data? {
            waiting.withLock { bytes in
                guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { bytes.removeFirst(end + 1) }
                return Data(bytes[..<end])
            }
        }
    }

    init(_ path: String) throws {
        let lines = Lines()
        self.lines = lines
        stream = try Stream(path) { lines.take($0) }
        _ = try execute("qmp_capabilities")
    }

    /// - Returns: what came back.
    @discardableResult func execute(
        _ command: String,
        _ arguments: [String: any Sendable] = [:],
        seconds: Double = 120
    ) throws -> Any? {
        var request: [String: Any] = ["execute": command]
        if !arguments.isEmpty { request["arguments"] = arguments }
        try stream.write(JSONSerialization.data(withJSONObject: request) + [UInt8(ascii: "\n")])
        while true {
            let line = try waited(for: "the emulator's answer to \(command)", seconds: seconds) { lines.next() }
            guard let answer = try JSONSerialization.jsonObject(with: line) as? [String: Any] else { continue }
            if let error = answer["error"] as? [String: Any] {
                throw Failure("\(command): \(error["desc"] ?? error)")
            }
            if answer.keys.contains("return") { return answer["return"] }
        }
    }

    /// A command of the monitor for people, which answers with nothing where all went well.
    func command(_ line: String) throws {
        let answer = try execute("human-monitor-command", ["command-line": line], seconds: 300) as? String ?? ""
        guard answer.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
            throw Failure("\(line): \(answer)")
        }
    }

    func end() { stream.end() }
}

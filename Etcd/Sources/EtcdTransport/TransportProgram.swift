import Glibc
import Synchronization

/// Speaks for a cluster on two descriptors, with the program that has started this one.
package final class TransportProgram: Sendable {
    private let input: Int32
    private let output: Int32
    private let writing = Mutex<Void>(())
    /// Whether the other program has been told of a change, and has asked for nothing since.
    private let isTold = Mutex(false)

    package static let greeting = "chatelaine-transport 1\n"

    package init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        self.input = input
        self.output = output
    }

    /// Answers one request after the other, until the other program has ended.
    ///
    /// - Parameter hasEnded: called on a thread of its own once nothing more is asked; an answer may be under way.
    package func run(_ blobs: EtcdBlobs, hasEnded: @escaping @Sendable () -> Void = {}) async {
        say(Self.greeting)
        let requests = AsyncStream<(TransportRequest?, [UInt8])> { continuation in
            let reader = Reader(input)
            // Reading waits.
            Thread.start {
                while let line = reader.line() {
                    let request = TransportRequest(line)
                    var bytes: [UInt8] = []
                    if let size = request?.size, size > 0 {
                        guard let read = reader.bytes(size) else { break }
                        bytes = read
                    }
                    continuation.yield((request, bytes))
                    // After a line that is none, nothing has a meaning any more.
                    if request == nil { break }
                }
                continuation.finish()
                hasEnded()
            }
        }
        for await (request, bytes) in requests {
            isTold.withLock { $0 = false }
            await answer(request, bytes, blobs)
        }
    }

    /// Says why there is no transport, in place of the greeting.
    package func fail(_ failure: EtcdFailure) { say(Self.line(failure)) }

    private func answer(_ request: TransportRequest?, _ bytes: [UInt8], _ blobs: EtcdBlobs) async {
        do throws(EtcdFailure) {
            switch request {
            case .circles: say(Self.names(try await blobs.circles()))
            case .list(let kind, let circle):
                let names = try await blobs.list("\(circle)/\(kind)/")
                say(Self.names(names.map { String($0.dropFirst(circle.count + 1)) }))
            case .read(let name, let circle, let most):
                guard let blob = try await blobs.read("\(circle)/\(name)", atMost: most) else { return say("absent\n") }
                say("blob \(blob.count)\n", blob)
            case .write(let name, let circle, _):
                try await blobs.write(bytes, as: "\(circle)/\(name)")
                say("done\n")
            case .writeAll(let circle, let parts):
                var rest = bytes[...]
                let all = parts.map { part in
                    defer { rest = rest.dropFirst(part.count) }
                    return (name: "\(circle)/\(part.name)", bytes: Array(rest.prefix(part.count)))
                }
                try await blobs.write(all)
                say("done\n")
            case .remove(let name, let circle):
                try await blobs.remove("\(circle)/\(name)")
                say("done\n")
            case .watch(let circle):
                blobs.watch("\(circle)/") { [weak self] in self?.tell() }
                say("done\n")
            case nil: throw EtcdFailure(.other, "that is no request")
            }
        } catch {
            say(Self.line(error))
        }
    }

    private func tell() {
        let isNew = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        if isNew { say("changed\n") }
    }

    private static func names(_ names: [String]) -> String {
        "names \(names.count)\n" + names.map { $0 + "\n" }.joined()
    }

    private static func line(_ failure: EtcdFailure) -> String {
        "failure \(failure.kind.rawValue) \(failure.description)\n"
    }

    private func say(_ text: String, _ bytes: [UInt8] = []) {
        let message = Array(text.utf8) + bytes
        writing.withLock { _ in
            var rest = message[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}

/// Reads lines, and the bytes that follow some.
private final class Reader: @unchecked Sendable {
    private let input: Int32
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ input: Int32) {
        self.input = input
    }

    /// - Returns: nil at the end, and for a line that is too long or no text.
    func line() -> String? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return String(validating: buffer[start..<end], as: UTF8.self)
            }
            guard buffer.count - start < TransportRequest.longestLine, more() else { return nil }
        }
    }

    func bytes(_ count: Int) -> [UInt8]? {
        while buffer.count - start < count { guard more() else { return nil } }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }

    private func more() -> Bool {
        buffer.removeFirst(start)
        start = 0
        while true {
            let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { room in
                let count = unsafe read(input, room.baseAddress, room.count)
                if count > 0 { unsafe buffer.append(contentsOf: room[..<count]) }
                return count
            }
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}

/// A thread that may wait.
private enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    static func start(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run))
        let result = unsafe pthread_create(
            &thread,
            nil,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            body.toOpaque()
        )
        precondition(result == 0, "no thread can be started")
        pthread_detach(thread)
    }
}

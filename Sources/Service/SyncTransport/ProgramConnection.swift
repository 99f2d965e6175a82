import Glibc
import KeychainSync
import KeychainSystem

/// A program that speaks to a transport, and the socket by which it is asked. The program ends with this.
final class ProgramConnection {
    enum Reply {
        case names([String])
        case blob([UInt8])
        case absent
        case done
        case failure(SyncTransportFailure)
    }

    let socket: Descriptor
    private let process: Int32
    /// What was received, and where the next line begins.
    private var received: [UInt8] = []
    private var start = 0
    private var hasChanged = false

    static let unexpected = SyncTransportFailure(.other, "the program of the transport does not answer as it should")

    private static let greeting = "chatelaine-transport 1"
    /// How many names an answer may have, and how many of them are of use: a circle has at most as many entries.
    private static let mostNames = (answered: 80_000, used: 20_000)
    private static let longestLine = 1_024
    private let patience: Duration

    /// Without waiting, and without a signal where the other end is gone.
    private static let quietly = Int32(truncatingIfNeeded: MSG_NOSIGNAL | MSG_DONTWAIT)

    /// Starts the program.
    ///
    /// - Parameter path: nil where it is not installed.
    init(_ path: String?, _ place: TransportPlace, _ patience: Duration) throws(SyncTransportFailure) {
        self.patience = patience
        guard let path else {
            throw SyncTransportFailure(
                .other,
                "the program chatelaine-etcd, which speaks to clusters, is not installed"
            )
        }
        do {
            let (own, other) = try Descriptor.pair(SOCK_STREAM)
            process = try ChildProgram.start(
                path,
                ["carry", place.text],
                input: .descriptor(other),
                output: other
            )
            socket = own
        } catch {
            throw SyncTransportFailure(.other, "\(error)")
        }
        let line = try line(until: .now + patience)
        if let failure = Self.failure(line) { throw failure }
        guard line == Self.greeting else { throw Self.unexpected }
    }

    deinit {
        socket.withNumber { _ = shutdown($0, Int32(truncatingIfNeeded: SHUT_RDWR)) }
        ChildProgram.end(process)
    }

    // MARK: - Asking

    /// - Parameter longest: how long a blob can be.
    func ask(_ line: String, _ bytes: [UInt8], longest: Int) throws(SyncTransportFailure) -> Reply {
        let end = ContinuousClock.now + patience
        try send(Array((line + "\n").utf8) + bytes, until: end)
        while true {
            let line = try self.line(until: end)
            if line == "changed" {
                hasChanged = true
                continue
            }
            if let failure = Self.failure(line) { return .failure(failure) }
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            switch (words[0], words.count) {
            case ("done", 1): return .done
            case ("absent", 1): return .absent
            case ("blob", 2):
                guard let count = Int(words[1]), (0...longest).contains(count) else { throw Self.unexpected }
                return .blob(try take(count, until: end))
            case ("names", 2):
                guard let count = Int(words[1]), (0...Self.mostNames.answered).contains(count) else {
                    throw Self.unexpected
                }
                var names: [String] = []
                for number in 0..<count {
                    let name = try self.line(until: end)
                    if number < Self.mostNames.used { names.append(name) }
                }
                return .names(names)
            default: throw Self.unexpected
            }
        }
    }

    /// - Returns: nil for a line that is none.
    private static func failure(_ line: String) -> SyncTransportFailure? {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "failure" else { return nil }
        let kind: SyncTransportFailure.Kind =
            switch words[1] {
            case "unreachable": .unreachable
            case "full": .full
            default: .other
            }
        // It is shown on a terminal, and comes from a server.
        let shown = words[2].unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "?"
            default: scalar
            }
        }
        return SyncTransportFailure(kind, String(String.UnicodeScalarView(shown)))
    }

    // MARK: - Hearing

    /// Whether the program has told of changes since this was asked.
    func takeChanged() -> Bool {
        defer { hasChanged = false }
        return hasChanged
    }

    /// Takes what the program has said without being asked.
    func hear() throws(SyncTransportFailure) {
        try receive()
        while let line = try nextLine() {
            guard line == "changed" else { throw Self.unexpected }
            hasChanged = true
        }
        try checkRest()
    }

    // MARK: - Bytes

    private func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) throws(SyncTransportFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                socket.withNumber {
                    unsafe Glibc.send($0, buffer.baseAddress, buffer.count, Self.quietly)
                }
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, until: end)
            } else if errno != EINTR {
                throw ended
            }
        }
    }

    private func line(until end: ContinuousClock.Instant) throws(SyncTransportFailure) -> String {
        while true {
            if let line = try nextLine() { return line }
            try checkRest()
            try wait(for: POLLIN, until: end)
            try receive()
        }
    }

    /// Checks the beginning of a line whose end was not received yet.
    private func checkRest() throws(SyncTransportFailure) {
        guard received.count - start <= Self.longestLine else { throw Self.unexpected }
    }

    private func nextLine() throws(SyncTransportFailure) -> String? {
        guard let end = received[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        guard end - start <= Self.longestLine else { throw Self.unexpected }
        defer { start = end + 1 }
        return String(decoding: received[start..<end], as: UTF8.self)
    }

    private func take(_ count: Int, until end: ContinuousClock.Instant) throws(SyncTransportFailure) -> [UInt8] {
        while received.count - start < count {
            try wait(for: POLLIN, until: end)
            try receive()
        }
        defer { start += count }
        return Array(received[start..<start + count])
    }

    /// Reads what is there, without waiting.
    private func receive() throws(SyncTransportFailure) {
        received.removeFirst(start)
        start = 0
        let size = 256 << 10
        var failure = false
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: size) { room, count in
            let got = socket.withNumber { unsafe recv($0, room.baseAddress, size, Self.quietly) }
            failure = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)
            count = max(got, 0)
        }
        if failure { throw ended }
        received += piece
    }

    private func wait(for events: Int32, until end: ContinuousClock.Instant) throws(SyncTransportFailure) {
        let isReady: Bool
        do {
            // A program that always has more to say does not get more time by that.
            isReady = try ContinuousClock.now < end && socket.wait(for: events, until: end)
        } catch {
            throw SyncTransportFailure(.other, "\(error)")
        }
        guard isReady else {
            throw SyncTransportFailure(.unreachable, "the program of the transport has not answered in time")
        }
    }

    private var ended: SyncTransportFailure {
        SyncTransportFailure(.unreachable, "the program of the transport has ended")
    }
}

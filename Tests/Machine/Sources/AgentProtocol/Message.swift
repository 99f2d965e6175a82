/// One message between the tests and the agent inside the machine.
///
/// On the wire: the number of bytes that follow (4 bytes, little-endian), the request's number (4 bytes), the kind (1 byte),
/// the payload. Each side refuses more than 16 MiB.
package struct Message: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        /// To the agent: a script for bash, run as root. Its answer is any number of outputs and one status.
        case run = 1
        /// To the agent: begin anew, and answer with `.ready`. What is under way goes on, unheard.
        case hello
        /// From the agent.
        case ready
        /// Standard output and standard error, together, as they come.
        case output
        /// The exit status as text; 128 and the signal's number for a process that a signal ended.
        case status
    }

    package let request: UInt32
    package let kind: Kind
    package let payload: [UInt8]

    package init(request: UInt32, kind: Kind, payload: [UInt8] = []) {
        self.request = request
        self.kind = kind
        self.payload = payload
    }

    package var text: String { String(decoding: payload, as: UTF8.self) }

    package var encoded: [UInt8] {
        Self.bytes(of: UInt32(payload.count + 5)) + Self.bytes(of: request) + [kind.rawValue] + payload
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// Takes messages out of a stream of bytes.
package struct MessageReader: Sendable {
    package struct Malformed: Error {}

    package static let largest = 16 << 20
    private var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// The next message, or nil where it has not arrived whole.
    package mutating func next() throws(Malformed) -> Message? {
        guard bytes.count >= 4 else { return nil }
        let length = Int(number(at: 0))
        guard length >= 5, length <= Self.largest else { throw Malformed() }
        guard bytes.count >= 4 + length else { return nil }
        guard let kind = Message.Kind(rawValue: bytes[8]) else { throw Malformed() }
        let message = Message(request: number(at: 4), kind: kind, payload: Array(bytes[9..<4 + length]))
        bytes.removeFirst(4 + length)
        return message
    }

    private func number(at index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
    }
}

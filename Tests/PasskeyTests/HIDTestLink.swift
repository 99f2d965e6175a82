import PasskeyProtocol
import Synchronization

/// A link with a clock that a test sets, and a client's side of it.
struct HIDTestLink {
    static let broadcast: UInt32 = 0xFFFF_FFFF
    static let nonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    enum Command: UInt8 {
        case ping = 0x01
        case message = 0x03
        case lock = 0x04
        case initialize = 0x06
        case wink = 0x08
        case cbor = 0x10
        case cancel = 0x11
        case keepalive = 0x3B
        case error = 0x3F
    }

    /// What a client sees of the actions.
    enum Event: Equatable {
        case message(Command, [UInt8], on: UInt32)
        case perform([UInt8])
        case cancel
        case wink
        /// Reports that are no message.
        case garbage

        static func error(_ code: UInt8, on channel: UInt32) -> Event { .message(.error, [code], on: channel) }
    }

    var link: HIDLink
    var clock: UInt64 = 1_000

    /// - Parameter channels: the numbers that the link is offered for new channels; after them, 100, 101 and so on.
    init(offering channels: [UInt32] = []) {
        let offers = Mutex((channels, UInt32(100)))
        link = HIDLink {
            offers.withLock { offers in
                if !offers.0.isEmpty { return offers.0.removeFirst() }
                defer { offers.1 += 1 }
                return offers.1
            }
        }
    }

    mutating func receive(_ report: [UInt8]) -> [Event] { Self.events(link.receive(report, at: clock)) }
    mutating func answer(_ response: [UInt8]) -> [Event] { Self.events(link.answer(response, at: clock)) }
    mutating func tick() -> [Event] { Self.events(link.tick(at: clock)) }

    /// Sends all the reports of a message.
    mutating func send(_ command: Command, _ message: [UInt8] = [], on channel: UInt32) -> [Event] {
        Self.reports(command.rawValue, message, on: channel).flatMap { receive($0) }
    }

    /// A new channel, or 0.
    mutating func open() -> UInt32 {
        let events = send(.initialize, Self.nonce, on: Self.broadcast)
        guard case .message(.initialize, let message, Self.broadcast)? = events.first else { return 0 }
        return message.dropFirst(8).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func reports(_ command: UInt8, _ message: [UInt8], on channel: UInt32) -> [[UInt8]] {
        let head = bytes(of: channel)
        let length = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)]
        var pieces = [head + [0x80 | command] + length + message.prefix(57)]
        var rest = message.dropFirst(57)
        while !rest.isEmpty {
            pieces.append(head + [UInt8(pieces.count - 1)] + rest.prefix(59))
            rest = rest.dropFirst(59)
        }
        return pieces.map { $0 + [UInt8](repeating: 0xCC, count: 64 - $0.count) }
    }

    static func bytes(of channel: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: channel >> $0) }
    }

    /// Puts the reports together to messages.
    static func events(_ actions: [HIDAction]) -> [Event] {
        var events: [Event] = []
        var rest = actions[...]
        while let action = rest.popFirst() {
            switch action {
            case .perform(let request): events.append(.perform(request))
            case .cancel: events.append(.cancel)
            case .wink: events.append(.wink)
            case .send(let report):
                guard report.count == 64, let command = Command(rawValue: report[4] & 0x7F), report[4] >= 0x80 else {
                    return events + [.garbage]
                }
                let count = Int(report[5]) << 8 | Int(report[6])
                var message = Array(report.dropFirst(7))
                var sequence: UInt8 = 0
                while message.count < count {
                    guard case .send(let next)? = rest.popFirst(), next.count == 64,
                        next.prefix(5) == report.prefix(4) + [sequence]
                    else { return events + [.garbage] }
                    message += next.dropFirst(5)
                    sequence += 1
                }
                guard message.dropFirst(count).allSatisfy({ $0 == 0 }) else { return events + [.garbage] }
                let channel = report.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
                events.append(.message(command, Array(message.prefix(count)), on: channel))
            }
        }
        return events
    }
}

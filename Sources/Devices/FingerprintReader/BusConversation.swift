import Glibc
import MessageBus

/// Why an answer did not come.
enum AnswerFailure: Error {
    case cancelled
    case noAnswer
    /// The bus or the other side has gone.
    case lost
    /// With the error's name; empty for an answer that cannot be read.
    case refused(String)
}

/// A connection to the bus whose answers and signals come in one order, for one thread.
struct BusConversation {
    private let bus: MessageBus

    /// - Parameter address: nil for the system's bus.
    init(address: String?) throws(AnswerFailure) {
        do { bus = try MessageBus(address.map(MessageBus.Place.address) ?? .system) } catch { throw .lost }
    }

    /// - Returns: the number by which the answer will name the call.
    func send(_ call: BusQuestion) throws(AnswerFailure) -> UInt64 {
        do throws(BusError) {
            return try bus.send(call.destination, call.path, call.interface, call.member, call.arguments)
        } catch {
            // What cannot be said on the bus, nobody there can know.
            throw error.name.isEmpty ? .lost : .refused(error.name)
        }
    }

    /// The next answer or signal.
    ///
    /// - Parameter end: as `end(of:)` gives it.
    func receive(stop: Int32, end: UInt64) throws(AnswerFailure) -> BusMessage {
        while true {
            let event: MessageBus.Event
            do { event = try bus.next(wake: stop, end: end) } catch { throw .lost }
            switch event {
            case .signal(let path, let interface, let member, let sender, let arguments):
                return .signal(ReceivedSignal(path, interface, member, from: sender, arguments))
            case .answer(let number, let sender, let result): return .answer(to: number, from: sender, result)
            case .wake: throw .cancelled
            case .late: throw .noAnswer
            case .call, .refused: break
            }
        }
    }

    /// When a time from now on is over, in microseconds of CLOCK_MONOTONIC. An hour is the longest.
    static func end(of duration: Duration) -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let duration = min(max(duration, .zero), .seconds(3600))
        let parts = duration.components
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
            + UInt64(parts.seconds) * 1_000_000 + UInt64(parts.attoseconds / 1_000_000_000_000)
    }
}

/// What is to be called.
struct BusQuestion {
    let destination: String
    let path: String
    let interface: String
    let member: String
    let arguments: [BusValue]

    init(_ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// Of the bus itself (D-Bus Specification, Message Bus Messages).
    static func ofDriver(_ member: String, _ arguments: [BusValue]) -> BusQuestion {
        BusQuestion(MessageBus.driver, MessageBus.driverPath, MessageBus.driver, member, arguments)
    }
}

struct ReceivedSignal {
    let path: String
    let interface: String
    let member: String
    let sender: String
    let arguments: [BusValue]

    init(_ path: String, _ interface: String, _ member: String, from sender: String, _ arguments: [BusValue]) {
        self.path = path
        self.interface = interface
        self.member = member
        self.sender = sender
        self.arguments = arguments
    }
}

enum BusMessage {
    case signal(ReceivedSignal)
    case answer(to: UInt64, from: String, Result<[BusValue], BusError>)
}

import CSystemBus
import Glibc

/// Why a message did not come.
enum BusFailure: Error {
    case cancelled
    case noAnswer
    /// The bus or the other side has gone.
    case lost
    /// With the error's name, which may be empty.
    case refused(String)
}

/// What is to be called: nothing here takes more than two texts.
enum BusCall {
    case call(_ destination: String, _ path: String, _ interface: String, _ member: String, _ texts: [String])
    /// The bus's own StartServiceByName (D-Bus Specification).
    case startOf(String)
}

/// A connection to the bus whose calls and signals come in one order, for one thread.
@safe final class BusConversation {
    // The C side's own object, which is freed with this one.
    private let bus: OpaquePointer

    init(address: String?) throws(BusFailure) {
        var bus: OpaquePointer?
        let result = unsafe csystembus_open_at(address, &bus)
        guard result == 0, let bus = unsafe bus else { throw .lost }
        unsafe self.bus = bus
    }

    deinit {
        unsafe csystembus_drop(bus)
    }

    /// - Returns: the cookie that the answer will name.
    func send(_ call: BusCall) throws(BusFailure) -> UInt64 {
        var cookie: UInt64 = 0
        let result =
            switch call {
            case .call(let destination, let path, let interface, let member, let texts):
                unsafe csystembus_send(
                    bus,
                    destination,
                    path,
                    interface,
                    member,
                    texts.first,
                    texts.dropFirst().first,
                    &cookie
                )
            case .startOf(let name): unsafe csystembus_start_service(bus, name, &cookie)
            }
        switch result {
        case 0: return cookie
        // What cannot be said on the bus, nobody there can know.
        case -EINVAL: throw .refused("")
        default: throw .lost
        }
    }

    /// The next message of any kind.
    ///
    /// - Parameter end: as `end(of:)` gives it.
    func receive(stop: Int32, end: UInt64) throws(BusFailure) -> BusMessage {
        var message = csystembus_message()
        switch unsafe csystembus_receive(bus, stop, end, &message) {
        case 1: return BusMessage(message)
        case 0: throw .cancelled
        case -ETIMEDOUT: throw .noAnswer
        default: throw .lost
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

/// A message, as far as it is read here.
struct BusMessage {
    enum Kind { case signal, answer, refusal }

    let kind: Kind
    let answers: UInt64
    let error: String
    let sender: String
    let path: String
    let interface: String
    let member: String
    let signature: String
    let number: UInt32
    let flag: Bool
    /// The first three.
    let texts: [String]
    /// How many texts there are.
    let count: UInt32

    init(_ message: csystembus_message) {
        kind =
            switch message.kind {
            case csystembus_is_answer: .answer
            case csystembus_is_refusal: .refusal
            default: .signal
            }
        answers = message.answers
        error = text(ofTuple: message.error)
        sender = text(ofTuple: message.sender)
        path = text(ofTuple: message.path)
        interface = text(ofTuple: message.interface)
        member = text(ofTuple: message.member)
        signature = text(ofTuple: message.signature)
        number = message.number
        flag = message.flag
        count = message.texts
        texts = Array(
            [text(ofTuple: message.text.0), text(ofTuple: message.text.1), text(ofTuple: message.text.2)]
                .prefix(Int(min(message.texts, 3)))
        )
    }
}

/// A C array of characters, which Swift sees as a tuple.
private func text<Characters>(ofTuple characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

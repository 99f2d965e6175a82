import CSystemBus
import Glibc

/// There is no bus any more, or never was one.
package struct BusFailure: Error {
    /// A negative errno.
    package let code: Int32

    package var text: String {
        guard let text = unsafe strerror(-code) else { return "" }
        return unsafe String(cString: text)
    }
}

/// A connection to a message bus, for one thread.
@safe package final class MessageBus {
    // The C side's own objects: the connection is freed with this one, a call's message when it was answered.
    let bus: OpaquePointer
    private var calls: [BusCall.ID: OpaquePointer] = unsafe [:]
    private var descriptors: [BusCall.ID: Int32] = [:]
    private var lastCall: BusCall.ID = 0
    private let serves: Bool

    package enum Place: Sendable {
        case system
        case session
        case address(String)
    }

    package enum Event {
        /// Only where calls are served: else they are answered with a refusal.
        case call(BusCall)
        /// A call that is larger than anything that is meant, or that cannot be read. It was answered.
        case refused
        case signal(path: String, interface: String, member: String, sender: String, arguments: [BusValue])
        /// The answer to a call that was sent, by its number. The error of one that cannot be read has no name.
        case answer(to: UInt64, sender: String, Result<[BusValue], BusError>)
        /// Something else is to be done.
        case wake
        /// The time is over.
        case late
    }

    /// - Parameter serves: whether calls of others are answered by the user of this object.
    package init(_ place: Place, serves: Bool = false) throws(BusFailure) {
        self.serves = serves
        var bus: OpaquePointer?
        let result =
            switch place {
            case .system: unsafe csystembus_open_system(&bus)
            case .session: unsafe csystembus_open_session(&bus)
            case .address(let address): unsafe csystembus_open_address(address, &bus)
            }
        guard result == 0, let bus = unsafe bus else { throw BusFailure(code: result) }
        unsafe self.bus = bus
    }

    package static var isAvailable: Bool { csystembus_is_available() }

    deinit {
        unsafe calls.values.forEach { unsafe csystembus_release($0) }
        unsafe csystembus_drop(bus)
    }

    /// Waits for what comes next.
    ///
    /// - Parameters:
    ///   - wake: a descriptor that becomes readable when there is something else to do; -1 for none.
    ///   - end: when the wait ends, in microseconds of CLOCK_MONOTONIC.
    package func next(wake: Int32, end: UInt64 = .max) throws(BusFailure) -> Event {
        while true {
            var found: OpaquePointer?
            let result = unsafe csystembus_next(bus, wake, end, &found)
            if result == -ETIMEDOUT { return .late }
            guard result >= 0 else { throw BusFailure(code: result) }
            guard result > 0, let message = unsafe found else { return .wake }
            if let event = unsafe event(of: message) { return event }
        }
    }

    private func event(of message: OpaquePointer) -> Event? {
        var head = unsafe csystembus_head()
        unsafe csystembus_describe(message, &head)
        let sender = unsafe Self.text(head.sender)
        let path = unsafe Self.text(head.path)
        let interface = unsafe Self.text(head.interface)
        let member = unsafe Self.text(head.member)
        switch unsafe head.kind {
        case csystembus_is_call:
            lastCall += 1
            unsafe calls[lastCall] = message
            guard serves else {
                answer(lastCall, .failure(.notServed))
                return nil
            }
            var reader = unsafe MessageReader(message)
            do throws(BusError) {
                let arguments = try reader.values()
                descriptors[lastCall] = reader.descriptor
                return .call(
                    BusCall(
                        id: lastCall,
                        sender: sender,
                        path: path,
                        interface: interface,
                        member: member,
                        arguments: arguments
                    )
                )
            } catch {
                answer(lastCall, .failure(error))
                return .refused
            }
        case csystembus_is_signal:
            defer { unsafe csystembus_release(message) }
            var reader = unsafe MessageReader(message)
            guard let arguments = try? reader.values() else { return nil }
            return .signal(path: path, interface: interface, member: member, sender: sender, arguments: arguments)
        case csystembus_is_answer:
            defer { unsafe csystembus_release(message) }
            var reader = unsafe MessageReader(message)
            let values = try? reader.values()
            let result = values.map { Result<[BusValue], BusError>.success($0) }
            return unsafe .answer(to: head.answers, sender: sender, result ?? .failure(.unreadableAnswer))
        case csystembus_is_refusal:
            defer { unsafe csystembus_release(message) }
            let error = unsafe BusError(Self.text(head.error), "the call was refused")
            return unsafe .answer(to: head.answers, sender: sender, .failure(error))
        default:
            unsafe csystembus_release(message)
            return nil
        }
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    // MARK: - Sending

    /// Answers a call. A caller that is gone gets nothing.
    package func answer(_ id: BusCall.ID, _ reply: BusReply) {
        guard let call = unsafe calls.removeValue(forKey: id) else { return }
        descriptors[id] = nil
        defer { unsafe csystembus_release(call) }
        var head = unsafe csystembus_head()
        unsafe csystembus_describe(call, &head)
        guard unsafe head.wants_reply else { return }
        var made: OpaquePointer?
        switch reply {
        case .values(let values) where values.reduce(0, { $0 + $1.size }) > Self.largestMessage:
            unsafe sendError(call, "org.freedesktop.DBus.Error.LimitsExceeded", "the answer is too large for the bus")
        case .values(let values):
            guard unsafe csystembus_new_reply(call, &made) >= 0, let message = unsafe made else { return }
            defer { unsafe csystembus_release(message) }
            guard unsafe MessageWriter(message).append(values) else {
                return unsafe sendError(call, "org.freedesktop.DBus.Error.NoReply", "the answer cannot be sent")
            }
            _ = unsafe csystembus_send(bus, message, nil)
        case .failure(let error): unsafe sendError(call, error.name, error.text)
        }
    }

    /// In bytes. An array has at most 64 MiB (D-Bus Specification, Marshaling); the bus disconnects a sender of more.
    private static let largestMessage = 60 << 20

    private func sendError(_ call: OpaquePointer, _ name: String, _ text: String) {
        var made: OpaquePointer?
        guard unsafe csystembus_new_error(call, name, text, &made) >= 0, let message = unsafe made else { return }
        _ = unsafe csystembus_send(bus, message, nil)
        unsafe csystembus_release(message)
    }

    package func send(_ signal: BusSignal) {
        guard signal.arguments.reduce(0, { $0 + $1.size }) <= Self.largestMessage else { return }
        var made: OpaquePointer?
        guard
            unsafe csystembus_new_signal(
                bus,
                signal.path,
                signal.interface,
                signal.member,
                signal.destination,
                &made
            ) >= 0, let message = unsafe made
        else { return }
        defer { unsafe csystembus_release(message) }
        guard unsafe MessageWriter(message).append(signal.arguments) else { return }
        _ = unsafe csystembus_send(bus, message, nil)
    }

    /// The descriptor that came with a call that is not answered yet.
    package func descriptor(of call: BusCall.ID) -> Int32? { descriptors[call] }
}

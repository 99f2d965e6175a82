import CSystemBus
import Glibc
package import SecretServiceModel

/// Why there is no bus any more, or never was.
package struct SessionBusFailure: Error {
    /// A negative errno.
    package let code: Int32

    /// Whether somebody else has the name.
    package var isNameTaken: Bool { code == -EEXIST }
    package var text: String {
        guard let text = unsafe strerror(-code) else { return "" }
        return unsafe String(cString: text)
    }
}

/// A connection to the session's message bus, for one thread.
@safe package final class SessionBus {
    // The C side's own objects: the connection is freed with this one, a call's message when it was answered.
    let bus: OpaquePointer
    private var calls: [BusCall.ID: OpaquePointer] = unsafe [:]
    private var descriptors: [BusCall.ID: Int32] = [:]
    private var lastCall: BusCall.ID = 0

    package enum Event {
        case call(BusCall)
        /// A call that is larger than anything that is meant, or that cannot be read. It was answered.
        case refused
        case signal(path: String, interface: String, member: String, sender: String, arguments: [BusValue])
        /// Something else is to be done, or the time is over.
        case wake
    }

    /// - Parameter address: nil for the session's own.
    package init(address: String? = nil) throws(SessionBusFailure) {
        var bus: OpaquePointer?
        let result = unsafe csessionbus_open(address, &bus)
        guard result == 0, let bus = unsafe bus else { throw SessionBusFailure(code: result) }
        unsafe self.bus = bus
    }

    deinit {
        unsafe calls.values.forEach { unsafe csessionbus_release($0) }
        unsafe csystembus_drop(bus)
    }

    /// Takes a name, or says who has it.
    package func request(_ name: String) throws(SessionBusFailure) {
        try Self.check(unsafe csessionbus_request_name(bus, name))
    }

    /// Asks for signals by a rule (D-Bus Specification, Match Rules).
    package func watch(_ rule: String) throws(SessionBusFailure) {
        try Self.check(unsafe csystembus_watch(bus, rule))
    }

    /// The unique name of the owner of a name; nil where nobody has it.
    package func owner(of name: String) -> String? {
        var owner = [CChar](repeating: 0, count: 256)
        guard unsafe csystembus_owner(bus, name, &owner) == 0 else { return nil }
        return String(decoding: owner.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Has the bus start the owner of a name, if it has none and knows of one.
    package func start(_ name: String) { _ = unsafe csessionbus_start_owner(bus, name) }

    /// The process at the other end of a unique name, as the bus says.
    package func process(of name: String) -> UInt32? {
        var process: UInt32 = 0
        return unsafe csessionbus_process_of(bus, name, &process) == 0 ? process : nil
    }

    /// Waits for what comes next.
    ///
    /// - Parameters:
    ///   - wake: a descriptor that becomes readable when there is something else to do.
    ///   - end: when the wait ends, in microseconds of CLOCK_MONOTONIC.
    package func next(wake: Int32, end: UInt64) throws(SessionBusFailure) -> Event {
        while true {
            var found: OpaquePointer?
            let result = try Self.check(unsafe csessionbus_next(bus, wake, end, &found))
            guard result > 0, let message = unsafe found else { return .wake }
            if let event = unsafe event(of: message) { return event }
        }
    }

    private func event(of message: OpaquePointer) -> Event? {
        var head = unsafe csessionbus_head()
        unsafe csessionbus_describe(message, &head)
        let sender = unsafe Self.text(head.sender)
        let path = unsafe Self.text(head.path)
        let interface = unsafe Self.text(head.interface)
        let member = unsafe Self.text(head.member)
        switch unsafe head.kind {
        case csessionbus_is_call:
            lastCall += 1
            unsafe calls[lastCall] = message
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
        case csessionbus_is_signal:
            defer { unsafe csessionbus_release(message) }
            var reader = unsafe MessageReader(message)
            guard let arguments = try? reader.values() else { return nil }
            return .signal(path: path, interface: interface, member: member, sender: sender, arguments: arguments)
        default:
            unsafe csessionbus_release(message)
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
        defer { unsafe csessionbus_release(call) }
        var head = unsafe csessionbus_head()
        unsafe csessionbus_describe(call, &head)
        guard unsafe head.wants_reply else { return }
        var made: OpaquePointer?
        switch reply {
        case .values(let values) where values.reduce(0, { $0 + $1.size }) > Self.largestMessage:
            unsafe sendError(call, "org.freedesktop.DBus.Error.LimitsExceeded", "the answer is too large for the bus")
        case .values(let values):
            guard unsafe csessionbus_new_reply(call, &made) >= 0, let message = unsafe made else { return }
            defer { unsafe csessionbus_release(message) }
            guard unsafe MessageWriter(message).append(values) else {
                return unsafe sendError(call, "org.freedesktop.DBus.Error.NoReply", "the answer cannot be sent")
            }
            _ = unsafe csessionbus_send(bus, message)
        case .failure(let error): unsafe sendError(call, error.name, error.text)
        }
    }

    /// In bytes. An array has at most 64 MiB (D-Bus Specification, Marshaling); the bus disconnects a sender of more.
    private static let largestMessage = 60 << 20

    private func sendError(_ call: OpaquePointer, _ name: String, _ text: String) {
        var made: OpaquePointer?
        guard unsafe csessionbus_new_error(call, name, text, &made) >= 0, let message = unsafe made else { return }
        _ = unsafe csessionbus_send(bus, message)
        unsafe csessionbus_release(message)
    }

    package func send(_ signal: BusSignal) {
        guard signal.arguments.reduce(0, { $0 + $1.size }) <= Self.largestMessage else { return }
        var made: OpaquePointer?
        guard
            unsafe csessionbus_new_signal(
                bus,
                signal.path,
                signal.interface,
                signal.member,
                signal.destination,
                &made
            ) >= 0, let message = unsafe made
        else { return }
        defer { unsafe csessionbus_release(message) }
        guard unsafe MessageWriter(message).append(signal.arguments) else { return }
        _ = unsafe csessionbus_send(bus, message)
    }

    /// The descriptor that came with a call that is not answered yet.
    package func descriptor(of call: BusCall.ID) -> Int32? { descriptors[call] }

    @discardableResult
    private static func check(_ result: Int32) throws(SessionBusFailure) -> Int32 {
        guard result >= 0 else { throw SessionBusFailure(code: result) }
        return result
    }
}

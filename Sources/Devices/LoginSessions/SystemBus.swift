import CSystemBus
import Glibc

/// What the bus answered instead of what was asked of it.
struct BusError: Error {
    /// A negative errno.
    let code: Int32
}

/// A connection to the system's message bus, for one thread.
@safe final class SystemBus {
    // The C side's own object, which is freed with this one.
    private let bus: OpaquePointer

    init() throws(BusError) {
        var bus: OpaquePointer?
        let result = unsafe csystembus_open(&bus)
        guard result == 0, let bus = unsafe bus else { throw BusError(code: result) }
        unsafe self.bus = bus
    }

    deinit {
        unsafe csystembus_close(bus)
    }

    /// Asks for signals by a rule (D-Bus Specification, Match Rules).
    func watch(_ rule: String) throws(BusError) {
        try Self.check(unsafe csystembus_watch(bus, rule))
    }

    /// The next signal; nil if `stop` becomes readable.
    func next(stop: Int32) throws(BusError) -> BusSignal? {
        var signal = csystembus_signal()
        let result = try Self.check(unsafe csystembus_next(bus, stop, &signal))
        return result == 0 ? nil : BusSignal(signal)
    }

    /// The unique name of the owner of a name; nil where no process owns it.
    func owner(of name: String) throws(BusError) -> String? {
        var owner = [CChar](repeating: 0, count: 256)
        let result = unsafe csystembus_owner(bus, name, &owner)
        if result == -ENXIO { return nil }
        try Self.check(result)
        return text(owner)
    }

    /// The users of logind's sessions, by the sessions' paths.
    func sessions() throws(BusError) -> [String: UInt32] {
        // More than a machine has; what is beyond is looked for when it is heard of.
        var found = [csystembus_session](repeating: csystembus_session(), count: 4096)
        let count = try Self.check(unsafe csystembus_sessions(bus, &found, found.count))
        var sessions: [String: UInt32] = [:]
        for session in found.prefix(Int(count)) { sessions[text(ofTuple: session.path)] = session.uid }
        return sessions
    }

    func isLocked(_ session: String) throws(BusError) -> Bool {
        try Self.check(unsafe csystembus_is_locked(bus, session)) == 1
    }

    /// What kind a session is of: `user`, `greeter`, `background`, `manager` and others.
    func kind(of session: String) throws(BusError) -> String {
        var kind = [CChar](repeating: 0, count: 64)
        try Self.check(unsafe csystembus_class(bus, session, &kind))
        return text(kind)
    }

    /// A descriptor that has the machine's sleep wait, for some seconds, while it is open.
    func delaySleep(who: String, why: String) throws(BusError) -> Int32 {
        try Self.check(unsafe csystembus_delay_sleep(bus, who, why))
    }

    @discardableResult
    private static func check(_ result: Int32) throws(BusError) -> Int32 {
        guard result >= 0 else { throw BusError(code: result) }
        return result
    }
}

/// A signal, as far as it is read here.
struct BusSignal {
    let sender: String
    let path: String
    let interface: String
    let member: String
    let number: UInt32
    let flag: Bool
    let texts: [String]

    init(_ signal: csystembus_signal) {
        sender = text(ofTuple: signal.sender)
        path = text(ofTuple: signal.path)
        interface = text(ofTuple: signal.interface)
        member = text(ofTuple: signal.member)
        number = signal.number
        flag = signal.flag
        texts = [
            text(ofTuple: signal.text.0), text(ofTuple: signal.text.1), text(ofTuple: signal.text.2),
        ]
    }
}

private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A C array of characters, which Swift sees as a tuple.
private func text<Characters>(ofTuple characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

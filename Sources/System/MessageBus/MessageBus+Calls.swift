import CSystemBus
import Glibc
package import KeychainSystem

/// What this process asks others on the bus.
extension MessageBus {
    /// Calls a method and waits for its answer.
    ///
    /// - Parameter seconds: for how long.
    package func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        seconds: UInt64 = 25
    ) throws(BusError) -> [BusValue] {
        let reply = try unsafe reply(destination, path, interface, member, arguments, seconds: seconds)
        defer { unsafe csystembus_release(reply) }
        var reader = unsafe MessageReader(reply)
        return try reader.values()
    }

    /// Calls a method whose answer has a descriptor, and waits for that.
    package func callForDescriptor(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue],
        seconds: UInt64
    ) throws(BusError) -> Descriptor {
        let reply = try unsafe reply(destination, path, interface, member, arguments, seconds: seconds)
        defer { unsafe csystembus_release(reply) }
        var reader = unsafe MessageReader(reply)
        _ = try reader.values()
        // What is read is the message's.
        guard let number = reader.descriptor, case let own = fcntl(number, F_DUPFD_CLOEXEC, 3), own >= 0 else {
            throw BusError("", "\(member) is answered with no descriptor")
        }
        return Descriptor(owning: own)
    }

    /// - Returns: the answer, which the caller releases.
    private func reply(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue],
        seconds: UInt64
    ) throws(BusError) -> OpaquePointer {
        let message = try unsafe newCall(destination, path, interface, member, arguments)
        defer { unsafe csystembus_release(message) }
        var name = [CChar](repeating: 0, count: 256)
        var answer: OpaquePointer?
        let result = unsafe csystembus_call(bus, message, seconds * 1_000_000, &answer, &name)
        guard result == 0, let reply = unsafe answer else {
            let error = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw BusError(error, "\(member) is answered with \(error.isEmpty ? "nothing" : error)")
        }
        return unsafe reply
    }

    /// Calls a method and does not wait for its answer.
    ///
    /// - Returns: the number by which the answer will name the call.
    /// - Throws: an error without a name where the bus is lost; one with a name where the call cannot be said on a bus.
    package func send(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) throws(BusError) -> UInt64 {
        let message = try unsafe newCall(destination, path, interface, member, arguments)
        defer { unsafe csystembus_release(message) }
        var cookie: UInt64 = 0
        guard unsafe csystembus_send(bus, message, &cookie) >= 0 else { throw BusError("", "\(member) cannot be sent") }
        return cookie
    }

    private func newCall(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue]
    ) throws(BusError) -> OpaquePointer {
        var made: OpaquePointer?
        guard unsafe csystembus_new_call(bus, destination, path, interface, member, &made) >= 0,
            let message = unsafe made
        else { throw .invalidArguments("the call \(member) cannot be made") }
        guard unsafe MessageWriter(message).append(arguments) else {
            unsafe csystembus_release(message)
            throw .invalidArguments("the call \(member) cannot be written")
        }
        return unsafe message
    }
}

/// What is asked of the bus itself (D-Bus Specification, Message Bus Messages).
extension MessageBus {
    package static let driver = "org.freedesktop.DBus"
    package static let driverPath = "/org/freedesktop/DBus"
    private static let noOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"

    private func ask(_ member: String, _ arguments: [BusValue], _ seconds: UInt64 = 25) throws(BusError) -> [BusValue] {
        try call(Self.driver, Self.driverPath, Self.driver, member, arguments, seconds: seconds)
    }

    /// Asks for signals by a rule (Match Rules).
    package func watch(_ rule: String, seconds: UInt64 = 25) throws(BusError) {
        _ = try ask("AddMatch", [.string(rule)], seconds)
    }

    /// Takes a well-known name.
    ///
    /// - Returns: false where somebody else has it.
    package func request(_ name: String) throws(BusError) -> Bool {
        let doNotQueue: UInt32 = 4
        let answer = try ask("RequestName", [.string(name), .uint32(doNotQueue)])
        // The primary owner, and the owner already.
        return answer == [.uint32(1)] || answer == [.uint32(4)]
    }

    /// The unique name of the owner of a name; nil where nobody has it.
    package func owner(of name: String, seconds: UInt64 = 25) throws(BusError) -> String? {
        do throws(BusError) {
            return try ask("GetNameOwner", [.string(name)], seconds).first?.text
        } catch {
            if error.name == Self.noOwner { return nil }
            throw error
        }
    }

    /// Has the bus start the owner of a name, if it has none and knows of one.
    package func start(_ name: String) { _ = try? ask("StartServiceByName", [.string(name), .uint32(0)]) }

    /// The process at the other end of a unique name, as the bus says.
    package func process(of name: String) -> UInt32? {
        (try? ask("GetConnectionUnixProcessID", [.string(name)]))?.first?.number
    }

    /// A property of an object (Standard Interfaces, Properties).
    package func property(
        _ name: String,
        of path: String,
        _ interface: String,
        at destination: String,
        seconds: UInt64 = 25
    ) throws(BusError) -> BusValue? {
        let properties = "org.freedesktop.DBus.Properties"
        let arguments: [BusValue] = [.string(interface), .string(name)]
        return try call(destination, path, properties, "Get", arguments, seconds: seconds).first?.content
    }
}

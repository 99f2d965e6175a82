import CSystemBus
import Glibc
package import SecretServiceModel

/// What a call came to that was not done.
package struct BusCallFailure: Error {
    /// The name of the error; empty where no answer came.
    package let name: String
    package let text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// What this process asks others on the bus.
extension SessionBus {
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
    ) throws(BusCallFailure) -> [BusValue] {
        var made: OpaquePointer?
        guard unsafe csessionbus_new_call(bus, destination, path, interface, member, &made) >= 0,
            let message = unsafe made
        else { throw BusCallFailure(name: "", text: "the call \(member) cannot be made") }
        defer { unsafe csessionbus_release(message) }
        guard unsafe MessageWriter(message).append(arguments) else {
            throw BusCallFailure(name: "", text: "the call \(member) cannot be written")
        }
        var name = [CChar](repeating: 0, count: 256)
        var answer: OpaquePointer?
        let result = unsafe csessionbus_call(bus, message, seconds * 1_000_000, &answer, &name)
        guard result == 0, let reply = unsafe answer else {
            let error = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw BusCallFailure(name: error, text: "\(member) is answered with \(error.isEmpty ? "nothing" : error)")
        }
        defer { unsafe csessionbus_release(reply) }
        var reader = unsafe MessageReader(reply)
        do throws(BusError) {
            return try reader.values()
        } catch {
            throw BusCallFailure(name: error.name, text: error.text)
        }
    }
}

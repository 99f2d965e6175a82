import CSystemBus

/// Reads the values of a message, as many as a call that is meant may have.
@safe struct MessageReader {
    private let message: OpaquePointer
    /// How many values may still come: a client cannot make this process grow by one message.
    private var rest = MessageReader.mostValues
    /// The last one that was read.
    private(set) var descriptor: Int32?

    static let mostValues = 1 << 17
    static let mostBytes = 16 << 20
    private var bytes = MessageReader.mostBytes

    init(_ message: OpaquePointer) {
        unsafe self.message = message
    }

    /// - Throws: `InvalidArgs`, `LimitsExceeded`
    mutating func values() throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next() { values.append(value) }
        return values
    }

    private mutating func next() throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(unsafe csystembus_peek(message, &type, &contents)) else { return nil }
        let signature = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        rest -= 1
        guard rest >= 0 else { throw .limit("the message has too many values") }
        switch UnicodeScalar(UInt8(bitPattern: type)) {
        case "s": return .string(try text(type))
        case "o": return .path(try text(type))
        case "b":
            var value: Int32 = 0
            try unsafe read(type, &value)
            return .bool(value != 0)
        case "u":
            var value: UInt32 = 0
            try unsafe read(type, &value)
            return .uint32(value)
        case "t":
            var value: UInt64 = 0
            try unsafe read(type, &value)
            return .uint64(value)
        case "h":
            var value: Int32 = -1
            try unsafe read(type, &value)
            descriptor = value
            return .descriptor(value)
        case "a" where signature == "y": return .bytes(try byteArray())
        case "a": return .array(of: signature, try within(type, signature))
        case "(", "r": return .structure(try within(CChar(bitPattern: UInt8(ascii: "r")), signature))
        case "{", "e":
            let fields = try within(CChar(bitPattern: UInt8(ascii: "e")), signature)
            guard fields.count == 2 else { throw .invalidArguments("an entry has a key and a value") }
            return .entry(fields[0], fields[1])
        case "v":
            guard let content = try within(type, signature).first else {
                throw .invalidArguments("a variant has a value")
            }
            return .variant(content)
        default:
            let name = String(UnicodeScalar(UInt8(bitPattern: type)))
            _ = try check(unsafe csystembus_skip(message, name))
            return .other(name)
        }
    }

    private mutating func within(_ type: CChar, _ contents: String) throws(BusError) -> [BusValue] {
        guard try check(unsafe csystembus_enter(message, type, contents)) else { return [] }
        let found = try values()
        _ = try check(unsafe csystembus_leave(message))
        return found
    }

    private mutating func text(_ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        guard unsafe csystembus_read(message, type, &text) > 0, let text = unsafe text else { throw Self.unreadable }
        let string = unsafe String(cString: text)
        try take(string.utf8.count)
        return string
    }

    private mutating func byteArray() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        guard unsafe csystembus_read_bytes(message, &start, &count) > 0 else { throw Self.unreadable }
        try take(count)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private mutating func take(_ count: Int) throws(BusError) {
        bytes -= count
        guard bytes >= 0 else { throw .limit("the message is too large") }
    }

    private func read(_ type: CChar, _ value: UnsafeMutableRawPointer) throws(BusError) {
        guard unsafe csystembus_read(message, type, value) > 0 else { throw Self.unreadable }
    }

    private func check(_ result: Int32) throws(BusError) -> Bool {
        guard result >= 0 else { throw Self.unreadable }
        return result > 0
    }

    private static let unreadable = BusError.invalidArguments("the message cannot be read")
}

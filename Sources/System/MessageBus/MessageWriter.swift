import CSystemBus

/// Writes values into a message.
@safe struct MessageWriter {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        unsafe self.message = message
    }

    /// - Returns: whether all of them could be written.
    func append(_ values: [BusValue]) -> Bool {
        values.allSatisfy(append)
    }

    private func append(_ value: BusValue) -> Bool {
        switch value {
        case .string(let text): return basic("s", text)
        case .path(let text): return basic("o", text)
        case .bool(let flag): return basic("b", flag ? 1 as Int32 : 0)
        case .uint32(let number): return basic("u", number)
        case .uint64(let number): return basic("t", number)
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe csystembus_append_bytes(message, bytes.baseAddress, bytes.count) >= 0
            }
        case .array(of: let element, let elements): return container("a", element, elements)
        case .entry(let key, let value): return container("e", key.signature + value.signature, [key, value])
        case .structure(let fields): return container("r", fields.map(\.signature).joined(), fields)
        case .variant(let content): return container("v", content.signature, [content])
        // None is ever sent.
        case .descriptor, .other: return false
        }
    }

    private func basic(_ type: UnicodeScalar, _ text: String) -> Bool {
        unsafe text.withCString { unsafe csystembus_append(message, Self.character(type), $0) >= 0 }
    }

    private func basic<Number>(_ type: UnicodeScalar, _ number: Number) -> Bool {
        unsafe withUnsafeBytes(of: number) { bytes in
            unsafe csystembus_append(message, Self.character(type), bytes.baseAddress) >= 0
        }
    }

    private func container(_ type: UnicodeScalar, _ contents: String, _ values: [BusValue]) -> Bool {
        unsafe csystembus_open_container(message, Self.character(type), contents) >= 0 && append(values)
            && csystembus_close_container(message) >= 0
    }

    private static func character(_ scalar: UnicodeScalar) -> CChar { CChar(truncatingIfNeeded: scalar.value) }
}

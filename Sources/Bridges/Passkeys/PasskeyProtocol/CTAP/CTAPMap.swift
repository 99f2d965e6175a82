/// A request's parameters: a map with small integers as keys. Keys that are not known are ignored, as CTAP 2.1 has it
/// (section 8).
struct CTAPMap {
    let map: CBORMap

    /// - Throws: `invalidCBOR` for bytes that are not canonical; `cborUnexpectedType` for another type than a map.
    init(_ bytes: ArraySlice<UInt8>) throws(CTAPStatus) {
        let value: CBORValue
        do throws(CBORFormatError) {
            value = try CBORValue(decoding: bytes)
        } catch {
            throw .invalidCBOR
        }
        self = try CTAPMap(value)
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        guard let map = value.map else { throw .cborUnexpectedType }
        self.map = map
    }

    /// - Throws: `cborUnexpectedType` where the value is of another type.
    func optional<Value>(_ key: CBORValue, _ read: (CBORValue) -> Value?) throws(CTAPStatus) -> Value? {
        guard let value = map[key] else { return nil }
        guard let result = read(value) else { throw .cborUnexpectedType }
        return result
    }

    /// - Throws: `missingParameter` where it is absent; `cborUnexpectedType` where it is of another type.
    func required<Value>(_ key: CBORValue, _ read: (CBORValue) -> Value?) throws(CTAPStatus) -> Value {
        guard let result = try optional(key, read) else { throw .missingParameter }
        return result
    }

    func bytes(_ key: CBORValue) throws(CTAPStatus) -> [UInt8] { try required(key, \.bytes) }
    func text(_ key: CBORValue) throws(CTAPStatus) -> String { try required(key, \.text) }

    func map(_ key: CBORValue) throws(CTAPStatus) -> CTAPMap? {
        guard let map = try optional(key, \.map) else { return nil }
        return try CTAPMap(.map(map))
    }

    /// Options are Booleans by name.
    ///
    /// - Returns: nil where the option is absent.
    func option(_ name: String) throws(CTAPStatus) -> Bool? { try optional(.text(name), \.boolean) }
}

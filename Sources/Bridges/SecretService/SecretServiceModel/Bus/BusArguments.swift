package import MessageBus

/// Reads a call's arguments in their order. What is not there, or of another type, is the caller's error.
struct BusArguments {
    private var rest: ArraySlice<BusValue>

    init(_ call: BusCall) {
        rest = call.arguments[...]
    }

    /// - Throws: `InvalidArgs`
    mutating func next<Value>(_ convert: (BusValue) -> Value?) throws(BusError) -> Value {
        guard let value = rest.popFirst().flatMap(convert) else {
            throw .invalidArguments("the arguments are not those of the method")
        }
        return value
    }

    mutating func string() throws(BusError) -> String { try next(\.text) }
    mutating func path() throws(BusError) -> String { try next(\.objectPath) }
    mutating func bool() throws(BusError) -> Bool { try next(\.boolean) }
    mutating func paths() throws(BusError) -> [String] { try next(\.objectPaths) }
    mutating func variant() throws(BusError) -> BusValue { try next(\.content) }
    mutating func attributes() throws(BusError) -> SecretAttributes { try SecretAttributes(try next { $0 }) }
    mutating func properties() throws(BusError) -> [String: BusValue] { try next(\.dictionary) }

    mutating func secret() throws(BusError) -> TransferredSecret {
        try next { value in
            guard case .structure(let fields) = value, fields.count == 4, let session = fields[0].objectPath,
                let parameters = fields[1].byteArray, let value = fields[2].byteArray, let type = fields[3].text
            else { return nil }
            return TransferredSecret(session: session, parameters: parameters, value: value, contentType: type)
        }
    }

    /// - Throws: `InvalidArgs` for what follows the last argument.
    func end() throws(BusError) {
        guard rest.isEmpty else { throw .invalidArguments("the method takes fewer arguments") }
    }
}

/// A secret as it is sent, by the key of a session.
struct TransferredSecret {
    let session: String
    let parameters: [UInt8]
    let value: [UInt8]
    let contentType: String
}

extension SecretAttributes {
    /// - Throws: `InvalidArgs`, `LimitsExceeded`
    package init(_ value: BusValue?) throws(BusError) {
        guard case .array(of: "{ss}", let entries) = value else { throw .invalidArguments("attributes are a{ss}") }
        var pairs: [Pair] = []
        for case .entry(.string(let name), .string(let value)) in entries {
            pairs.append(Pair(name: name, value: value))
        }
        try self.init(pairs)
    }
}

extension BusValue {
    var byteArray: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    static func attributes(_ attributes: SecretAttributes) -> BusValue {
        .array(of: "{ss}", attributes.pairs.map { .entry(.string($0.name), .string($0.value)) })
    }

    var objectPaths: [String]? {
        guard case .array(of: "o", let elements) = self else { return nil }
        return elements.compactMap(\.objectPath)
    }

    /// Of `ao`; none of anything else.
    package var paths: [String] { objectPaths ?? [] }

    /// Of `a{sv}`; of two entries with one name the last counts.
    var dictionary: [String: BusValue]? {
        guard case .array(of: "{sv}", let entries) = self else { return nil }
        var values: [String: BusValue] = [:]
        for case .entry(.string(let name), .variant(let value)) in entries { values[name] = value }
        return values
    }
}

import Foundation
import KeychainMessages
import KeychainModel

extension WireValue {
    init(_ value: AttributeValue) {
        self.init()
        body =
            switch value {
            case .string(let string): .string(string)
            case .data(let bytes): .data(Data(bytes))
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .date(let seconds): .date(seconds)
            }
    }
}

extension AttributeValue {
    /// - Throws: `invalidParameter` for a value of no type, or of a type that is unknown here.
    init(_ wire: WireValue) throws(KeychainError) {
        switch wire.body {
        case .string(let string): self = .string(string)
        case .data(let bytes): self = .data(Array(bytes))
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .date(let seconds): self = .date(seconds)
        case nil: throw KeychainError(.invalidParameter, "a message has an attribute without a value")
        }
    }
}

extension WireAttribute {
    init(_ key: AttributeKey, _ value: WireValue) {
        self.init()
        self.key = key.rawValue
        self.value = value
    }
}

extension AttributeList {
    var wire: [WireAttribute] { entries.map { WireAttribute($0.key, WireValue($0.value)) } }

    /// What a service says that an item has. It may be newer, and know attributes that are unknown here.
    init(ofItem wire: [WireAttribute]) throws(KeychainError) {
        self.init()
        for attribute in wire {
            try insert(try AttributeValue(attribute.value), for: AttributeKey(rawValue: attribute.key))
        }
    }

    /// What a request says: attributes that stand in its list, each once, in the form that the parser of dictionaries
    /// would give them.
    ///
    /// - Throws: `noSuchAttribute` for one that the class does not have; `invalidParameter` for one that has a place of its
    ///   own, and for a value that the attribute does not take; `dataTooLarge`.
    init(ofRequest wire: [WireAttribute], of itemClass: ItemClass) throws(KeychainError) {
        self.init()
        for wireAttribute in wire {
            let attribute = try Attribute(wireAttribute, of: itemClass)
            guard attribute.hasBlindColumn else { throw KeychainError.misplacedAttribute }
            try insert(try attribute.kind.coerce(AttributeValue(wireAttribute.value)), for: attribute.key)
        }
    }

    private mutating func insert(_ value: AttributeValue, for key: AttributeKey) throws(KeychainError) {
        guard self[key] == nil else { throw KeychainError.repeatedAttribute }
        self[key] = value
    }
}

extension Attribute {
    /// - Throws: `noSuchAttribute`.
    fileprivate init(_ wire: WireAttribute, of itemClass: ItemClass) throws(KeychainError) {
        guard let attribute = AttributeTable.attribute(AttributeKey(rawValue: wire.key), of: itemClass) else {
            throw KeychainError(.noSuchAttribute, "a request has an attribute that its class does not have")
        }
        self = attribute
    }
}

extension [AttributeKey: SecretBytes] {
    var wire: [WireAttribute] {
        sorted { $0.key < $1.key }.map { key, secret in
            var value = WireValue()
            value.data = secret.data
            return WireAttribute(key, value)
        }
    }

    /// What a service says that an item has.
    init(ofItem wire: [WireAttribute]) throws(KeychainError) {
        self = [:]
        for attribute in wire {
            guard case .data(let bytes) = attribute.value.body else {
                throw KeychainError(.invalidParameter, "a message has a secret that is no data")
            }
            try insert(SecretBytes(bytes), for: AttributeKey(rawValue: attribute.key))
        }
    }

    /// What a request says: the item's value, and the class's secret attributes.
    ///
    /// - Throws: as for its other attributes.
    init(ofRequest wire: [WireAttribute], of itemClass: ItemClass) throws(KeychainError) {
        self = [:]
        for wireAttribute in wire {
            guard case .data(let bytes) = wireAttribute.value.body else {
                throw KeychainError(.invalidParameter, "a request has a secret that is no data")
            }
            let key = AttributeKey(rawValue: wireAttribute.key)
            if key == .valueData {
                try insert(SecretBytes(bytes).asItemValue(), for: key)
                continue
            }
            let attribute = try Attribute(wireAttribute, of: itemClass)
            // The service alone computes the digest.
            guard attribute.flags.contains(.secret), !attribute.flags.contains(.managed) else {
                throw KeychainError.misplacedAttribute
            }
            guard case .data(let value) = try attribute.kind.coerce(AttributeValue.data(Array(bytes))) else {
                throw KeychainError(.invalidParameter, "a request has a secret that is no data")
            }
            try insert(SecretBytes(value), for: key)
        }
    }

    private mutating func insert(_ secret: SecretBytes, for key: AttributeKey) throws(KeychainError) {
        guard self[key] == nil else { throw KeychainError.repeatedAttribute }
        self[key] = secret
    }
}

extension SecretBytes {
    /// A copy of the bytes on their way through the socket.
    var data: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}

extension KeychainError {
    fileprivate static var misplacedAttribute: KeychainError {
        KeychainError(.invalidParameter, "a request has an attribute in a place where it cannot be")
    }

    fileprivate static var repeatedAttribute: KeychainError {
        KeychainError(.invalidParameter, "a message has an attribute twice")
    }
}

import Foundation

@_implementationOnly import KeychainModel

/// The objects that the dictionaries of a result have in common: the names of the attributes, and values that an item
/// has as the one before it had them, such as the access group.
@_implementationOnly
struct SharedObjects {
    @_implementationOnly
    private struct Attribute {
        let key: AttributeKey
        let name: NSString
        var value: AttributeValue
        var object: NSObject
    }

    private var attributes: [Attribute] = []
    /// Items mostly have the same attributes, in the same order: where the next one is expected.
    private var expected = 0
    private var accessControl: (control: AccessControl, name: NSString, value: SecAccessControl)?

    /// The name and the value of an attribute as objects.
    mutating func objects(for entry: AttributeList.Entry) -> (name: NSString, value: NSObject) {
        guard let index = index(of: entry.key) else {
            let new = Attribute(
                key: entry.key,
                name: KeyNames.name(of: entry.key),
                value: entry.value,
                object: entry.value.object
            )
            attributes.append(new)
            expected = attributes.count
            return (new.name, new.object)
        }
        expected = index + 1
        if attributes[index].value != entry.value {
            attributes[index].value = entry.value
            attributes[index].object = entry.value.object
        }
        return (attributes[index].name, attributes[index].object)
    }

    private func index(of key: AttributeKey) -> Int? {
        if expected < attributes.count, attributes[expected].key == key { return expected }
        return attributes.firstIndex { $0.key == key }
    }

    /// The same of an access control, which is no attribute.
    mutating func objects(for control: AccessControl) -> (name: NSString, value: SecAccessControl) {
        // Not only equal, which those are too that spell the same demands with other flags.
        if let shared = accessControl, shared.control.protection == control.protection,
            shared.control.flags == control.flags
        {
            return (shared.name, shared.value)
        }
        let new = (name: KeyNames.name(of: .accessControl), value: SecAccessControl(control))
        accessControl = (control, new.name, new.value)
        return new
    }
}

/// The names of the attributes as objects, made once: a result has a dozen of them.
@_implementationOnly
private enum KeyNames {
    // Immutable strings, written once.
    nonisolated(unsafe) private static let names: [AttributeKey: NSString] = Dictionary(
        ItemClass.allCases.flatMap(AttributeTable.attributes(of:)).map { ($0.key, $0.key.description as NSString) },
        uniquingKeysWith: { first, _ in first }
    )

    static func name(of key: AttributeKey) -> NSString {
        unsafe names[key] ?? key.description as NSString
    }
}

extension AttributeValue {
    /// The Foundation object that callers get. Booleans are integer numbers, as on Apple's systems.
    var object: NSObject {
        switch self {
        case .string(let string): string as NSString
        case .data(let bytes): NSData(copying: bytes)
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        }
    }
}

extension NSData {
    convenience init(copying bytes: [UInt8]) {
        // It copies at once, so that the pointer is not kept.
        unsafe self.init(bytes: bytes, length: bytes.count)
    }
}

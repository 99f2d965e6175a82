import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainModel

/// Gives the items that were found the shape that the `kSecReturn…` keys ask for
/// (https://developer.apple.com/documentation/security/item-return-result-keys).
@_implementationOnly
struct ResultBuilder {
    let itemClass: ItemClass
    let returns: ReturnSelection
    /// The result of an add shows less of the attributes, and the digest always.
    let isAddition: Bool

    /// The array of a search whose limit is not one. An item that has nothing to show is not in it.
    func array(for items: [FoundItem]) -> NSArray {
        let objects = items.compactMap(object(for:))
        // As with dictionaries: an array of `Any` would be cast back.
        return unsafe objects.withUnsafeBufferPointer { objects in
            unsafe objects.baseAddress.map { unsafe NSArray(objects: $0, count: objects.count) } ?? NSArray()
        }
    }

    /// One object if one thing is asked for, a dictionary if it is more or the attributes; nil where there is nothing.
    func object(for item: FoundItem) -> AnyObject? {
        switch returns {
        case []: nil
        case .data:
            if let data = data(of: item) { data } else { isAddition ? NSData() : nil }
        case .persistentReference: persistentReference(of: item)
        case .reference: reference(of: item)
        default: dictionary(for: item)
        }
    }

    private func data(of item: FoundItem) -> NSData? {
        item.secrets[.valueData].map(\.object)
    }

    /// Nil for passwords, which are no objects, and for a certificate's item whose data is no certificate.
    private func reference(of item: FoundItem) -> SecCertificate? {
        item.object.flatMap { object in
            unsafe SecCertificateCreateWithData(nil, object.withUnsafeBytes { unsafe Data($0) } as NSData)
        }
    }

    private func persistentReference(of item: FoundItem) -> NSData {
        NSData(copying: item.reference.bytes)
    }

    private func dictionary(for item: FoundItem) -> NSDictionary {
        var keys: [NSObject] = []
        var objects: [AnyObject] = []
        keys.reserveCapacity(item.attributes.count + 4)
        objects.reserveCapacity(item.attributes.count + 4)
        func put(_ key: NSString, _ object: NSObject) {
            keys.append(key)
            objects.append(object)
        }
        if returns.wantsAttributes {
            for entry in item.attributes.entries where shows(entry.key) {
                put(KeyNames.name(of: entry.key), entry.value.object)
            }
            put("accc", SecAccessControl(item.accessControl))
            if let data = item.certificate?.data {
                put("certdata", data.object)
            }
            if let tokenID = item.certificate?.tokenID { put("certtkid", tokenID.object) }
            if let sha1 = item.sha1, isAddition || returns.contains(.data) {
                put("sha1", NSData(copying: sha1))
            }
        }
        if returns.contains(.data) {
            for (key, secret) in item.secrets where key != .valueData {
                unsafe put(KeyNames.name(of: key), secret.withUnsafeBytes { unsafe Data($0) } as NSData)
            }
            if let data = data(of: item) { put("v_Data", data) }
        }
        if returns.contains(.persistentReference) { put("v_PersistentRef", persistentReference(of: item)) }
        if returns.contains(.reference) {
            put("class", itemClass.rawValue as NSString)
            if let reference = reference(of: item) { put("v_Ref", reference) }
        }
        // Straight from objects: in an array of `Any`, each would be cast back to one.
        return unsafe objects.withUnsafeBufferPointer { objects in
            unsafe keys.withUnsafeBufferPointer { keys in
                unsafe NSDictionary(objects: objects.baseAddress, forKeys: keys.baseAddress, count: keys.count)
            }
        }
    }

    private func shows(_ key: AttributeKey) -> Bool {
        !isAddition || AttributeTable.attribute(key, of: itemClass)?.flags.contains(.returned) ?? false
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
    fileprivate var object: NSObject {
        switch self {
        case .string(let string): string as NSString
        case .data(let bytes): NSData(copying: bytes)
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        }
    }
}

extension SecretBytes {
    fileprivate var object: NSData {
        unsafe withUnsafeBytes { bytes in
            unsafe NSData(bytes: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 16), length: bytes.count)
        }
    }
}

extension NSData {
    fileprivate convenience init(copying bytes: [UInt8]) {
        // It copies at once, so that the pointer is not kept.
        unsafe self.init(bytes: bytes, length: bytes.count)
    }
}

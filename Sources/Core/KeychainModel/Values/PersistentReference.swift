/// A reference that finds one item for as long as it exists (`kSecValuePersistentRef`).
///
/// 20 bytes: the four characters of the class and the 16 bytes of the item's UUID. The older form of 12 bytes (class and
/// row number) is understood, but no item of ours was ever given one, so it finds nothing.
package struct PersistentReference: Hashable, Sendable {
    package let itemClass: ItemClass
    /// Nil in a reference of the older form.
    package let uuid: ItemUUID?

    package init(itemClass: ItemClass, uuid: ItemUUID) {
        self.itemClass = itemClass
        self.uuid = uuid
    }

    /// Reads either form, or returns nil where the bytes are something else.
    package init?(_ bytes: [UInt8]) {
        guard let name = String(validating: bytes.prefix(4), as: UTF8.self),
            let itemClass = ItemClass(rawValue: name)
        else { return nil }
        self.itemClass = itemClass
        switch bytes.count {
        case 20: uuid = ItemUUID(bytes.dropFirst(4))
        case 12: uuid = nil
        default: return nil
        }
    }

    package var bytes: [UInt8] {
        Array(itemClass.rawValue.utf8) + (uuid?.bytes ?? [UInt8](repeating: 0, count: 8))
    }
}

/// The 16 random bytes that name an item for its life, whatever happens to its attributes.
package struct ItemUUID: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init() {
        // The kernel is asked for each word, so two words and not sixteen bytes.
        var generator = SystemRandomNumberGenerator()
        let words = (generator.next(), generator.next())
        bytes = unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
    }

    /// Nil unless there are 16 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    package var description: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

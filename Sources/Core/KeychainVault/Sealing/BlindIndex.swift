import Crypto
package import KeychainModel

/// A keyed digest by which rows are found and made unique without revealing what is in them.
///
/// The first 16 bytes of HMAC-SHA-256, under a key of the access group, over a version byte, the class, the attribute
/// and the value's canonical bytes.
package enum BlindIndex {
    package static let size = 16
    private static let version: UInt8 = 1

    /// Empty, as the column of an absent value is, where an empty text is the same as none.
    static func index(
        of value: AttributeValue,
        attribute: Attribute,
        itemClass: ItemClass,
        under key: GroupKey
    ) -> [UInt8] {
        if attribute.isOptionalPartOfPrimaryKey && value.byteCount == 0 { return [] }
        var input: [UInt8] = [version]
        input += itemClass.rawValue.utf8
        unsafe withUnsafeBytes(of: attribute.key.rawValue.bigEndian) { unsafe input.append(contentsOf: $0) }
        input += value.canonicalBytes(as: attribute.kind)
        return unsafe key.code(of: input).withUnsafeBytes { unsafe Array($0.prefix(size)) }
    }
}

/// The key of the blind indexes of one access group.
///
/// It is kept as what HMAC makes of it before any input: half the work of a short code, and a copy of the key left in
/// memory each time.
struct GroupKey: Sendable {
    private let start: HMAC<SHA256>

    init(_ key: SymmetricKey) {
        start = HMAC(key: key)
    }

    func code(of input: [UInt8]) -> HMAC<SHA256>.MAC {
        var code = start
        code.update(data: input)
        return code.finalize()
    }
}

/// A selection of rows of one access group, in terms of what the database can compare.
///
/// Only the vault makes it: it alone can compute blind indexes.
package struct BlindQuery: Sendable {
    package let itemClass: ItemClass
    package let accessGroup: String
    /// Nil for both kinds.
    package let isSynchronizable: Bool?
    package let findsTombstones: Bool
    package let accessibility: UInt8?
    package let uuid: ItemUUID?
    package let columns: [(key: AttributeKey, index: [UInt8])]
}

/// One attribute of an item class, with everything that the rest of the code derives from it.
package struct Attribute: Sendable {
    /// The name of the public constant, such as `kSecAttrAccount`; nil where there is none.
    package let constant: String?
    package let key: AttributeKey
    package let kind: AttributeKind
    package let flags: Flags
    /// What an absent value becomes on add, and nil where absent stays absent.
    package let defaultValue: AttributeValue?

    /// The parts that an attribute plays.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Part of the class's primary key.
        package static let primaryKey = Flags(rawValue: 1 << 0)
        /// Returned with `kSecReturnAttributes`.
        package static let returned = Flags(rawValue: 1 << 1)
        /// Sealed with the item's value and returned only with it.
        package static let secret = Flags(rawValue: 1 << 2)
        /// Stands in a column of its own, readable before any key is there, because policy needs it.
        package static let clear = Flags(rawValue: 1 << 3)
        /// Enters the item's SHA-1.
        package static let digested = Flags(rawValue: 1 << 4)
        /// People search by it: its blind column has a B-tree index of its own.
        package static let indexed = Flags(rawValue: 1 << 5)
        /// The service sets it; a caller's value is overwritten or refused.
        package static let managed = Flags(rawValue: 1 << 6)
    }

    /// Whether queries can filter by this attribute through a blind column: everything that is neither secret nor
    /// readable in a column of its own, nor an access control (which is never a filter).
    package var hasBlindColumn: Bool {
        flags.isDisjoint(with: [.secret, .clear]) && kind != .accessControl
    }

    /// Whether the primary key has this attribute without a default: then an empty text is the same as none.
    package var isOptionalPartOfPrimaryKey: Bool {
        flags.contains(.primaryKey) && defaultValue == nil
    }
}

/// How the values of an attribute are read from a caller's dictionary, and compared.
package enum AttributeKind: Sendable {
    /// Text; data is taken if it is UTF-8.
    case string
    /// Text, data or a number, kept as given; text and data of the same bytes are equal.
    case blob
    /// Bytes; text becomes its UTF-8 bytes.
    case data
    /// The normalised content of an X.509 name; a whole Name in DER becomes it, other data stays.
    case name
    /// A number; text that spells one becomes it, any other text stays.
    case number
    case date
    /// One of the storable accessibility classes.
    case accessible
    case accessControl
    /// Nothing or 16 bytes.
    case uuid
    /// 20 bytes.
    case sha1
    /// 0 or 1.
    case flag
}

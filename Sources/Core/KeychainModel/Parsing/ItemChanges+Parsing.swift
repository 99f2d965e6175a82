extension ItemChanges {
    /// Reads the second dictionary of `SecItemUpdate`, which takes attributes of the class and `kSecValueData` alone.
    init(_ entries: QueryParser.Entries, of itemClass: ItemClass) throws(KeychainError) {
        self.init()
        for (key, value) in entries {
            if key == "nleg" || key == AttributeKey.multiUser.description { continue }
            if let attribute = AttributeKey(key) {
                try take(attribute, value, of: itemClass)
            } else {
                try take(key, value)
            }
        }
        try accessControl?.requireAgreement(with: accessibility)
    }

    private mutating func take(_ name: String, _ value: QueryValue) throws(KeychainError) {
        switch (name, value) {
        case ("v_Data", .secret(let bytes)):
            secrets[.valueData] = try bytes.asItemValue()
        case _ where name.utf8.first == UInt8(ascii: "v"):
            throw KeychainError(.invalidParameter, "an update sets kSecValueData, to data, and no other value")
        default:
            throw KeychainError(.noSuchAttribute, "an update sets attributes and kSecValueData alone")
        }
    }

    private mutating func take(
        _ key: AttributeKey,
        _ value: QueryValue,
        of itemClass: ItemClass
    ) throws(KeychainError) {
        // What the service alone sets.
        guard key != .sharingGroup, key != .tombstone, key != .appClip else {
            throw KeychainError(.invalidParameter, "the attribute '\(key)' cannot be updated")
        }
        guard let attribute = AttributeTable.attribute(key, of: itemClass) else {
            throw KeychainError(.noSuchAttribute, "the class has no attribute '\(key)'")
        }
        if key == .accessControl {
            guard case .accessControl(let control) = value else {
                throw KeychainError(.invalidParameter, "kSecAttrAccessControl takes a SecAccessControl")
            }
            accessControl = control
            return
        }
        switch (key, try attribute.kind.coerce(value)) {
        case (.accessGroup, .string(let group)): accessGroup = group
        case (.accessible, .string(let name)): accessibility = Accessibility(rawValue: name)
        case (.synchronizable, .integer(let flag)): isSynchronizable = flag == 1
        // The service alone says when an item was changed, and what its digest is.
        case (.modificationDate, _), (.sha1, _): break
        case (_, .data(let bytes)) where attribute.flags.contains(.secret): secrets[key] = SecretBytes(bytes)
        case (_, let value): attributes[key] = value
        }
    }
}

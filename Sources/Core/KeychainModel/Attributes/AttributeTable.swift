/// Every attribute of every item class, declared once.
///
/// Parsing, coercion, defaults, the database's schema, blind columns, queries and results all derive from this table.
/// The constants and their values are those of Apple's page "Item attribute keys and values"
/// (https://developer.apple.com/documentation/security/item-attribute-keys-and-values).
package enum AttributeTable {
    /// The attributes of a class, in the order in which they are declared.
    ///
    /// An identity has the attributes of both its parts; where both have one, the key's stands.
    package static func attributes(of itemClass: ItemClass) -> [Attribute] {
        tables[itemClass]?.attributes ?? []
    }

    /// The attribute of a class that has the given key, or nil.
    package static func attribute(_ key: AttributeKey, of itemClass: ItemClass) -> Attribute? {
        tables[itemClass]?.byKey[key]
    }

    private struct Table: Sendable {
        let attributes: [Attribute]
        let byKey: [AttributeKey: Attribute]

        init(_ attributes: [Attribute]) {
            self.attributes = attributes
            byKey = Dictionary(attributes.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    private static let tables: [ItemClass: Table] = [
        .genericPassword: Table(common + genericPassword),
        .internetPassword: Table(common + internetPassword),
        .certificate: Table(common + certificate),
        .key: Table(common + key),
        .identity: Table(common + key + certificate),
    ]

    // MARK: - The rows

    private static let empty = AttributeValue.string("")
    private static let noBytes = AttributeValue.data([])
    private static let zero = AttributeValue.integer(0)
    /// 2001-01-01, the reference date.
    private static let epoch = AttributeValue.date(0)

    private static let common: [Attribute] = [
        row("kSecAttrAccessGroup", "agrp", .string, [.primaryKey, .clear]),
        // The default depends on the class: see `ItemClass.defaultAccessibility`.
        row("kSecAttrAccessible", "pdmn", .accessible, [.clear]),
        row("kSecAttrAccessControl", "accc", .accessControl, [.clear, .undigested]),
        row("kSecAttrSynchronizable", "sync", .flag, [.primaryKey, .clear], zero),
        row("kSecAttrCreationDate", "cdat", .date, [.managed]),
        row("kSecAttrModificationDate", "mdat", .date, [.managed]),
        row("kSecAttrLabel", "labl", .blob, [.indexed]),
        row("kSecAttrAlias", "alis", .blob),
        row("kSecAttrSyncViewHint", "vwht", .string, [.primaryKey]),
        row("kSecAttrTokenID", "tkid", .string, [.primaryKey]),
        row("kSecAttrSharingGroup", "ggrp", .string, [.primaryKey]),
        row("kSecAttrTombstone", "tomb", .flag, [.clear, .hidden], zero),
        row("kSecAttrMultiUser", "musr", .uuid, [.primaryKey, .hidden, .undigested], noBytes),
        row("kSecAttrSHA1", "sha1", .sha1, [.secret, .managed, .undigested]),
        row("kSecAttrSysBound", "sysb", .number),
        row("kSecAttrPCSPlaintextServiceIdentifier", "pcss", .number),
        row("kSecAttrPCSPlaintextPublicKey", "pcsk", .blob),
        row("kSecAttrPCSPlaintextPublicIdentity", "pcsi", .blob),
    ]

    private static let genericPassword: [Attribute] =
        [
            row("kSecAttrService", "svce", .blob, [.primaryKey], empty),
            row("kSecAttrAccount", "acct", .blob, [.primaryKey, .indexed], empty),
            row("kSecAttrGeneric", "gena", .blob),
        ] + password

    private static let internetPassword: [Attribute] =
        [
            row("kSecAttrServer", "srvr", .blob, [.primaryKey], empty),
            row("kSecAttrAccount", "acct", .blob, [.primaryKey, .indexed], empty),
            row("kSecAttrSecurityDomain", "sdmn", .blob, [.primaryKey], empty),
            row("kSecAttrProtocol", "ptcl", .number, [.primaryKey], zero),
            row("kSecAttrAuthenticationType", "atyp", .blob, [.primaryKey], empty),
            row("kSecAttrPort", "port", .number, [.primaryKey], zero),
            row("kSecAttrPath", "path", .blob, [.primaryKey], empty),
            row("kSecDataInetExtraNotes", "binn", .data, [.secret, .undigested]),
            row("kSecDataInetExtraHistory", "bini", .data, [.secret, .undigested]),
            row("kSecDataInetExtraClientDefined0", "bin0", .data, [.secret, .undigested]),
            row("kSecDataInetExtraClientDefined1", "bin1", .data, [.secret, .undigested]),
            row("kSecDataInetExtraClientDefined2", "bin2", .data, [.secret, .undigested]),
            row("kSecDataInetExtraClientDefined3", "bin3", .data, [.secret, .undigested]),
        ] + password

    /// What both kinds of password have.
    private static let password: [Attribute] = [
        row("kSecAttrDescription", "desc", .blob),
        row("kSecAttrComment", "icmt", .blob),
        row("kSecAttrCreator", "crtr", .number),
        row("kSecAttrType", "type", .number),
        row("kSecAttrScriptCode", "scrp", .number),
        row("kSecAttrIsInvisible", "invi", .number),
        row("kSecAttrIsNegative", "nega", .number),
        row("kSecAttrHasCustomIcon", "cusi", .number),
        row(nil, "prot", .blob),
    ]

    private static let certificate: [Attribute] = [
        row("kSecAttrIssuer", "issr", .name, [.primaryKey], noBytes),
        row("kSecAttrSerialNumber", "slnr", .data, [.primaryKey], noBytes),
        row("kSecAttrCertificateType", "ctyp", .number, [.primaryKey], zero),
        row("kSecAttrCertificateEncoding", "cenc", .number),
        row("kSecAttrSubject", "subj", .data, [.indexed]),
        row("kSecAttrSubjectKeyID", "skid", .data, [.indexed]),
        row("kSecAttrPublicKeyHash", "pkhh", .data, [.indexed]),
    ]

    private static let key: [Attribute] = [
        row("kSecAttrApplicationLabel", "klbl", .data, [.primaryKey], noBytes),
        row("kSecAttrApplicationTag", "atag", .blob, [.primaryKey, .indexed], empty),
        row("kSecAttrKeyClass", "kcls", .number, [.primaryKey], zero),
        row("kSecAttrKeyCreator", "crtr", .number, [.primaryKey], zero),
        row("kSecAttrKeyType", "type", .number, [.primaryKey], zero),
        row("kSecAttrKeySizeInBits", "bsiz", .number, [.primaryKey], zero),
        row("kSecAttrEffectiveKeySize", "esiz", .number, [.primaryKey], zero),
        row("kSecAttrStartDate", "sdat", .date, [.primaryKey], epoch),
        row("kSecAttrEndDate", "edat", .date, [.primaryKey], epoch),
        row("kSecAttrIsPermanent", "perm", .number),
        row("kSecAttrIsPrivate", "priv", .number),
        row("kSecAttrIsModifiable", "modi", .number),
        row("kSecAttrIsSensitive", "sens", .number),
        row("kSecAttrWasAlwaysSensitive", "asen", .number),
        row("kSecAttrIsExtractable", "extr", .number),
        row("kSecAttrWasNeverExtractable", "next", .number),
        row("kSecAttrCanEncrypt", "encr", .number),
        row("kSecAttrCanDecrypt", "decr", .number),
        row("kSecAttrCanDerive", "drve", .number),
        row("kSecAttrCanSign", "sign", .number),
        row("kSecAttrCanVerify", "vrfy", .number),
        row("kSecAttrCanSignRecover", "snrc", .number),
        row("kSecAttrCanVerifyRecover", "vyrc", .number),
        row("kSecAttrCanWrap", "wrap", .number),
        row("kSecAttrCanUnwrap", "unwp", .number),
    ]

    // MARK: - Reading a row

    /// A row's notes: the flags that are not the rule, written out, and the two exceptions to what is the rule.
    private struct Notes: OptionSet {
        let rawValue: UInt32

        static let primaryKey = Notes(flags: .primaryKey)
        static let secret = Notes(flags: .secret)
        static let clear = Notes(flags: .clear)
        static let indexed = Notes(flags: .indexed)
        static let managed = Notes(flags: .managed)
        /// Not returned with the attributes of an add.
        static let hidden = Notes(rawValue: 1 << 16)
        /// Not part of the item's SHA-1.
        static let undigested = Notes(rawValue: 1 << 17)

        init(rawValue: UInt32) { self.rawValue = rawValue }
        init(flags: Attribute.Flags) { rawValue = UInt32(flags.rawValue) }

        var flags: Attribute.Flags {
            var flags = Attribute.Flags(rawValue: UInt16(truncatingIfNeeded: rawValue))
            if isDisjoint(with: [.hidden, .secret]) { flags.insert(.returned) }
            if !contains(.undigested) { flags.insert(.digested) }
            return flags
        }
    }

    private static func row(
        _ constant: String?,
        _ key: AttributeKey,
        _ kind: AttributeKind,
        _ notes: Notes = [],
        _ defaultValue: AttributeValue? = nil
    ) -> Attribute {
        Attribute(constant: constant, key: key, kind: kind, flags: notes.flags, defaultValue: defaultValue)
    }
}

extension ItemClass {
    /// The accessibility of an item that names none: certificates are always readable, all else while unlocked.
    package var defaultAccessibility: Accessibility {
        self == .certificate ? .always : .whenUnlocked
    }

    /// The same in an access group: what push notifications need is readable at any time, and stays on the device.
    package func defaultAccessibility(in accessGroup: String) -> Accessibility {
        accessGroup == "com.apple.apsd" ? .alwaysThisDeviceOnly : defaultAccessibility
    }
}

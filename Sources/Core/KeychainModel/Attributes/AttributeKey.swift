/// The four-character name under which an attribute is stored and returned, such as `acct`.
package struct AttributeKey: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The four bytes, the first one highest.
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The key that a string spells, if it has exactly four bytes.
    package init?(_ string: String) {
        var value: UInt32 = 0
        var count = 0
        for byte in string.utf8 {
            count += 1
            guard count <= 4 else { return nil }
            value = value << 8 | UInt32(byte)
        }
        guard count == 4 else { return nil }
        rawValue = value
    }

    /// A literal in our own tables; one that is not four characters long stops the first test that touches it.
    package init(stringLiteral value: StaticString) {
        let text = value.description
        precondition(text.utf8.count == 4, "an attribute's key has four characters")
        rawValue = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    package static func < (left: AttributeKey, right: AttributeKey) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String {
        unsafe withUnsafeBytes(of: rawValue.bigEndian) { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension AttributeKey {
    // The attributes that the code speaks of by name; all others are only rows of the table.
    package static let accessGroup: AttributeKey = "agrp"
    package static let accessible: AttributeKey = "pdmn"
    package static let accessControl: AttributeKey = "accc"
    package static let synchronizable: AttributeKey = "sync"
    package static let tombstone: AttributeKey = "tomb"
    package static let multiUser: AttributeKey = "musr"
    package static let sharingGroup: AttributeKey = "ggrp"
    package static let creationDate: AttributeKey = "cdat"
    package static let modificationDate: AttributeKey = "mdat"
    package static let sha1: AttributeKey = "sha1"
    package static let uuid: AttributeKey = "UUID"
    package static let account: AttributeKey = "acct"
    package static let service: AttributeKey = "svce"
    /// Bytes of a generic password for a program's own use (`kSecAttrGeneric`).
    package static let generic: AttributeKey = "gena"
    package static let server: AttributeKey = "srvr"
    package static let networkProtocol: AttributeKey = "ptcl"
    package static let port: AttributeKey = "port"
    package static let path: AttributeKey = "path"
    package static let securityDomain: AttributeKey = "sdmn"
    package static let authenticationType: AttributeKey = "atyp"
    package static let label: AttributeKey = "labl"
    package static let kindText: AttributeKey = "desc"
    package static let comment: AttributeKey = "icmt"
    /// Sealed with an internet password's value, for a program's own use (`kSecDataInetExtraClientDefined0`).
    package static let clientDefined0: AttributeKey = "bin0"
    package static let tokenID: AttributeKey = "tkid"
    /// Whether an item belongs to the system that it is on, and so stays out of backups (`kSecAttrSysBound`).
    package static let systemBound: AttributeKey = "sysb"
    package static let issuer: AttributeKey = "issr"
    package static let serialNumber: AttributeKey = "slnr"
    package static let subject: AttributeKey = "subj"
    package static let subjectKeyID: AttributeKey = "skid"
    /// SHA-1 of a certificate's public key: equal to the application label of the key that belongs to it.
    package static let publicKeyHash: AttributeKey = "pkhh"
    package static let certificateType: AttributeKey = "ctyp"
    package static let certificateEncoding: AttributeKey = "cenc"
    package static let applicationLabel: AttributeKey = "klbl"
    package static let applicationTag: AttributeKey = "atag"
    package static let keyClass: AttributeKey = "kcls"
    /// A key's algorithm. A password's `kSecAttrType` has the same key.
    package static let keyType: AttributeKey = "type"
    package static let keySizeInBits: AttributeKey = "bsiz"
    package static let effectiveKeySize: AttributeKey = "esiz"
    package static let isPermanent: AttributeKey = "perm"
    package static let isPrivate: AttributeKey = "priv"
    package static let isModifiable: AttributeKey = "modi"
    package static let isSensitive: AttributeKey = "sens"
    package static let wasAlwaysSensitive: AttributeKey = "asen"
    package static let isExtractable: AttributeKey = "extr"
    package static let wasNeverExtractable: AttributeKey = "next"
    package static let canEncrypt: AttributeKey = "encr"
    package static let canDecrypt: AttributeKey = "decr"
    package static let canDerive: AttributeKey = "drve"
    package static let canSign: AttributeKey = "sign"
    package static let canVerify: AttributeKey = "vrfy"
    package static let canSignRecover: AttributeKey = "snrc"
    package static let canVerifyRecover: AttributeKey = "vyrc"
    package static let canWrap: AttributeKey = "wrap"
    package static let canUnwrap: AttributeKey = "unwp"
    package static let appClip: AttributeKey = "clip"
    /// The item's value (`kSecValueData`), which is no attribute but travels with the secret ones.
    package static let valueData: AttributeKey = "data"
}

import Crypto
package import KeychainModel

/// The form of an item among the devices of one person: that of a backup, without the item's UUID and its modification date.
/// Each device has UUIDs of its own, and the date is the stamp of the record that the item is in. There is exactly one
/// encoding of an item.
///
/// `docs/formats/sync.md` says where it is, `docs/formats/backup.md` gives every byte.
package enum SyncItemCodec {
    private static let className = 4
    private static let uuidSize = 16
    private static let identityVersion: UInt8 = 1
    /// 2001-01-01 00:00:00 UTC, in seconds since 1970.
    private static let referenceDate = 978_307_200.0

    package static func encode(_ item: BackupItem) -> SecretBytes {
        var attributes = item.attributes
        attributes[.modificationDate] = nil
        var bytes = BackupItemCodec.encode(item.with(attributes))
        bytes.removeSubrange(className..<(className + uuidSize))
        return SecretBytes(bytes)
    }

    /// - Parameters:
    ///   - uuid: of the item on this device.
    ///   - stamp: of the record, in milliseconds since 1970.
    /// - Returns: nil where the bytes are not the one encoding of some item.
    package static func decode(_ bytes: SecretBytes, uuid: ItemUUID, stamp: UInt64) -> BackupItem? {
        guard bytes.count >= className else { return nil }
        let whole = unsafe SecretBytes(count: bytes.count + uuidSize) { target in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe target.copyBytes(from: bytes.prefix(className))
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[className...]).copyBytes(from: uuid.bytes)
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[(className + uuidSize)...]).copyBytes(
                    from: bytes.dropFirst(className)
                )
            }
        }
        let decoded = unsafe whole.withUnsafeBytes { unsafe BackupItemCodec.decode($0) }
        guard let item = decoded, item.attributes[.modificationDate] == nil else { return nil }
        var attributes = item.attributes
        attributes[.modificationDate] = .date(Double(stamp) / 1_000 - referenceDate)
        return item.with(attributes)
    }

    /// The stamp of an item that was changed at its modification date. Dates before 1970 are as old as that.
    package static func stamp(of item: BackupItem) -> UInt64 { stamp(of: item.attributes) }

    package static func stamp(of attributes: AttributeList) -> UInt64 {
        guard case .date(let seconds) = attributes[.modificationDate] else { return 0 }
        let milliseconds = ((seconds + referenceDate) * 1_000).rounded()
        return milliseconds > 0 ? UInt64(exactly: milliseconds) ?? .max : 0
    }

    /// SHA-256 of the encoding. Of two items of one time the one with the smaller digest is current, on all devices alike.
    package static func digest(of item: BackupItem) -> [UInt8] {
        let bytes = encode(item)
        return unsafe bytes.withUnsafeBytes { unsafe Array(SHA256.hash(data: $0)) }
    }

    /// What an item's name among devices is made from: its class and its primary key. Two items have the same if, and only if,
    /// one keychain cannot have both.
    ///
    /// The version (1), the class (4), the access group, and of each attribute of the primary key, in the order of the table, its
    /// code (4) and its canonical bytes: nothing where it is not set, or is an empty text that means the same.
    package static func identity(
        of itemClass: ItemClass,
        accessGroup: String,
        attributes: AttributeList
    ) -> [UInt8] {
        var bytes = [identityVersion] + itemClass.rawValue.utf8
        func put(_ field: some Collection<UInt8>) {
            bytes.append(number: UInt32(truncatingIfNeeded: field.count))
            bytes += field
        }
        put(accessGroup.utf8)
        for attribute in AttributeTable.attributes(of: itemClass)
        where attribute.flags.contains(.primaryKey) && attribute.hasBlindColumn {
            bytes.append(number: attribute.key.rawValue)
            let value = attributes[attribute.key] ?? attribute.defaultValue
            let isNone = attribute.isOptionalPartOfPrimaryKey && value?.byteCount == 0
            put(isNone ? [] : value?.canonicalBytes(as: attribute.kind) ?? [])
        }
        return bytes
    }

    package static func identity(of item: BackupItem) -> [UInt8] {
        identity(of: item.itemClass, accessGroup: item.accessGroup, attributes: item.attributes)
    }
}

extension BackupItem {
    fileprivate func with(_ attributes: AttributeList) -> BackupItem {
        BackupItem(
            itemClass: itemClass,
            uuid: uuid,
            accessGroup: accessGroup,
            accessibility: accessibility,
            accessControl: accessControl,
            isSynchronizable: isSynchronizable,
            attributes: attributes,
            secrets: secrets
        )
    }
}

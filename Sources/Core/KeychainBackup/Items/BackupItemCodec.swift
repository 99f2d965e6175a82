package import KeychainModel

/// The form of an item in a backup. There is exactly one encoding of an item, and the decoder takes no other.
///
/// `docs/formats/backup.md` gives every byte.
package enum BackupItemCodec {
    private static let synchronizable: UInt8 = 1

    package static func encode(_ item: BackupItem) -> [UInt8] {
        var bytes = Array(item.itemClass.rawValue.utf8) + item.uuid.bytes
        bytes.append(item.accessibility.code)
        bytes.append(item.isSynchronizable ? synchronizable : 0)
        func put(_ field: some Collection<UInt8>) {
            bytes.append(number: UInt32(truncatingIfNeeded: field.count))
            bytes += field
        }
        put(item.accessGroup.utf8)
        put(item.accessControl.serialized)
        put(AttributeCodec.encode(item.attributes))
        for (key, value) in item.secrets.sorted(by: { $0.key < $1.key }) {
            bytes.append(number: key.rawValue)
            unsafe value.withUnsafeBytes { unsafe put($0) }
        }
        return bytes
    }

    /// - Returns: nil where the bytes are not the one encoding of some item.
    package static func decode(_ bytes: some Collection<UInt8>) -> BackupItem? {
        unsafe Array(bytes).withUnsafeBytes { (bytes) -> BackupItem? in
            var reader = unsafe ByteReader(bytes)
            func field() -> [UInt8]? { reader.bigEndian(4).flatMap { reader.bytes(Int($0)) } }
            guard let name = reader.string(4), let itemClass = ItemClass(rawValue: name),
                ItemClass.stored.contains(itemClass), let uuid = reader.bytes(16).flatMap({ ItemUUID($0) }),
                let accessibility = reader.byte().flatMap({ Accessibility(code: $0) }), let flags = reader.byte(),
                flags & ~synchronizable == 0, let group = field().flatMap({ String(validating: $0, as: UTF8.self) }),
                let accessControl = field().flatMap({ AccessControl(serialized: $0, accessibility: accessibility) }),
                let attributes = field().flatMap({ field in
                    unsafe field.withUnsafeBytes { unsafe AttributeCodec.decode($0) }
                })
            else { return nil }
            var secrets: [AttributeKey: SecretBytes] = [:]
            var last: UInt64?
            while !reader.isAtEnd {
                guard let key = reader.bigEndian(4), last.map({ $0 < key }) ?? true, let count = reader.bigEndian(4),
                    let value = reader.secret(Int(count))
                else { return nil }
                secrets[AttributeKey(rawValue: UInt32(truncatingIfNeeded: key))] = value
                last = key
            }
            return BackupItem(
                itemClass: itemClass,
                uuid: uuid,
                accessGroup: group,
                accessibility: accessibility,
                accessControl: accessControl,
                isSynchronizable: flags & synchronizable != 0,
                attributes: attributes,
                secrets: secrets
            )
        }
    }
}

import Crypto
import EnclaveInterface
package import KeychainModel

/// A piece of what a keychain knows of its circle, sealed. The store takes in no other.
package struct CirclePiece: Sendable {
    package let key: [UInt8]
    package let value: [UInt8]

    init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// Says that a row, in one of its versions, is what the circle knows under a name.
package struct SharedMark: Sendable, Equatable {
    package let itemClass: ItemClass
    package let uuid: ItemUUID
    package let version: [UInt8]
    /// The item's name in the circle, 32 bytes.
    package let name: [UInt8]
    package let code: [UInt8]

    /// What the database has: it says nothing before the vault has compared the code.
    package init(
        itemClass: ItemClass,
        uuid: ItemUUID,
        version: [UInt8],
        name: [UInt8],
        code: [UInt8]
    ) {
        self.itemClass = itemClass
        self.uuid = uuid
        self.version = version
        self.name = name
        self.code = code
    }
}

/// Says that a row was removed by a program, and is not missing because of damage.
package struct GoneMark: Sendable, Equatable {
    package let itemClass: ItemClass
    package let uuid: ItemUUID
    /// Milliseconds since 1970.
    package let time: Int64
    package let code: [UInt8]

    /// What the database has: it says nothing before the vault has compared the code.
    package init(itemClass: ItemClass, uuid: ItemUUID, time: Int64, code: [UInt8]) {
        self.itemClass = itemClass
        self.uuid = uuid
        self.time = time
        self.code = code
    }
}

extension KeychainVault {
    // MARK: - Pieces

    /// The class whose keys seal what is known of the circle. It has digests of items, by which their values could be guessed, and is
    /// needed while the device is locked.
    package static let circleClass = Accessibility.afterFirstUnlock

    /// - Throws: `interactionNotAllowed` before the first unlock.
    package func seal(circlePiece value: [UInt8], key: [UInt8]) throws(KeychainError) -> CirclePiece {
        guard let newest = try keys.metadataKeys(for: Self.circleClass).first else { throw Self.damaged }
        return CirclePiece(
            key: key,
            value: try Cipher.seal(value, under: newest, authenticating: circleData(of: key))
        )
    }

    /// - Returns: nil for what was not sealed so.
    /// - Throws: `interactionNotAllowed` before the first unlock.
    package func open(circlePiece value: [UInt8], key: [UInt8]) throws(KeychainError) -> [UInt8]? {
        let data = circleData(of: key)
        return try keys.metadataKeys(for: Self.circleClass).lazy
            .compactMap { Cipher.open(value, under: $0, authenticating: data) }.first.map { Array($0) }
    }

    /// A piece under the newest key.
    ///
    /// - Returns: nil where there is nothing to do, and where it does not open.
    package func renew(circlePiece value: [UInt8], key: [UInt8]) throws(KeychainError) -> CirclePiece? {
        let data = circleData(of: key)
        guard let newest = try keys.metadataKeys(for: Self.circleClass).first,
            Cipher.open(value, under: newest, authenticating: data) == nil,
            let plaintext = try open(circlePiece: value, key: key)
        else { return nil }
        return try seal(circlePiece: plaintext, key: key)
    }

    private func circleData(of key: [UInt8]) -> [UInt8] {
        Array("chatelaine circle 1".utf8) + keys.keychain.bytes + key
    }

    // MARK: - Marks

    /// - Parameter name: 32 bytes.
    package func sharedMark(of row: SealedRow, name: [UInt8]) -> SharedMark {
        SharedMark(
            itemClass: row.itemClass,
            uuid: row.uuid,
            version: row.version,
            name: name,
            code: code(of: row.itemClass, row.uuid, row.version + name, as: "chatelaine shared 1")
        )
    }

    /// Nil for a row that no circle knows of.
    ///
    /// - Parameter now: in seconds since 2001-01-01.
    package func goneMark(of row: SealedRow, now: Double) -> GoneMark? {
        guard row.isSynchronizable else { return nil }
        let time = Int64(((now + 978_307_200) * 1_000).rounded())
        return GoneMark(
            itemClass: row.itemClass,
            uuid: row.uuid,
            time: time,
            code: code(of: row.itemClass, row.uuid, Self.bytes(of: time), as: "chatelaine gone 1")
        )
    }

    private static func bytes(of time: Int64) -> [UInt8] {
        unsafe withUnsafeBytes(of: time.bigEndian) { unsafe Array($0) }
    }

    package func isAuthentic(_ mark: SharedMark) -> Bool {
        let code = code(of: mark.itemClass, mark.uuid, mark.version + mark.name, as: "chatelaine shared 1")
        return mark.version.count == 16 && mark.name.count == 32 && mark.code == code
    }

    package func isAuthentic(_ mark: GoneMark) -> Bool {
        mark.code == code(of: mark.itemClass, mark.uuid, Self.bytes(of: mark.time), as: "chatelaine gone 1")
    }

    private func code(of itemClass: ItemClass, _ uuid: ItemUUID, _ rest: [UInt8], as purpose: String) -> [UInt8] {
        var code = HMAC<SHA256>(key: keys.headerKey)
        code.update(data: Array(purpose.utf8))
        code.update(data: keys.keychain.bytes)
        code.update(data: Array(itemClass.rawValue.utf8))
        code.update(data: uuid.bytes)
        code.update(data: rest)
        return Array(code.finalize())
    }
}

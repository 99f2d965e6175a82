import KeychainModel

/// Requests with as much in them as they can have.
enum Samples {
    /// A value that an attribute takes as it is.
    static func value(for attribute: Attribute) -> AttributeValue? {
        switch attribute.kind {
        case .string: .string("Gölden 🗝")
        case .blob: .real(0.5)
        case .data: .data([0, 1, 255])
        case .name: .data([0x31, 0])
        case .number: .integer(-443)
        case .date: .date(-0.25)
        case .uuid: .data([UInt8](repeating: 7, count: 16))
        case .flag: .integer(1)
        case .accessible, .accessControl, .sha1: nil
        }
    }

    static func attributes(of itemClass: ItemClass, but exceptions: Set<AttributeKey> = []) -> AttributeList {
        var list = AttributeList()
        for attribute in AttributeTable.attributes(of: itemClass)
        where attribute.hasBlindColumn && !exceptions.contains(attribute.key) {
            list[attribute.key] = value(for: attribute)
        }
        return list
    }

    static func secrets(of itemClass: ItemClass) -> [AttributeKey: SecretBytes] {
        var secrets: [AttributeKey: SecretBytes] = [.valueData: SecretBytes([0, 1, 2])]
        for attribute in AttributeTable.attributes(of: itemClass)
        where attribute.flags.contains(.secret) && !attribute.flags.contains(.managed) {
            secrets[attribute.key] = SecretBytes([])
        }
        return secrets
    }

    static func add(_ itemClass: ItemClass = .genericPassword) -> AddRequest {
        var request = AddRequest(itemClass: itemClass)
        request.attributes = attributes(of: itemClass)
        request.accessGroup = "TEAM.group"
        request.accessControl = try? AccessControl(
            protection: "aku",
            flags: [.userPresence, AccessControlFlags(rawValue: 1 << 40)]
        )
        request.isSynchronizable = true
        request.secrets = secrets(of: itemClass)
        request.returns = [.data, .persistentReference]
        request.authentication.ui = .fail
        request.authentication.applicationPassword = SecretBytes(Array("of an add".utf8))
        return request
    }

    static func query(_ itemClass: ItemClass = .genericPassword) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.filters = attributes(of: itemClass)
        query.accessGroup = ""
        query.accessibility = .afterFirstUnlock
        query.synchronizable = .only(true)
        query.findsTombstones = true
        query.sha1 = [UInt8](repeating: 3, count: 20)
        return query
    }

    static func find(_ itemClass: ItemClass = .genericPassword) -> FindRequest {
        var request = FindRequest(query: query(itemClass))
        request.returns = [.attributes, .reference]
        request.authentication.ui = .skip
        request.authentication.applicationPassword = SecretBytes(Array("of a search".utf8))
        request.authentication.reuse = UnlockReuse(milliseconds: .max)
        request.authentication.isOwners = true
        return request
    }

    static func update(_ itemClass: ItemClass = .genericPassword) -> UpdateRequest {
        var request = UpdateRequest(query: query(itemClass))
        request.changes.attributes = attributes(of: itemClass, but: [.sharingGroup, .multiUser, .modificationDate])
        request.changes.accessGroup = "other"
        request.changes.accessibility = .always
        request.changes.isSynchronizable = false
        request.changes.secrets = secrets(of: itemClass)
        request.keepsEarlier = true
        request.authentication.applicationPassword = SecretBytes(Array("of a change".utf8))
        return request
    }

    static func delete(_ itemClass: ItemClass = .genericPassword) -> DeleteRequest {
        var request = DeleteRequest(query: query(itemClass))
        request.leavesTombstone = false
        request.keepsEarlier = true
        request.authentication.isOwners = true
        request.authentication.prompt.reason = "of a deletion"
        return request
    }

    static let identity = FoundItem(
        reference: PersistentReference(itemClass: .identity, uuid: ItemUUID()),
        attributes: attributes(of: .identity),
        accessControl: AccessControl(bare: .always),
        secrets: secrets(of: .internetPassword),
        object: SecretBytes([9, 9]),
        sha1: [UInt8](repeating: 1, count: 20),
        certificate: IdentityCertificate(data: SecretBytes([1]), tokenID: .string("token"))
    )

    /// One of each kind.
    static let privateKeys: [EnclaveKey] = EnclaveKey.Kind.allCases.compactMap { kind in
        let header = EnclaveKey.Header(
            keychain: ItemUUID(),
            accessGroup: "TEAM.group",
            accessControl: AccessControl(bare: .always)
        )
        // P-256's own point (FIPS 186-4, D.1.2.3).
        let point =
            "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
            + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        let places = stride(from: 0, to: point.count, by: 2)
        let bytes =
            kind.algorithm == .p256
            ? places.compactMap { UInt8(point.dropFirst($0).prefix(2), radix: 16) }
            : [UInt8](repeating: 9, count: kind.algorithm.publicKeySize)
        guard let header, let publicKey = EnclavePublicKey(bytes, of: kind.algorithm) else { return nil }
        return EnclaveKey(header: header, kind: kind, publicKey: publicKey, box: [1, 2], content: [3])
    }

    static let plain = FoundItem(
        reference: PersistentReference(itemClass: .genericPassword, uuid: ItemUUID()),
        attributes: AttributeList(),
        accessControl: AccessControl(bare: .whenUnlocked),
        secrets: [:],
        sha1: nil
    )

    static func item(ofSize size: Int) -> FoundItem {
        FoundItem(
            reference: PersistentReference(itemClass: .genericPassword, uuid: ItemUUID()),
            attributes: AttributeList(),
            accessControl: AccessControl(bare: .whenUnlocked),
            secrets: [.valueData: SecretBytes([UInt8](repeating: 1, count: size))],
            sha1: nil
        )
    }
}

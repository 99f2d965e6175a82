import KeychainClient
import KeychainModel
import SSHAgentProtocol

/// The agent's keys in the keychain: those of the Secure Enclave are key items, all others generic passwords. No other
/// program has the access group that they are in.
enum AgentKeychain {
    /// The application tag of key items.
    private static let tag = AttributeValue.string("ssh")
    /// The service of generic passwords.
    private static let service = AttributeValue.string("chatelaine-ssh-agent")
    /// Lists have to fit into a message.
    private static let mostKeys = 64

    /// All of them, the oldest first.
    static func keys() throws(KeychainError) -> [KeptKey] {
        try enclaveKeys() + itemKeys()
    }

    private static func enclaveKeys() throws(KeychainError) -> [KeptKey] {
        var query = ItemQuery(itemClass: .key)
        query.filters["atag"] = tag
        query.filters[.tokenID] = .string(EnclaveKey.tokenID)
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = [.attributes, .data]
        request.authentication.ui = .skip
        return try CurrentKeychain.service().find(request).sorted(by: isOlder).compactMap { item in
            guard let bytes = item.secrets[.valueData]?.copied, let key = EnclaveKey(bytes),
                key.publicKey.algorithm == .p256
            else { return nil }
            return KeptKey(
                stored: StoredKey(
                    publicKey: SSHPublicKey(.ecdsa(.p256, point: key.publicKey.externalRepresentation)),
                    comment: item.text(.label),
                    isInEnclave: true,
                    asksOwner: key.header.accessControl.keyUseDemand != .nothing
                ),
                reference: item.reference,
                itemClass: .key,
                half: .inEnclave(key)
            )
        }
    }

    private static func itemKeys() throws(KeychainError) -> [KeptKey] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["svce"] = service
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = .attributes
        request.authentication.ui = .skip
        return try CurrentKeychain.service().find(request).sorted(by: isOlder).compactMap { item in
            guard case .data(let blob) = item.attributes["gena"], let key = try? SSHPublicKey(blob) else { return nil }
            return KeptKey(
                stored: StoredKey(
                    publicKey: key,
                    comment: item.text(.label),
                    isInEnclave: false,
                    asksOwner: item.accessControl.demand != .nothing
                ),
                reference: item.reference,
                itemClass: .genericPassword,
                half: .inItem
            )
        }
    }

    private static func isOlder(_ left: FoundItem, _ right: FoundItem) -> Bool {
        guard case .date(let first) = left.attributes[.creationDate],
            case .date(let second) = right.attributes[.creationDate]
        else { return false }
        return first < second
    }

    // MARK: - Changes

    /// Makes a key in the Secure Enclave.
    static func create(comment: String, _ protection: KeyProtection) throws(KeychainError) -> SSHPublicKey {
        try requireRoom()
        var making = MakeKeyRequest()
        making.accessControl = try AccessControl(
            protection: protection.accessibility.rawValue,
            flags: protection.asksOwner ? [.privateKeyUsage, .userPresence] : .privateKeyUsage
        )
        let keychain = try CurrentKeychain.service()
        let key = try keychain.makeKey(making)
        guard let point = key.publicKey.point else { throw OperationResult.unexpected }
        let derived = DerivedAttributes(enclaveKey: key, of: point)
        var request = AddRequest(itemClass: .key)
        for (name, value) in derived.all { request.attributes[name] = value }
        request.attributes["atag"] = tag
        request.attributes[.label] = .string(comment)
        request.accessGroup = key.header.accessGroup
        request.accessControl = key.header.accessControl
        request.secrets[.valueData] = derived.data
        _ = try keychain.add(request)
        return SSHPublicKey(.ecdsa(.p256, point: key.publicKey.externalRepresentation))
    }

    /// Stores a private key.
    ///
    /// - Throws: `duplicateItem` where it is stored already.
    static func store(_ key: SSHPrivateKey, comment: String, _ protection: KeyProtection) throws(KeychainError) {
        try requireRoom()
        let plain = key.publicKey.plain
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["svce"] = service
        request.attributes["acct"] = .string(plain.fingerprint)
        request.attributes["gena"] = .data(plain.blob)
        request.attributes[.label] = .string(comment)
        if protection.asksOwner {
            request.accessControl = try AccessControl(
                protection: protection.accessibility.rawValue,
                flags: .userPresence
            )
        } else {
            request.accessibility = protection.accessibility
        }
        request.secrets[.valueData] = key.serialized
        _ = try CurrentKeychain.service().add(request)
    }

    static func delete(_ key: KeptKey) throws(KeychainError) {
        _ = try CurrentKeychain.service().delete(DeleteRequest(query: key.query))
    }

    private static func requireRoom() throws(KeychainError) {
        guard try keys().count < mostKeys else {
            throw KeychainError(.dataTooLarge, "the keychain has \(mostKeys) ssh keys already; delete one first")
        }
    }
}

/// When a key can be used.
struct KeyProtection {
    /// Whether its owner proves their presence at each use.
    let asksOwner: Bool
    /// Whether it can be used while the keychain is locked, after it was unlocked once.
    let worksWhileLocked: Bool

    var accessibility: Accessibility {
        worksWhileLocked ? .afterFirstUnlockThisDeviceOnly : .whenUnlockedThisDeviceOnly
    }
}

extension FoundItem {
    fileprivate func text(_ key: AttributeKey) -> String {
        switch attributes[key] {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self) ?? ""
        default: ""
        }
    }
}

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
    static let lockedAdvice = "the keychain is locked; only keys that were kept for that can be used"
    /// Lists have to fit into a message.
    private static let mostKeys = 64

    /// All of them, the oldest first.
    ///
    /// - Throws: where the keychain is locked for one of them.
    static func keys() throws(KeychainError) -> [KeptKey] { try keys(of: nil) }

    /// Those that can be used now: of a locked keychain, what is kept for that.
    static func usableKeys() throws(KeychainError) -> (keys: [KeptKey], isLocked: Bool) {
        do throws(KeychainError) {
            return (try keys(), false)
        } catch {
            guard error.code == .interactionNotAllowed else { throw error }
            // One key of another accessibility has the whole search refused.
            return (try keys(of: KeyProtection.whileLocked), true)
        }
    }

    private static func keys(of accessibility: Accessibility?) throws(KeychainError) -> [KeptKey] {
        try enclaveKeys(accessibility) + itemKeys(accessibility)
    }

    private static func enclaveKeys(_ accessibility: Accessibility?) throws(KeychainError) -> [KeptKey] {
        var query = ItemQuery(itemClass: .key)
        query.accessibility = accessibility
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
                    comment: comment(of: item),
                    isInEnclave: true,
                    asksOwner: key.header.accessControl.keyUseDemand != .nothing
                ),
                reference: item.reference,
                itemClass: .key,
                half: .inEnclave(key)
            )
        }
    }

    private static func itemKeys(_ accessibility: Accessibility?) throws(KeychainError) -> [KeptKey] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.accessibility = accessibility
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
                    comment: comment(of: item),
                    isInEnclave: false,
                    asksOwner: item.accessControl.demand != .nothing
                ),
                reference: item.reference,
                itemClass: .genericPassword,
                half: .inItem(item.reference)
            )
        }
    }

    static func isOlder(_ left: FoundItem, _ right: FoundItem) -> Bool {
        guard case .date(let first) = left.attributes[.creationDate],
            case .date(let second) = right.attributes[.creationDate]
        else { return false }
        return first < second
    }

    /// What an item is called.
    static func comment(of item: FoundItem) -> SSHComment {
        switch item.attributes[.label] {
        case .string(let text): SSHComment(text: text)
        case .data(let bytes): SSHComment(bytes) ?? ""
        default: ""
        }
    }

    /// The label of an item that is called so.
    static func label(_ comment: SSHComment) -> AttributeValue {
        String(validating: comment.bytes, as: UTF8.self).map { .string($0) } ?? .data(comment.bytes)
    }

    // MARK: - Changes

    /// Makes a key in the Secure Enclave.
    static func create(comment: SSHComment, _ protection: KeyProtection) throws(KeychainError) -> SSHPublicKey {
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
        request.attributes[.label] = label(comment)
        request.accessGroup = key.header.accessGroup
        request.accessControl = key.header.accessControl
        request.secrets[.valueData] = derived.data
        _ = try keychain.add(request)
        return SSHPublicKey(.ecdsa(.p256, point: key.publicKey.externalRepresentation))
    }

    /// Stores a private key.
    ///
    /// - Throws: `duplicateItem` where it is stored already.
    static func store(_ key: SSHPrivateKey, comment: SSHComment, _ protection: KeyProtection) throws(KeychainError) {
        let plain = key.publicKey.plain
        try requireRoom(for: plain.blob.count + comment.bytes.count)
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["svce"] = service
        request.attributes["acct"] = .string(plain.fingerprint)
        request.attributes["gena"] = .data(plain.blob)
        request.attributes[.label] = label(comment)
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

    /// Deletes a key with its certificates.
    static func delete(_ key: KeptKey) throws(KeychainError) {
        try deleteCertificates(of: key)
        try deleteItem(of: key)
    }

    static func deleteItem(of key: KeptKey) throws(KeychainError) {
        _ = try CurrentKeychain.service().delete(DeleteRequest(query: key.query))
    }

    /// - Parameters:
    ///   - size: what the newcomer takes in a list, in bytes.
    ///   - replaced: what goes for it.
    static func requireRoom(for size: Int = 0, replacing replaced: [KeptKey] = []) throws(KeychainError) {
        let keys = try keys()
        let all = keys + (try certificates(of: keys))
        guard all.count - replaced.count < mostKeys else {
            throw KeychainError(.dataTooLarge, "the keychain has \(mostKeys) ssh keys already; delete one first")
        }
        let sizes = all.map { $0.stored.publicKey.blob.count + $0.stored.comment.bytes.count }
        guard sizes.reduce(size, +) <= FrameReader.largestFrame / 2 else {
            throw KeychainError(.dataTooLarge, "the ssh keys and certificates together are too large for an agent")
        }
    }
}

/// When a key can be used.
struct KeyProtection {
    /// Whether its owner proves their presence at each use.
    let asksOwner: Bool
    /// Whether it can be used while the keychain is locked, after it was unlocked once.
    let worksWhileLocked: Bool

    static let whileLocked = Accessibility.afterFirstUnlockThisDeviceOnly

    var accessibility: Accessibility { worksWhileLocked ? Self.whileLocked : .whenUnlockedThisDeviceOnly }
}

import KeychainClient
import KeychainModel
import SSHAgentProtocol

/// The agent's keys in the keychain: those of the Secure Enclave are key items, all others generic passwords. No other
/// program has the access group that they are in.
enum AgentKeychain {
    static let lockedAdvice = "the keychain is locked; only keys that were kept for that can be used"
    /// Lists have to fit into a message.
    private static let mostKeys = 64

    /// All of them, the oldest first.
    ///
    /// - Throws: where the keychain is locked for one of them.
    static func keys() throws(KeychainError) -> [KeptKey] { try search(KeySearch()).keys }

    /// Those that can be used now, and behind them their certificates. Of a locked keychain it is what is kept for that.
    ///
    /// - Parameter wanted: finds only this key or certificate.
    static func usableKeys(_ wanted: SSHPublicKey? = nil) throws(KeychainError) -> (found: FoundKeys, isLocked: Bool) {
        do throws(KeychainError) {
            return (try find(wanted, nil), false)
        } catch {
            guard error.code == .interactionNotAllowed else { throw error }
            // One key of another accessibility has the whole search refused.
            return (try find(wanted, KeyProtection.whileLocked), true)
        }
    }

    private static func find(
        _ wanted: SSHPublicKey?,
        _ accessibility: Accessibility?
    ) throws(KeychainError) -> FoundKeys {
        guard let wanted else { return try search(KeySearch(accessibility)) }
        for attempt in KeySearch.searches(for: wanted, accessibility) {
            let found = try search(attempt)
            if !found.keys.isEmpty { return found }
        }
        return FoundKeys()
    }

    /// The key itself, without its certificates.
    ///
    /// - Throws: where the keychain is locked for it.
    static func key(_ plain: SSHPublicKey) throws(KeychainError) -> KeptKey? { try find(plain, nil).keys.first }

    private static func search(_ search: KeySearch) throws(KeychainError) -> FoundKeys {
        let keychain = try CurrentKeychain.service()
        let requests = search.requests
        let results =
            requests.count == 1
            ? [try keychain.find(requests[0])]
            : try keychain.transact(requests.map { .find($0) }).map { (result) throws(KeychainError) in
                guard case .items(let items) = result.answer else { throw OperationResult.unexpected }
                return items
            }
        var found = FoundKeys()
        for (request, some) in zip(requests, results) {
            let items = some.sorted(by: isOlder)
            if request.query.itemClass == .key {
                found.keys += items.compactMap(KeptKey.init(enclaveItem:))
            } else if request.query.filters[.service] == KeySearch.service {
                found.keys += items.compactMap(KeptKey.init(item:))
            } else {
                found.certificates = items
            }
        }
        return found
    }

    static func isOlder(_ left: FoundItem, _ right: FoundItem) -> Bool {
        guard case .date(let first) = left.attributes[.creationDate],
            case .date(let second) = right.attributes[.creationDate]
        else { return false }
        return first < second
    }

    /// The label of an item that is called so.
    static func label(_ comment: SSHComment) -> AttributeValue {
        String(validating: comment.bytes, as: UTF8.self).map { .string($0) } ?? .data(comment.bytes)
    }

    /// Whether the owner can prove to be there by a passcode.
    static func hasPasscode() throws(KeychainError) -> Bool {
        try CurrentKeychain.presence().presenceStatus()[.passcode].obstacle != .noPasscode
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
        request.attributes[.applicationTag] = KeySearch.tag
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
        request.attributes[.service] = KeySearch.service
        request.attributes[.account] = .string(plain.fingerprint)
        request.attributes[.generic] = .data(plain.blob)
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
        let all = try search(KeySearch()).all
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

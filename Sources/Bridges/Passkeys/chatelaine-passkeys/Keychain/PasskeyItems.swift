import Foundation
import KeychainClient
import KeychainModel
import PasskeyProtocol

/// Passkeys as generic passwords of a keychain (docs/formats/passkey.md). No other program has the access group that they
/// are in.
enum PasskeyItems {
    /// `kSecAttrDescription`.
    static let kind = "passkey"
    /// What the service begins with. The rest is the relying party's identifier.
    static let scheme = "webauthn:"
    /// The access group of passkeys.
    static let group = "chatelaine.passkeys"

    /// The group by name, with the system's service: it refuses a program that it does not take for this one, and nothing
    /// is stored where that one does not find it. Else nil, for the program's own group.
    private static let namedGroup: String? =
        if case .service(let address)? = try? KeychainLocation.current(), address.kind == .system {
            group
        } else {
            nil
        }

    // MARK: - Finding

    /// The newest first, and how many others there are: damaged ones, and those of a later version.
    ///
    /// - Parameter site: nil for all sites.
    /// - Throws: `interactionNotAllowed` where the keychain is locked.
    static func passkeys(
        for site: RelyingParty?
    ) throws(KeychainError) -> (passkeys: [Passkey], unreadable: Int) {
        let items: [FoundItem]
        do throws(KeychainError) {
            items = try CurrentKeychain.service().find(search(site, .all))
            // A search that matches no locked item says nothing of the lock. Whether there are passkeys for a site is for
            // the owner to tell.
            if items.isEmpty, site != nil { _ = try CurrentKeychain.service().find(search(nil, .one)) }
        } catch {
            // There is no keychain yet.
            if error.code == .itemNotFound { return ([], 0) }
            throw error
        }
        let passkeys = items.sorted { date($0) > date($1) }.compactMap(passkey)
        return (passkeys, items.count - passkeys.count)
    }

    private static func search(_ site: RelyingParty?, _ limit: MatchLimit) -> FindRequest {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .any
        query.accessGroup = namedGroup
        query.filters[.kindText] = .string(kind)
        if let site { query.filters[.service] = .string(scheme + site.id) }
        var request = FindRequest(query: query)
        request.limit = limit
        request.returns = .attributes
        request.authentication.ui = .skip
        return request
    }

    private static func date(_ item: FoundItem) -> Double {
        if case .date(let date) = item.attributes[.creationDate] { date } else { 0 }
    }

    private static func passkey(_ item: FoundItem) -> Passkey? {
        guard case .string(let service) = item.attributes[.service], service.hasPrefix(scheme),
            case .string(let account) = item.attributes[.account], let id = Base64URL.bytes(account),
            case .data(let description) = item.attributes[.generic]
        else { return nil }
        return PasskeyFormat.passkey(
            site: String(service.dropFirst(scheme.count)),
            id: id,
            description: description
        )
    }

    /// What finds one passkey's item and no other.
    static func query(_ passkey: Passkey) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .only(passkey.kind == .synchronizable)
        query.accessGroup = namedGroup
        query.filters[.service] = .string(scheme + passkey.site.id)
        query.filters[.account] = .string(Base64URL.text(passkey.id))
        return query
    }

    /// - Throws: `itemNotFound` where it is gone; `undecodable` for a value of a later version.
    static func secrets(
        of passkey: Passkey,
        by consent: OwnerConsent
    ) throws(KeychainError) -> PasskeySecrets {
        var request = FindRequest(query: query(passkey))
        request.returns = .data
        request.authentication = consent.authentication
        guard let value = try CurrentKeychain.service().find(request).first?.secrets[.valueData] else {
            throw KeychainError(.itemNotFound, "the passkey is not in the keychain any more")
        }
        guard let secrets = PasskeyFormat.secrets(value) else {
            throw KeychainError(.undecodable, "a passkey is damaged, or of a later version")
        }
        return secrets
    }

    // MARK: - Changing

    /// Adds a passkey, and deletes others in the same transaction.
    static func add(
        _ passkey: Passkey,
        _ secrets: PasskeySecrets,
        replacing others: [Passkey]
    ) throws(KeychainError) {
        var request = AddRequest(itemClass: .genericPassword)
        request.accessGroup = namedGroup
        request.attributes = query(passkey).filters
        request.attributes[.kindText] = .string(kind)
        request.attributes[.label] = .string(label(passkey))
        request.attributes[.generic] = .data(PasskeyFormat.description(of: passkey))
        switch passkey.kind {
        case .synchronizable:
            request.isSynchronizable = true
            request.accessibility = .whenUnlocked
        case .thisDevice:
            request.accessControl = try AccessControl(
                protection: Accessibility.whenUnlockedThisDeviceOnly.rawValue,
                flags: .userPresence
            )
        }
        request.secrets[.valueData] = PasskeyFormat.value(of: secrets)
        let deletions = others.map { KeychainOperation.delete(DeleteRequest(query: query($0))) }
        _ = try CurrentKeychain.service().transact(deletions + [.add(request)])
    }

    /// Stores what the passkey's user is called now.
    static func update(_ passkey: Passkey, by consent: OwnerConsent) throws(KeychainError) {
        var request = UpdateRequest(query: query(passkey))
        request.authentication = consent.authentication
        request.changes.attributes[.label] = .string(label(passkey))
        request.changes.attributes[.generic] = .data(PasskeyFormat.description(of: passkey))
        guard try CurrentKeychain.service().update(request) > 0 else {
            throw KeychainError(.itemNotFound, "the passkey is not in the keychain any more")
        }
    }

    static func delete(_ passkey: Passkey) throws(KeychainError) {
        _ = try CurrentKeychain.service().delete(DeleteRequest(query: query(passkey)))
    }

    private static func label(_ passkey: Passkey) -> String {
        passkey.user.name.isEmpty ? passkey.site.id : "\(passkey.site.id) (\(passkey.user.name))"
    }

    // MARK: - Keys

    /// Makes a key in the Secure Enclave, which asks its owner at each use.
    static func makeEnclaveKey() throws(KeychainError) -> EnclaveKey {
        var making = MakeKeyRequest()
        making.accessGroup = namedGroup
        making.accessControl = try AccessControl(
            protection: Accessibility.whenUnlockedThisDeviceOnly.rawValue,
            flags: [.privateKeyUsage, .userPresence]
        )
        return try CurrentKeychain.service().makeKey(making)
    }
}

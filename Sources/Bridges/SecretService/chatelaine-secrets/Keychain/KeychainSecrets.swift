import Crypto
import EnclaveInterface
import KeychainClient
import KeychainModel
import SecretServiceModel
import Synchronization

/// What a proof of the owner's presence is for. It counts for nothing else.
struct PresencePurpose: Hashable {
    enum Action: Hashable {
        case secrets(ofCollection: String)
        /// An unlock or a deletion, by a number of its own.
        case once(UInt64)
    }

    /// The unique name on the bus.
    let client: String
    let action: Action
}

extension PresencePurpose {
    init(_ client: String, of collection: AccessReason.Collection) {
        self.init(client: client, action: .secrets(ofCollection: collection.id))
    }
}

/// The keychain, as far as the Secret Service uses it: its own generic passwords.
///
/// It can be used from any number of threads.
final class KeychainSecrets: Sendable {
    let keychain: any PresenceKeychain
    let callers: BusCallers
    let known = Mutex(KnownItems())
    /// What was proved for a client, for as long as it lives, and for an unlock, for as long as that is asked.
    let contexts = Mutex<[PresencePurpose: any PresenceContext]>([:])
    let budget = Mutex(PromptBudget())

    /// - Throws: `notAvailable` where no keychain can be told.
    init(callers: BusCallers) throws(KeychainError) {
        keychain = try CurrentKeychain.presence()
        self.callers = callers
    }

    // MARK: - Reading all

    /// All that is stored, as far as it can be read now.
    func load() throws(KeychainError) -> StoredSecrets {
        let lock = try lockState()
        let always = try find(.always)
        let items = lock == .locked ? [] : try find(.afterFirstUnlock)
        var stored = StoredSecrets(key: try blindKey(among: always))
        stored.lock = lock
        var blinds: [SecretItemID: (BlindAttributes, FoundItem)] = [:]
        known.withLock { known in
            known = KnownItems()
            for item in always + items {
                if let place = SecretLayout.place(of: item), let uuid = item.reference.uuid { known.note(uuid, place) }
            }
        }
        for item in always {
            switch SecretLayout.place(of: item) {
            case .collection(let id):
                if let collection = SecretLayout.collection(id, item) { stored.collections.append(collection) }
            case .alias(let name): stored.aliases[name] = SecretLayout.collection(ofAlias: item)
            case .blind(let id):
                if let blind = item.bytes(.generic).flatMap(BlindAttributes.init(serialized:)) {
                    blinds[id] = (blind, item)
                }
            case .item, .key, nil: break
            }
        }
        if lock == .locked {
            stored.items = blinds.map { id, entry in
                StoredSecret(
                    id: id,
                    label: "",
                    details: nil,
                    blind: entry.0,
                    created: entry.1.seconds(.creationDate),
                    modified: entry.1.seconds(.modificationDate)
                )
            }
        } else {
            stored.items = items.compactMap { secret(in: $0, key: stored.key) }
        }
        stored.items.sort { ($0.created, $0.id.item) < ($1.created, $1.id.item) }
        // A collection that has items and no record of its own, as after half an import.
        let recorded = Set(stored.collections.map(\.id) + ["login", SecretService.portalID])
        for id in Set(stored.items.map(\.id.collection)).subtracting(recorded).sorted() {
            stored.collections.append(StoredCollection(id: id, label: id))
        }
        return stored
    }

    /// Something that was added or changed elsewhere.
    enum Change {
        case item(StoredSecret)
        /// A collection, an alias or a key.
        case record
        case nothing
    }

    func change(_ reference: PersistentReference, key: SymmetricKey) throws(KeychainError) -> Change {
        var query = ItemQuery(itemClass: .genericPassword)
        query.reference = reference
        var request = FindRequest(query: query)
        request.returns = .attributes
        request.authentication.ui = .fail
        guard let item = try keychain.find(request).first, let place = SecretLayout.place(of: item),
            let uuid = reference.uuid
        else { return .nothing }
        known.withLock { $0.note(uuid, place) }
        switch place {
        case .item: return secret(in: item, key: key).map(Change.item) ?? .nothing
        case .collection, .alias, .key: return .record
        case .blind: return .nothing
        }
    }

    private func secret(in item: FoundItem, key: SymmetricKey) -> StoredSecret? {
        guard case .item(let id) = SecretLayout.place(of: item), let generic = item.bytes(.generic),
            let details = try? ItemDetails(serialized: generic)
        else { return nil }
        return StoredSecret(
            id: id,
            label: item.text(.label) ?? "",
            details: details,
            blind: BlindAttributes(details.attributes, key: key),
            created: item.seconds(.creationDate),
            modified: item.seconds(.modificationDate)
        )
    }

    func lockState() throws(KeychainError) -> SecretLock {
        do throws(KeychainError) {
            let state = try CurrentKeychain.control().state()
            guard state.hasPasscode else { return .withoutPasscode }
            return state.lock == .beforeFirstUnlock ? .locked : .unlocked
        } catch {
            // No keychain so far, or one in memory.
            guard error.code == .itemNotFound || !keychain.isHeldByService else { throw error }
            return .withoutPasscode
        }
    }

    private func find(_ accessibility: Accessibility) throws(KeychainError) -> [FoundItem] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.accessibility = accessibility
        query.accessGroup = try keychain.ownGroup()
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = .attributes
        request.authentication.ui = .fail
        return try keychain.find(request)
    }

    private func blindKey(among items: [FoundItem]) throws(KeychainError) -> SymmetricKey {
        guard items.contains(where: { SecretLayout.place(of: $0) == .key }) else {
            let key = SymmetricKey(size: .bits256)
            var request = SecretLayout.add(.key, label: "Secret Service", generic: [SecretLayout.version], .always)
            request.secrets[.valueData] = unsafe key.withUnsafeBytes { unsafe SecretBytes($0) }
            do throws(KeychainError) {
                _ = try perform([.add(request)])
                return key
            } catch  where error.code == .duplicateItem {
                // Another one was quicker.
                return try readKey()
            }
        }
        return try readKey()
    }

    private func readKey() throws(KeychainError) -> SymmetricKey {
        var request = FindRequest(query: SecretLayout.query(.key))
        request.returns = .data
        guard let secret = try keychain.find(request).first?.secrets[.valueData] else {
            throw KeychainError(.itemNotFound, "the Secret Service's key is missing")
        }
        return unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}

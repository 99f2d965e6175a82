import Crypto
import KeychainModel

/// A collection in the service's memory, with its items but without their secrets.
struct SecretCollection {
    var stored: StoredCollection
    /// Whether its items live no longer than the service.
    let isInMemory: Bool
    /// Whether a client has locked it; it is unlocked by a prompt.
    var isLockedByClient = false

    private(set) var items: [String: SecretItem] = [:]
    private var slots: [Slot: String] = [:]
    private var index = AttributeIndex<SecretAttributes.Pair>()
    private var blindIndex = AttributeIndex<BlindAttributes.Code>()
    /// How many items' attributes cannot be read.
    private var blindItems = 0
    /// Of the items in memory, with their secrets.
    private(set) var bytes = 0

    init(_ stored: StoredCollection, isInMemory: Bool = false) {
        self.stored = stored
        self.isInMemory = isInMemory
    }

    var path: String { SecretObject.path(ofCollection: stored.id) }

    /// The oldest first.
    var inOrder: [SecretItem] { items.values.sorted { $0.slot < $1.slot } }

    mutating func put(_ item: SecretItem) {
        remove(item.stored.id.item)
        items[item.stored.id.item] = item
        slots[item.slot] = item.stored.id.item
        bytes += item.size
        if let details = item.stored.details {
            index.insert(item.slot, details.attributes.pairs)
        } else {
            blindIndex.insert(item.slot, item.stored.blind.codes)
            blindItems += 1
        }
    }

    @discardableResult
    mutating func remove(_ id: String) -> SecretItem? {
        guard let item = items.removeValue(forKey: id) else { return nil }
        slots[item.slot] = nil
        bytes -= item.size
        if let details = item.stored.details {
            index.remove(item.slot, details.attributes.pairs)
        } else {
            blindIndex.remove(item.slot, item.stored.blind.codes)
            blindItems -= 1
        }
        return item
    }

    /// The items that have all of these attributes, the one that was changed last first.
    ///
    /// - Parameter key: finds those whose attributes cannot be read.
    func search(_ attributes: SecretAttributes, key: SymmetricKey) -> [SecretItem] {
        var found = (index.candidates(attributes.pairs) ?? Set(slots.keys)).compactMap(item).filter {
            $0.stored.details?.attributes.contains(attributes) ?? false
        }
        // Codes cost more than all the rest of a search.
        if blindItems > 0 {
            let codes = Set(attributes.pairs.map { BlindAttributes.code(of: $0, key: key) })
            found += (blindIndex.candidates(codes) ?? Set(slots.keys)).compactMap(item).filter {
                $0.stored.details == nil && codes.isSubset(of: $0.stored.blind.codes)
            }
        }
        return found.sorted { ($0.stored.modified, $0.slot) > ($1.stored.modified, $1.slot) }
    }

    /// The newest item with exactly these attributes.
    func match(_ attributes: SecretAttributes) -> SecretItem? {
        (index.candidates(attributes.pairs) ?? Set(slots.keys)).compactMap(item)
            .filter { $0.stored.details?.attributes == attributes }
            .max { ($0.stored.modified, $0.slot) < ($1.stored.modified, $1.slot) }
    }

    private func item(_ slot: Slot) -> SecretItem? { slots[slot].flatMap { items[$0] } }
}

struct SecretItem {
    var stored: StoredSecret
    let slot: Slot
    /// Of an item that lives in memory alone.
    var secret: SecretBytes?

    var path: String { SecretObject.path(of: stored.id) }

    /// In bytes, for the limit on what is kept in memory.
    var size: Int {
        let attributes = stored.details?.attributes.pairs ?? []
        return attributes.reduce(stored.label.utf8.count + (secret?.count ?? 0) + 256) { size, pair in
            size + pair.name.utf8.count + pair.value.utf8.count
        }
    }
}

/// Finds items by any subset of their attributes. A search costs as much as the rarest of the pairs that it names has
/// items, however many items there are.
struct AttributeIndex<Key: Hashable> {
    private var items: [Key: Set<Slot>] = [:]

    mutating func insert(_ slot: Slot, _ keys: some Sequence<Key>) {
        for key in keys { items[key, default: []].insert(slot) }
    }

    mutating func remove(_ slot: Slot, _ keys: some Sequence<Key>) {
        for key in keys {
            items[key]?.remove(slot)
            if items[key]?.isEmpty == true { items[key] = nil }
        }
    }

    /// The items that may have all of these keys: those with the rarest. Nil where no key is given.
    func candidates(_ keys: some Sequence<Key>) -> Set<Slot>? {
        var rarest: Set<Slot>?
        for key in keys {
            let slots = items[key] ?? []
            if slots.isEmpty { return [] }
            if slots.count < rarest?.count ?? .max { rarest = slots }
        }
        return rarest
    }
}

/// Where an item is in the memory of this service. A later item has a higher one.
typealias Slot = UInt64

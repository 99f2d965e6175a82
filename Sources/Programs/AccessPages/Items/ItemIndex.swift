import KeychainModel
import Synchronization

/// All items of a keychain as tables show them, in every order that was asked for.
package final class ItemIndex: Sendable {
    /// By name.
    package let items: [ItemSummary]
    /// What collections of the Secret Service are called.
    let collections: [String: String]
    /// How many items of each kind there are.
    package let counts: [ItemKind: Int]
    /// The access groups of the items, with how many each has.
    package let groups: [(name: String, count: Int)]
    private let orders = Mutex<[ItemSelection.Column: [Int]]>([:])

    /// - Parameter items: what programs keep for themselves is left out.
    package init(_ items: [ItemSummary]) {
        collections = items.reduce(into: [:]) { names, item in
            if case .collection(let id)? = item.bridge { names[id] = item.name }
        }
        let shown = items.filter { $0.bridge?.isShown ?? true }.sorted { Self.precedes($0.order, $1.order, $0, $1) }
        self.items = ItemSummary.sharing(shown)
        counts = shown.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
        groups = shown.reduce(into: [String: Int]()) { $0[$1.group, default: 0] += 1 }
            .map { (name: $0.key, count: $0.value) }.sorted { $0.name < $1.name }
    }

    /// One page of a table.
    package struct Page: Sendable {
        package let items: [ItemSummary]
        /// How many the selection has on all pages.
        package let total: Int
        /// The place of the first row among them, from 0.
        package let start: Int
    }

    package func page(_ selection: ItemSelection) -> Page {
        let found = indices(selection)
        let pages = max(1, (found.count + ItemSelection.rows - 1) / ItemSelection.rows)
        let start = (min(selection.page, pages) - 1) * ItemSelection.rows
        return Page(
            items: found[start..<min(start + ItemSelection.rows, found.count)].map { items[$0] },
            total: found.count,
            start: start
        )
    }

    /// The items of a kind, of a group, … on all pages.
    package func all(_ selection: ItemSelection) -> [ItemSummary] { indices(selection).map { items[$0] } }

    private func indices(_ selection: ItemSelection) -> [Int] {
        let words = selection.words
        let order = order(selection.column)
        let found =
            selection.restricts ? order.filter { selection.includes(items[$0], words: words) } : order
        return selection.isDescending ? found.reversed() : found
    }

    private func order(_ column: ItemSelection.Column) -> [Int] {
        if column == .name { return Array(items.indices) }
        return orders.withLock { orders in
            if let order = orders[column] { return order }
            let keys = items.map { $0.key(of: column) }
            // Of items that are equal, the order by name stays.
            let order = items.indices.sorted { left, right in
                if keys[left] == keys[right] { return left < right }
                return keys[left].lexicographicallyPrecedes(keys[right])
            }
            orders[column] = order
            return order
        }
    }

    private static func precedes(
        _ left: ArraySlice<UInt8>,
        _ right: ArraySlice<UInt8>,
        _ first: ItemSummary,
        _ second: ItemSummary
    ) -> Bool {
        if left != right { return left.lexicographicallyPrecedes(right) }
        return first.reference.bytes.lexicographicallyPrecedes(second.reference.bytes)
    }

    /// Those that were changed last.
    package func recent(_ count: Int) -> [ItemSummary] {
        Array(items.sorted { $0.modified > $1.modified }.prefix(count))
    }
}

extension ItemSummary {
    fileprivate func key(of column: ItemSelection.Column) -> [UInt8] {
        switch column {
        case .name: Array(order)
        case .kind: Array(kindName.utf8)
        case .account: Array(account.lowercased().utf8)
        case .place: Array(place.lowercased().utf8)
        case .group: Array(group.lowercased().utf8)
        case .protection: Array(accessibility.name.utf8)
        case .modified:
            // Seconds after 2001, so that their bits are in the order of their values.
            unsafe withUnsafeBytes(of: max(0, modified).bitPattern.bigEndian) { unsafe Array($0) }
        }
    }
}

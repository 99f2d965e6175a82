/// The attributes of an item or the filters of a query, in the canonical order of their keys.
package struct AttributeList: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package let key: AttributeKey
        package var value: AttributeValue

        package init(key: AttributeKey, value: AttributeValue) {
            self.key = key
            self.value = value
        }
    }

    /// Sorted by key, each key once.
    package private(set) var entries: [Entry] = []

    package init() {}

    /// Takes entries that are already in canonical order, or says that they are not.
    package init?(canonical entries: [Entry]) {
        for index in entries.indices.dropFirst() where entries[index - 1].key >= entries[index].key {
            return nil
        }
        self.entries = entries
    }

    /// The value of a key. Setting replaces, setting nil removes.
    package subscript(key: AttributeKey) -> AttributeValue? {
        get {
            // At most a few dozen entries: a scan of contiguous memory beats a hash table here.
            for entry in entries where entry.key == key { return entry.value }
            return nil
        }
        set {
            let position = entries.firstIndex { $0.key >= key } ?? entries.endIndex
            let isPresent = position < entries.endIndex && entries[position].key == key
            switch (newValue, isPresent) {
            case (let value?, true): entries[position].value = value
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: position)
            case (nil, true): entries.remove(at: position)
            case (nil, false): break
            }
        }
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
}

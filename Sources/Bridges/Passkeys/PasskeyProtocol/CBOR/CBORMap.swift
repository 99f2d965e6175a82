/// The entries of a CBOR map, in the order that CTAP2 prescribes.
package struct CBORMap: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let key: CBORValue
        package internal(set) var value: CBORValue
    }

    /// In canonical order, each key once.
    package private(set) var entries: [Entry] = []

    package init() {}

    /// If a key appears twice, the last value counts.
    init(_ elements: [(CBORValue, CBORValue)]) {
        for (key, value) in elements { self[key] = value }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The value of a key. Nil removes the entry.
    ///
    /// A key is an integer or a text, as in every map of CTAP2. An entry with another key is not stored.
    package subscript(key: CBORValue) -> CBORValue? {
        get {
            let index = index(of: key)
            return hasEntry(key, at: index) ? entries[index].value : nil
        }
        set {
            let index = index(of: key)
            switch (newValue, hasEntry(key, at: index)) {
            case (let value?, true): entries[index].value = value
            case (let value?, false):
                guard key.isMapKey else { return }
                entries.insert(Entry(key: key, value: value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    package subscript(key: Int) -> CBORValue? {
        get { self[.integer(Int64(key))] }
        set { self[.integer(Int64(key))] = newValue }
    }

    package subscript(key: String) -> CBORValue? {
        get { self[.text(key)] }
        set { self[.text(key)] = newValue }
    }

    /// Adds an entry at the end.
    ///
    /// - Throws: if that would break the order, or if the key is neither an integer nor a text.
    mutating func append(_ key: CBORValue, _ value: CBORValue) throws(CBORFormatError) {
        guard key.isMapKey else { throw CBORFormatError("a map has a key that is neither an integer nor a text") }
        guard entries.last.map({ $0.key.precedes(key) }) ?? true else {
            throw CBORFormatError("the keys of a map are not in canonical order, or one appears twice")
        }
        entries.append(Entry(key: key, value: value))
    }

    /// Where the key is, or where it would be inserted.
    private func index(of key: CBORValue) -> Int {
        var range = entries.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].key.precedes(key) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private func hasEntry(_ key: CBORValue, at index: Int) -> Bool {
        index < entries.count && entries[index].key == key
    }
}

extension CBORMap: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self.init(elements) }
}

extension CBORValue {
    var isMapKey: Bool {
        switch self {
        case .integer, .text: true
        case .bytes, .array, .map, .boolean, .null: false
        }
    }

    /// Whether this key comes before another one in a map (CTAP 2.1, section 8): by major type, then by length when
    /// encoded, then by bytes.
    ///
    /// A greater argument is never encoded shorter, so numbers are compared without encoding them.
    fileprivate func precedes(_ other: CBORValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)):
            if (left < 0) != (right < 0) { right < 0 } else { left < 0 ? left > right : left < right }
        case (.text(let left), .text(let right)):
            if left.utf8.count != right.utf8.count {
                left.utf8.count < right.utf8.count
            } else {
                left.utf8.lexicographicallyPrecedes(right.utf8)
            }
        default: major < other.major
        }
    }
}

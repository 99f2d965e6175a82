import KeychainModel
package import MessageBus

/// The attributes by which clients look for an item. They are kept verbatim: two texts are equal if their bytes are.
package struct SecretAttributes: Sendable, Equatable {
    package struct Pair: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        package static func == (left: Pair, right: Pair) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
        }

        package func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(byte) }
            hasher.combine(0 as UInt8)
            for byte in value.utf8 { hasher.combine(byte) }
        }
    }

    /// Sorted by the bytes of their names, each name once.
    package let pairs: [Pair]

    /// - Parameter pairs: of two with one name the last counts.
    /// - Throws: `LimitsExceeded`
    package init(_ pairs: [Pair]) throws(BusError) {
        var sorted: [Pair] = []
        // A stable sort: what came last of one name stays last.
        for pair in pairs.enumerated().sorted(by: Self.isBefore).map(\.element) {
            if let last = sorted.last, last.name.hasSameBytes(as: pair.name) { sorted.removeLast() }
            sorted.append(pair)
        }
        guard sorted.count <= SecretLimits.attributes,
            sorted.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= SecretLimits.attributeBytes
        else { throw .limit("an item has at most 256 attributes, of 64 KiB together") }
        self.pairs = sorted
    }

    private init() { pairs = [] }
    package static let none = SecretAttributes()

    private static func isBefore(
        _ left: EnumeratedSequence<[Pair]>.Element,
        _ right: EnumeratedSequence<[Pair]>.Element
    ) -> Bool {
        if left.element.name.hasSameBytes(as: right.element.name) { return left.offset < right.offset }
        return left.element.name.utf8.lexicographicallyPrecedes(right.element.name.utf8)
    }

    package subscript(name: String) -> String? { pairs.first { $0.name.hasSameBytes(as: name) }?.value }

    /// Whether all of these are among them.
    func contains(_ other: SecretAttributes) -> Bool {
        other.pairs.allSatisfy { pair in self[pair.name]?.hasSameBytes(as: pair.value) ?? false }
    }

    /// The same with one more, unless there is one of that name.
    func adding(_ name: String, _ value: String) throws(BusError) -> SecretAttributes {
        guard self[name] == nil else { return self }
        return try SecretAttributes(pairs + [Pair(name: name, value: value)])
    }
}

/// What one client can make this service keep.
package enum SecretLimits {
    package static let attributes = 256
    /// Of all names and values of an item.
    package static let attributeBytes = 64 << 10
    /// Of a label, and of a content type.
    package static let labelBytes = 16 << 10
    package static let secretBytes = 8 << 20
    /// Of all items that one call asks for.
    package static let secretsOfAnswer = 32 << 20
    package static let sessionsOfClient = 4_096
    /// Of all clients.
    package static let sessions = 65_536
    package static let promptsOfClient = 32
    package static let collections = 1_000
    package static let itemsOfSession = 10_000
    package static let bytesOfSession = 32 << 20
    /// Of a collection whose items are named in signals, in lists and one by one.
    package static let itemsListed = 100_000
    package static let itemsToldOfLock = 10_000
    /// A prompt that nobody begins, or ends, is over after this.
    package static let promptSeconds: UInt64 = 180
}

package import KeychainModel

/// An item under the circle's name key: HMAC of its class and primary key. A transport does not see it.
package typealias ItemName = SyncHash

/// What a device says of one item: it is this now, or it is gone.
package struct Record: Sendable {
    /// The longest encoding of an item.
    package static let largest = 480 << 10
    /// As many as there is room for in a box.
    package static let mostInBox = 10_485
    /// Stamps from here on are refused. The local clock decides nothing: devices would disagree.
    package static let stampBound: UInt64 = 1 << 48
    /// Segments are numbered below it.
    package static let numberBound: UInt64 = 1 << 48

    package let name: ItemName
    package let version: Version
    /// The segment in which its journal first had it. A base repeats a record with the number that it had.
    package let number: UInt64
    /// The version that its author saw and replaced.
    package let replaced: SyncHash?
    /// The item's one encoding; nil where the item is gone.
    package let item: SecretBytes?

    package init(name: ItemName, stamp: UInt64, number: UInt64, replaced: SyncHash?, item: SecretBytes?) {
        self.name = name
        version = Version(stamp: stamp, digest: item.map { SyncHash(of: $0) })
        self.number = number
        self.replaced = replaced
        self.item = item
    }

    /// The same, where another journal has it.
    func numbered(_ number: UInt64) -> Record {
        Record(name: name, version: version, number: number, replaced: replaced, item: item)
    }

    private init(name: ItemName, version: Version, number: UInt64, replaced: SyncHash?, item: SecretBytes?) {
        self.name = name
        self.version = version
        self.number = number
        self.replaced = replaced
        self.item = item
    }

    /// The bytes that it takes in a segment.
    package var size: Int { 1 + 32 + 8 + 8 + 1 + (replaced == nil ? 0 : 32) + (item.map { 4 + $0.count } ?? 0) }

    func write(to writer: inout SyncWriter) {
        writer.append(number: item == nil ? UInt8(2) : 1)
        writer.append(name)
        writer.append(number: version.stamp)
        writer.append(number: number)
        writer.append(number: replaced == nil ? UInt8(0) : 1)
        if let replaced { writer.append(replaced) }
        if let item { writer.append(field: item) }
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        let kind = try reader.byte()
        guard kind == 1 || kind == 2 else { throw .unknownKind(kind) }
        let name = try reader.hash()
        let stamp = try reader.number(UInt64.self)
        guard stamp < Self.stampBound else { throw .outOfRange }
        let number = try reader.number(UInt64.self)
        guard number > 0, number < Self.numberBound else { throw .outOfRange }
        let replaced = try reader.flag() ? try reader.hash() : nil
        let item = kind == 1 ? SecretBytes(try reader.field(atMost: Self.largest)) : nil
        self.init(name: name, stamp: stamp, number: number, replaced: replaced, item: item)
    }

    /// The records of one box, in the order of their names: each name once.
    package static func list(_ bytes: [UInt8]) throws(SyncRefusal) -> [Record] {
        var reader = try SyncReader(bytes, atMost: Padding.largest - 4)
        let records = try reader.rising(atMost: mostInBox, by: \.name) { (reader) throws(SyncRefusal) in
            try Record(from: &reader)
        }
        try reader.end()
        return records
    }

    package static func encode(_ records: [Record]) -> [UInt8] {
        var writer = SyncWriter()
        writer.append(rising: records, by: \.name) { $1.write(to: &$0) }
        return writer.bytes
    }
}

extension EpochSecrets {
    /// More than an entry can have.
    package static let largest = 4 + 64 * 1_232 + 256 * 92

    /// Between an enclave and its users: the number of wraps in two bytes, and these, and the same of earlier epochs. A wrap
    /// and an earlier epoch are as in an entry.
    package var encoded: [UInt8] {
        var writer = SyncWriter()
        writer.append(number: UInt16(clamping: wraps.count))
        for wrap in wraps { wrap.write(to: &writer) }
        writer.append(number: UInt16(clamping: earlier.count))
        for epoch in earlier { epoch.write(to: &writer) }
        return writer.bytes
    }

    package init(encoded bytes: [UInt8]) throws(SyncRefusal) {
        var reader = try SyncReader(bytes, atMost: Self.largest)
        var wraps: [EpochWrap] = []
        for _ in 0..<(try reader.number(UInt16.self)) { wraps.append(try EpochWrap(from: &reader)) }
        var earlier: [EarlierEpoch] = []
        for _ in 0..<(try reader.number(UInt16.self)) { earlier.append(try EarlierEpoch(from: &reader)) }
        try reader.end()
        self.init(wraps: wraps, earlier: earlier)
    }
}

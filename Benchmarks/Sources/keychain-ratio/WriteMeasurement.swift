import KeychainMeasuring
import KeychainSamples

/// Times durable changes of one item.
struct WriteMeasurement {
    private let rounds: Int
    /// Small: the disk's moods last for milliseconds.
    private static let batch = 4

    init(_ options: Options) {
        rounds = options.writeRounds
    }

    func run(_ keychain: SampleKeychain, _ kind: Operation) throws -> Comparison {
        let floor = try AppendFloor(in: keychain.folder.deletingLastPathComponent())
        var comparison = Comparison()
        for round in 0..<rounds {
            try measure(keychain, kind, floor, number: UInt8(truncatingIfNeeded: round), &comparison)
        }
        return comparison
    }

    private func measure(
        _ keychain: SampleKeychain,
        _ kind: Operation,
        _ floor: AppendFloor,
        number: UInt8,
        _ comparison: inout Comparison
    ) throws {
        let batch = Self.batch
        let new = kind == .update ? [] : keychain.newItems(batch)
        if kind == .delete { try new.forEach(SampleKeychain.add) }
        let queries = kind == .delete ? keychain.deletions(ofLast: batch) : []
        let updates = kind == .update ? keychain.nextUpdateQueries(batch) : []
        try comparison.round(
            floor: { try $0.measure(Array(repeating: (), count: batch)) { try floor.append() } },
            operation: { samples in
                switch kind {
                case .update: try samples.measure(updates) { try SampleKeychain.update($0, value: number) }
                case .delete: try samples.measure(queries, SampleKeychain.delete)
                default: try samples.measure(new, SampleKeychain.add)
                }
            }
        )
        if kind == .delete { keychain.forgetLast(batch) }
    }
}

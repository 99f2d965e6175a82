import Foundation
import KeychainMeasuring
import KeychainSamples

/// Times searches for one item.
struct ReadMeasurement {
    private let rounds: Int
    private static let batch = 20

    init(_ options: Options) {
        rounds = options.readRounds
    }

    func find(_ keychain: SampleKeychain, _ floor: ReadFloor) throws -> Comparison {
        try compare(
            keys: { floor.nextKeys(Self.batch) },
            floor: floor.find,
            queries: { keychain.nextQueries(Self.batch) },
            operation: SampleKeychain.find
        )
    }

    func findByLabel(_ keychain: SampleKeychain, _ floor: ReadFloor) throws -> Comparison {
        try compare(
            keys: { floor.nextKeys(Self.batch) },
            floor: floor.find,
            queries: { keychain.nextLabelQueries(Self.batch) },
            operation: SampleKeychain.find
        )
    }

    /// Among many items against the same search among few.
    func find(_ keychain: SampleKeychain, among few: SampleKeychain) throws -> Comparison {
        try compare(keychain, few) { $0.nextQueries($1) }
    }

    func findByLabel(_ keychain: SampleKeychain, among few: SampleKeychain) throws -> Comparison {
        try compare(keychain, few) { $0.nextLabelQueries($1) }
    }

    private func compare(
        _ keychain: SampleKeychain,
        _ few: SampleKeychain,
        _ queries: (SampleKeychain, Int) -> [NSDictionary]
    ) throws -> Comparison {
        // The first call after a change of keychains opens it or looks it up, and is not measured.
        func ready(_ keychain: SampleKeychain) throws -> [NSDictionary] {
            keychain.use()
            let queries = queries(keychain, Self.batch + 1)
            if let first = queries.first { try SampleKeychain.find(first) }
            return Array(queries.dropFirst())
        }
        return try compare(
            keys: { try ready(few) },
            floor: SampleKeychain.find,
            queries: { try ready(keychain) },
            operation: SampleKeychain.find
        )
    }

    private func compare<Key, Query>(
        keys: () throws -> [Key],
        floor: (Key) throws -> Void,
        queries: () throws -> [Query],
        operation: (Query) throws -> Void
    ) throws -> Comparison {
        func round(_ comparison: inout Comparison) throws {
            // Made before the clock starts, each right before its use: another keychain's would change the process's.
            try comparison.round(
                floor: {
                    let keys = try keys()
                    try $0.measure(keys, floor)
                },
                operation: {
                    let queries = try queries()
                    try $0.measure(queries, operation)
                }
            )
        }
        // The first calls open connections and prepare statements.
        var warmUp = Comparison()
        for _ in 0..<10 { try round(&warmUp) }
        var comparison = Comparison()
        for _ in 0..<rounds { try round(&comparison) }
        return comparison
    }

    /// A search that no index helps with, against one comparison in each row of the floor.
    func scan(_ floor: ReadFloor) throws -> Comparison {
        var comparison = Comparison()
        for _ in 0..<max(3, rounds / 10) {
            try comparison.round(
                floor: { try $0.measure([()]) { try floor.scan() } },
                operation: { try $0.measure([()]) { try SampleKeychain.scan() } }
            )
        }
        return comparison
    }
}

import Foundation
import KeychainSamples

/// Measures a keychain's operations against the least that each can cost, in the same process and in turns.
@main
struct KeychainRatio {
    static func main() {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            try run(options)
        } catch {
            FileHandle.standardError.write(Data("keychain-ratio: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        var ratios = Table(["operation", "items", "floor µs", "operation µs", "p90 µs", "ratio"])
        var others = Table(["operation", "items", "median", "p90"])
        var sizes = Table(["items", "database", "payload", "bytes per item", "overhead per item"])
        for count in options.counts {
            let keychain = try SampleKeychain(count: count, in: options.folder)
            // Before anything is added, so that the figure is that of the stated number of items.
            try sizes.append(size(of: keychain))
            if options.operations.contains("label") {
                try others.append(row("find by label", count, findByLabel(in: keychain, options)))
            }
            if options.operations.contains("list") { try others.append(contentsOf: list(keychain, options)) }
            for operation in ["find", "add", "update", "delete"] where options.operations.contains(operation) {
                let comparison =
                    switch operation {
                    case "find": try find(in: keychain, count: count, options)
                    case "add": try write(in: keychain, options, .add)
                    case "update": try write(in: keychain, options, .update)
                    default: try write(in: keychain, options, .delete)
                    }
                ratios.append(row(operation, count, comparison))
            }
        }
        print(ratios.text, others.text, sizes.text, separator: "\n\n")
    }

    private static func row(_ name: String, _ count: Int, _ comparison: Comparison) -> [String] {
        [
            name, "\(count)", comparison.floor.median.text(1), comparison.operation.median.text(1),
            comparison.operation.quantile(0.9).text(1), comparison.ratio.text(2),
        ]
    }

    // MARK: - Reading

    private static let batch = 20

    private static func find(in keychain: SampleKeychain, count: Int, _ options: Options) throws -> Comparison {
        let floor = try ReadFloor(count: count, in: options.folder)
        var comparison = Comparison()
        // The first calls open connections and prepare statements.
        for _ in 0..<10 { try find(in: keychain, floor, &comparison) }
        comparison = Comparison()
        for _ in 0..<options.readRounds { try find(in: keychain, floor, &comparison) }
        return comparison
    }

    private static func find(
        in keychain: SampleKeychain,
        _ floor: ReadFloor,
        _ comparison: inout Comparison
    ) throws {
        let keys = floor.nextKeys(batch)
        let queries = keychain.nextQueries(batch)
        try comparison.round(
            floor: { try $0.measure(keys, floor.find) },
            operation: { try $0.measure(queries, SampleKeychain.find) }
        )
    }

    private static func findByLabel(in keychain: SampleKeychain, _ options: Options) throws -> Samples {
        var samples = Samples()
        for _ in 0..<options.readRounds {
            try samples.measure([keychain.nextLabelQuery()], SampleKeychain.find)
        }
        return samples
    }

    private static func row(_ name: String, _ count: Int, _ samples: Samples) -> [String] {
        [name, "\(count)", samples.median.text(1) + " µs", samples.quantile(0.9).text(1) + " µs"]
    }

    private static func list(_ keychain: SampleKeychain, _ options: Options) throws -> [[String]] {
        let before = ProcessMemory.residentMegabytes
        var held: Any? = try keychain.list()
        let whileHeld = ProcessMemory.residentMegabytes
        if held != nil { held = nil }
        let after = ProcessMemory.residentMegabytes
        // Letting go of the result is the caller's, at a time of its own.
        var samples = Samples()
        var releases = Samples()
        for _ in 0..<options.listRounds {
            try samples.measure([()]) { held = try keychain.list() }
            releases.measure([()]) { held = nil }
        }
        let last = ProcessMemory.residentMegabytes
        return [
            [
                "list all attributes", "\(keychain.count)", (samples.median / 1000).text(1) + " ms",
                (samples.quantile(0.9) / 1000).text(1) + " ms",
            ],
            [
                "release the list", "\(keychain.count)", (releases.median / 1000).text(1) + " ms",
                (releases.quantile(0.9) / 1000).text(1) + " ms",
            ],
            [
                "resident memory", "\(keychain.count)",
                "\(before.text(0)) MiB before, \(whileHeld.text(0)) held, \(after.text(0)) after",
                "\(last.text(0)) after \(options.listRounds) lists",
            ],
        ]
    }

    // MARK: - Writing

    private enum Write {
        case add
        case update
        case delete
    }

    private static func write(
        in keychain: SampleKeychain,
        _ options: Options,
        _ kind: Write
    ) throws -> Comparison {
        let floor = try AppendFloor(in: keychain.folder)
        // In small batches: the disk's moods last for milliseconds.
        let batch = 4
        var comparison = Comparison()
        var number: UInt8 = 0
        for _ in 0..<options.writeRounds {
            let new = kind == .update ? [] : keychain.newItems(batch)
            if kind == .delete { try new.forEach(SampleKeychain.add) }
            let queries = kind == .delete ? keychain.deletions(ofLast: batch) : []
            let updates = kind == .update ? keychain.nextUpdateQueries(batch) : []
            number &+= 1
            try comparison.round(
                floor: { try $0.measure(Array(repeating: (), count: batch)) { try floor.append() } },
                operation: { samples in
                    switch kind {
                    case .add: try samples.measure(new, SampleKeychain.add)
                    case .update: try samples.measure(updates) { try SampleKeychain.update($0, value: number) }
                    case .delete: try samples.measure(queries, SampleKeychain.delete)
                    }
                }
            )
            if kind == .delete { keychain.forgetLast(batch) }
        }
        return comparison
    }

    // MARK: - Size

    private static func size(of keychain: SampleKeychain) throws -> [String] {
        let files = try keychain.fileSizes()
        let database = (files["keychain.db"] ?? 0) + (files["keychain.db-wal"] ?? 0)
        let payload = keychain.count * SampleKeychain.payload(of: keychain.count)
        let perItem = Double(database) / Double(keychain.count)
        return [
            "\(keychain.count)", "\(database)", "\(payload)", perItem.text(0),
            (perItem - Double(payload) / Double(keychain.count)).text(0),
        ]
    }
}

extension Table {
    fileprivate mutating func append(contentsOf rows: [[String]]) {
        for row in rows { append(row) }
    }
}

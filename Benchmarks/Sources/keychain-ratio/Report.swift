import KeychainMeasuring
import KeychainSamples

/// What was measured, as tables.
struct Report {
    private var ratios = Table(["operation", "items", "against", "base µs", "operation µs", "p90 µs", "ratio"])
    private var times = Table(["operation", "items", "median ms", "p90 ms"])
    private var memory = Table(["list of", "held", "an item", "released", "after more"])
    private var sizes = Table(["items", "database", "payload", "bytes an item", "overhead an item"])

    mutating func add(_ name: String, _ count: Int, _ base: String, _ comparison: Comparison) {
        ratios.append([
            name, "\(count)", base, comparison.floor.median.text(1), comparison.operation.median.text(1),
            comparison.operation.quantile(0.9).text(1), comparison.ratio.text(2),
        ])
    }

    mutating func addTime(_ name: String, _ count: Int, _ samples: Samples) {
        times.append([
            name, "\(count)", (samples.median / 1000).text(1), (samples.quantile(0.9) / 1000).text(1),
        ])
    }

    mutating func addMemory(_ count: Int, held: ProcessMemory, released: ProcessMemory, last: ProcessMemory, lists: Int)
    {
        memory.append([
            "\(count)", held.text, (held.resident * 1024 / Double(count)).text(2) + " KiB", released.text,
            "\(last.text) (\(lists) lists)",
        ])
    }

    mutating func addSize(of keychain: SampleKeychain) throws {
        let files = try keychain.fileSizes()
        let database = (files["keychain.db"] ?? 0) + (files["keychain.db-wal"] ?? 0)
        let payload = keychain.count * SampleKeychain.payload(of: keychain.count)
        let perItem = Double(database) / Double(keychain.count)
        sizes.append([
            "\(keychain.count)", "\(database)", "\(payload)", perItem.text(0),
            (perItem - Double(payload) / Double(keychain.count)).text(0),
        ])
    }

    var text: String {
        [ratios, times, memory, sizes].filter { !$0.isEmpty }.map(\.text).joined(separator: "\n\n")
    }
}

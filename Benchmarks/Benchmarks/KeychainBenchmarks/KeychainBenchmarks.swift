import Benchmark
import Foundation
import KeychainSamples

/// The operations and their floors one by one, for the tool's statistics and stored thresholds. `keychain-ratio` sets
/// them against each other.
let benchmarks: @Sendable () -> Void = {
    let folder = FileManager.default.temporaryDirectory
    for count in [1_000, 15_000] {
        // Made when a benchmark first needs it, and shared by those that leave it as it was.
        let samples = Samples(count: count, folder: folder)
        let frequent = Benchmark.Configuration(
            metrics: [.wallClock, .instructions, .syscalls],
            warmupIterations: 100,
            maxDuration: .seconds(3),
            maxIterations: 20_000
        )
        let durable = Benchmark.Configuration(
            metrics: [.wallClock, .instructions, .syscalls, .writeSyscalls],
            warmupIterations: 5,
            maxDuration: .seconds(5),
            maxIterations: 500
        )

        Benchmark("floor of a read, \(count) items", configuration: frequent) { benchmark in
            let floor = try samples.readFloor()
            let keys = floor.nextKeys(1)
            benchmark.startMeasurement()
            try keys.forEach(floor.find)
            benchmark.stopMeasurement()
        }

        Benchmark("find, \(count) items", configuration: frequent) { benchmark in
            let queries = try samples.keychain().nextQueries(1)
            benchmark.startMeasurement()
            try queries.forEach(SampleKeychain.find)
            benchmark.stopMeasurement()
        }

        Benchmark("find by label, \(count) items", configuration: frequent) { benchmark in
            let queries = try samples.keychain().nextLabelQueries(1)
            benchmark.startMeasurement()
            try queries.forEach(SampleKeychain.find)
            benchmark.stopMeasurement()
        }

        Benchmark("list all attributes, \(count) items", configuration: durable) { benchmark in
            let keychain = try samples.keychain()
            benchmark.startMeasurement()
            blackHole(try keychain.list())
            benchmark.stopMeasurement()
        }

        Benchmark("floor of a durable write, \(count) items", configuration: durable) { benchmark in
            let floor = try samples.appendFloor()
            benchmark.startMeasurement()
            try floor.append()
            benchmark.stopMeasurement()
        }

        Benchmark("add, \(count) items", configuration: durable) { benchmark in
            let items = try samples.keychain().newItems(1)
            benchmark.startMeasurement()
            try items.forEach(SampleKeychain.add)
            benchmark.stopMeasurement()
        }

        Benchmark("update, \(count) items", configuration: durable) { benchmark in
            let queries = try samples.keychain().nextUpdateQueries(1)
            benchmark.startMeasurement()
            try queries.forEach { try SampleKeychain.update($0, value: 1) }
            benchmark.stopMeasurement()
        }

        Benchmark("delete, \(count) items", configuration: durable) { benchmark in
            let keychain = try samples.keychain()
            try keychain.newItems(1).forEach(SampleKeychain.add)
            let queries = keychain.deletions(ofLast: 1)
            benchmark.startMeasurement()
            try queries.forEach(SampleKeychain.delete)
            benchmark.stopMeasurement()
            keychain.forgetLast(1)
        }
    }
}

/// The keychain and the floors of one number of items.
///
/// The tool runs benchmarks one after the other, and closures that it keeps have to be `Sendable`.
final class Samples: @unchecked Sendable {
    private let count: Int
    private let folder: URL
    private var madeKeychain: SampleKeychain?
    private var madeReadFloor: ReadFloor?
    private var madeAppendFloor: AppendFloor?

    init(count: Int, folder: URL) {
        self.count = count
        self.folder = folder
    }

    func keychain() throws -> SampleKeychain {
        let keychain = try madeKeychain ?? SampleKeychain(count: count, in: folder)
        madeKeychain = keychain
        keychain.use()
        return keychain
    }

    func readFloor() throws -> ReadFloor {
        let floor = try madeReadFloor ?? ReadFloor(count: count, in: folder)
        madeReadFloor = floor
        return floor
    }

    func appendFloor() throws -> AppendFloor {
        let floor = try madeAppendFloor ?? AppendFloor(in: folder)
        madeAppendFloor = floor
        return floor
    }
}

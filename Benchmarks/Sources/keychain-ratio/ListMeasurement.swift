import Foundation
import KeychainMeasuring
import KeychainSamples

/// The list that is held. Global, since the compiler lets go of a local one after its last use.
nonisolated(unsafe) private var held: NSArray?

/// Times listing all attributes of all items, and its memory.
struct ListMeasurement {
    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    func run(_ keychain: SampleKeychain, _ report: inout Report) throws {
        // Opens connections and prepares statements.
        _ = try keychain.find()
        try memory(of: keychain, &report)
        let floor = try ReadFloor(count: keychain.count, in: options.folder)
        var comparison = Comparison()
        var processor = Samples()
        var releases = Samples()
        for _ in 0..<options.listRounds {
            try comparison.round(
                floor: { try $0.measure([()]) { try floor.list() } },
                operation: { samples in
                    let start = clock()
                    try samples.measure([()]) { held = try keychain.list() }
                    processor.append(microseconds: Double(clock() - start) * 1e6 / Double(CLOCKS_PER_SEC))
                }
            )
            // Letting go of the result is the caller's, at a time of its own.
            releases.measure([()]) { held = nil }
        }
        report.add("list", keychain.count, "floor", comparison)
        report.addTime("list, processor time of all threads", keychain.count, processor)
        report.addTime("release the list", keychain.count, releases)
    }

    private func memory(of keychain: SampleKeychain, _ report: inout Report) throws {
        let before = ProcessMemory.now
        held = try keychain.list()
        let whileHeld = ProcessMemory.now
        held = nil
        let after = ProcessMemory.now
        for _ in 0..<options.listRounds {
            held = try keychain.list()
            held = nil
        }
        let last = ProcessMemory.now
        report.addMemory(
            keychain.count,
            held: whileHeld - before,
            released: after - before,
            last: last - before,
            lists: options.listRounds
        )
    }
}

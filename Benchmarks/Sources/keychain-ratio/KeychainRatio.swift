import Foundation
import KeychainMeasuring
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
        var report = Report()
        for count in options.counts {
            if count < Options.large {
                try measure(SampleKeychain(count: count, in: options.folder), options, &report)
            } else {
                try measureLarge(count, options, &report)
            }
        }
        print(report.text)
    }

    private static func measure(
        _ keychain: SampleKeychain,
        _ options: Options,
        _ report: inout Report
    ) throws {
        let count = keychain.count
        // Before anything is added, so that the figure is that of the stated number of items.
        try report.addSize(of: keychain)
        // Lists first: what other measurements leave behind in memory is not theirs.
        if options.measures(.list) { try ListMeasurement(options).run(keychain, &report) }
        if options.measures(anyOf: [.find, .label, .comment]) {
            let floor = try ReadFloor(count: count, in: options.folder)
            let reading = ReadMeasurement(options)
            if options.measures(.find) { try report.add("find", count, "floor", reading.find(keychain, floor)) }
            if options.measures(.label) {
                try report.add("find by label", count, "floor", reading.findByLabel(keychain, floor))
            }
            if options.measures(.comment) {
                try report.add("find by comment", count, "scan", reading.scan(floor))
            }
        }
        for kind in [Operation.add, .update, .delete] where options.measures(kind) {
            try report.add("\(kind)", count, "floor", WriteMeasurement(options).run(keychain, kind))
        }
    }

    /// Very many items: what is asked of them is whether a search takes longer than among few.
    private static func measureLarge(_ count: Int, _ options: Options, _ report: inout Report) throws {
        let (keychain, seconds) = try SampleKeychain.filled(count: count, in: options.keep ?? options.folder)
        if let seconds { print("filled with \(count) items in \(seconds.text(0)) s") }
        try report.addSize(of: keychain)
        let small = try SampleKeychain(count: Options.small, in: options.folder)
        let reading = ReadMeasurement(options)
        let base = "\(Options.small) items"
        if options.measures(.find) { try report.add("find", count, base, reading.find(keychain, among: small)) }
        if options.measures(.label) {
            try report.add("find by label", count, base, reading.findByLabel(keychain, among: small))
        }
        keychain.use()
        if options.measures(.comment) {
            var samples = Samples()
            try samples.measure(Array(repeating: (), count: 3)) { try SampleKeychain.scan() }
            report.addTime("find by comment", count, samples)
        }
        if options.measures(.add) {
            let before = keychain.count
            try report.add("add", count, "floor", WriteMeasurement(options).run(keychain, .add))
            // So that the next run finds it as this one did.
            try keychain.deletions(ofLast: keychain.count - before).forEach(SampleKeychain.delete)
        }
        if options.keep == nil { try FileManager.default.removeItem(at: keychain.folder) }
    }
}

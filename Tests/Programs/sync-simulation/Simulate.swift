import ArgumentParser
import Foundation
import KeychainSync
import SyncSimulation

/// Runs schedules, one after the other, and says which of them fail.
@main
struct Simulate: ParsableCommand {
    @Option(help: "The first seed.")
    var first: UInt64 = 1
    @Option(help: "How many schedules.")
    var count: UInt64 = 1_000
    @Option(help: "The number of a rule to leave out.")
    var without: Int?
    @Option(help: "The number of an item to follow.")
    var trace: Int?
    @Flag(help: "Leave steps of the first schedule out as long as it fails.")
    var shrink = false

    @Flag(help: "With rarer events: members who lie, damage, clocks that jump.")
    var rare = false

    @Flag(help: "Measure large circles instead.")
    var speed = false

    func run() throws {
        if speed { return try measure() }
        var rules = SyncRules.all
        // What devices find out by comparing would repair much of what a rule prevents.
        if let without { rules.subtract([SyncRules(rawValue: 1 << without), .digests]) }
        var failed = 0
        let began = Date()
        for seed in first..<(first + count) {
            let schedule = Schedule(seed: seed, rare: rare)
            guard let fault = Simulation.fault(of: schedule, rules: rules) else { continue }
            failed += 1
            if shrink {
                let kind = fault.filter(\.isLetter).prefix(24)
                let short = schedule.shrunk {
                    Simulation.fault(of: $0, rules: rules)?.filter(\.isLetter).prefix(24) == kind
                }
                Simulation.traced = trace
                print(short, Simulation.fault(of: short, rules: rules) ?? "")
                break
            }
            print("seed \(seed): \(fault.prefix(160))")
        }
        print("\(count) schedules, \(failed) failed, \(Date().timeIntervalSince(began)) s")
        if failed > 0 { throw ExitCode.failure }
    }

    private func measure() throws {
        for measurement in [try SyncSpeed.merging(items: 15_000), try SyncSpeed.heads(devices: 32)] {
            let times = [measurement.time, measurement.floor].map { String(format: "%.2f ms", $0 * 1_000) }
            let ratio = String(format: "%.1f", measurement.time / measurement.floor)
            print("\(measurement.name): \(times[0]), \(ratio) times the floor of \(times[1])")
        }
    }
}

import ArgumentParser
import Foundation
import KeychainTestSupport

/// Kills writers of a keychain, and looks whether anything is lost.
@main
struct CrashCampaignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-campaign",
        abstract: "Kills processes that write to a keychain, and looks whether anything that they were told is lost."
    )

    @Option(help: "How many processes write at once.")
    var writers = 8

    @Option(help: "How many of them are killed, and started again.")
    var kills = 1000

    @Option(help: "After how many kills the keychain is looked at.")
    var batch = 50

    @Option(help: "The number that the choices of writers and killer follow from.")
    var seed: UInt64 = .random(in: 0..<1_000_000)

    @Option(help: "Where the keychain is made; it stays there. A temporary folder if absent.")
    var directory: String?

    func run() throws {
        var options = CrashCampaign.Options()
        options.writers = max(writers, 1)
        options.kills = kills
        options.batch = max(batch, 1)
        options.seed = seed
        options.directory = directory.map { URL(fileURLWithPath: $0).path }
        print("\(options.writers) writers, \(kills) kills, seed \(seed)")
        let report = try CrashCampaign.run(options) { report in
            print("\(report.kills) kills, \(report.acknowledged) acknowledged changes, \(Int(report.seconds)) s")
        }
        print(
            """
            kills:                           \(report.kills), \(report.killsDuringChange) of them in the middle of a change
            acknowledged changes:            \(report.acknowledged)
            looks at the whole keychain:     \(report.looks)
            longest call of a living writer: \(report.longestWait) ms
            duration:                        \(Int(report.seconds)) s
            faults:                          \(report.faults.count)
            """
        )
        for fault in report.faults { print("FAULT: \(fault)") }
        if !report.faults.isEmpty { throw ExitCode.failure }
    }
}

import KeychainTestSupport
import Testing

@Suite("Writers that are killed again and again")
struct CrashCampaignTests {
    @Test func `eight writers that are killed a hundred times lose nothing and leave nothing`() throws {
        var options = CrashCampaign.Options()
        options.kills = 100
        options.seed = .random(in: 0..<1_000_000)
        let report = try CrashCampaign.run(options)
        #expect(report.faults == [], "seed \(options.seed)")
        #expect(report.kills >= 100)
        #expect(report.acknowledged > 100)
        print("\(report.kills) kills, \(report.killsDuringChange) in the middle of \(report.acknowledged) changes")
    }
}

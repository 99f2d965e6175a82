import KeychainSync
import SyncSimulation
import Testing

@Suite("Synchronization under all that can go wrong")
struct SimulationTests {
    /// `scripts/simulate.sh` runs as many as somebody has hours for.
    @Test(arguments: 0..<4)
    func `devices agree in the end, lose nothing that another one has, and bring nothing back`(part: UInt64) {
        for seed in (part * 500)..<((part + 1) * 500) {
            let fault = Simulation.fault(of: Schedule(seed: seed))
            #expect(fault == nil, "seed \(seed)")
        }
    }

    @Test func `a schedule is the same each time`() throws {
        #expect(Schedule(seed: 7).description == Schedule(seed: 7).description)
        #expect(Schedule(seed: 7).description != Schedule(seed: 8).description)
        #expect(try Simulation.digest(of: Schedule(seed: 7)) == Simulation.digest(of: Schedule(seed: 7)))
    }
}

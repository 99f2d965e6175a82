import KeychainSync
import SyncSimulation
import Testing

@Suite("Synchronization under all that can go wrong")
struct SimulationTests {
    /// `scripts/simulate.sh` runs as many as somebody has hours for.
    @Test(arguments: 0..<4)
    func `devices agree in the end, lose nothing that another one has, and bring nothing back`(part: UInt64) {
        for seed in (part * 500)..<((part + 1) * 500) {
            let isRare = !seed.isMultiple(of: 2)
            let fault = Simulation.fault(of: Schedule(seed: seed, rare: isRare))
            #expect(fault == nil, "seed \(seed)\(isRare ? " with rare events" : "")")
        }
    }

    @Test func `a schedule is the same each time`() throws {
        #expect(Schedule(seed: 7).description == Schedule(seed: 7).description)
        #expect(Schedule(seed: 7).description != Schedule(seed: 8).description)
        #expect(try Simulation.digest(of: Schedule(seed: 7)) == Simulation.digest(of: Schedule(seed: 7)))
    }

    struct Omission: Sendable, CustomStringConvertible {
        let description: String
        let rule: SyncRules
        let seed: UInt64
    }

    /// What devices find out by comparing digests would repair much of what the other rules prevent.
    @Test(arguments: [
        Omission(description: "stamps after what is replaced", rule: .laterThanReplaced, seed: 17),
        Omission(description: "tombstones until bases cover them", rule: .coveredByBases, seed: 42),
        Omission(description: "taking over", rule: .adoption, seed: 0),
        Omission(description: "disks that were set back", rule: .setBack, seed: 0),
        Omission(description: "heads that the approver knows", rule: .knownHeads, seed: 4),
        Omission(description: "ended journals are not read first", rule: .endedBeforeAreSkipped, seed: 768),
        Omission(description: "fresh epochs", rule: .freshEpochs, seed: 5),
        Omission(description: "comparing", rule: .digests, seed: 404),
    ])
    func `without a rule there is a schedule that fails, and with it the schedule passes`(omission: Omission) {
        let schedule = Schedule(seed: omission.seed)
        #expect(Simulation.fault(of: schedule, rules: .all.subtracting([omission.rule, .digests])) != nil)
        #expect(
            Simulation.fault(of: schedule, rules: omission.rule == .digests ? .all : .all.subtracting(.digests)) == nil
        )
    }

    /// Schedules that once failed, each for a rule that was missing or wrong.
    @Test(arguments: [
        // Another history of a journal, a cut that was not closed, entries that were lost, heads without their segments.
        8, 24, 253, 294, 307, 1138, 1328, 4046, 6119,
        // Epochs that began at once, members who went with their approver, disks that were set back twice.
        13, 85, 274, 369, 507, 1143, 1710, 2147, 3320, 6822, 12204, 12511,
        // Copies of a device, and former members.
        58, 65, 238, 304, 1334, 1798, 2700, 13875, 15436, 24318, 27850,
        // Ends of two histories of one journal, readers who were lost, devices that waited for each other.
        6960, 7176, 19820, 26052, 28060, 33196, 41692, 45552, 54332, 57308, 58510,
        // What was claimed wrongly: of members that the writer knew, deletions of nothing, heads that were lost.
        9811, 13042, 20080, 28539, 31976, 66468, 246932, 393391, 507030, 737969, 785575, 1_003_418, 2_210_655,
        2_313_523,
        // Journals that could not be read yet, a journal that others had taken over and its device read once more, ends in another
        // history than others had read, heads that name entries which are not there, a head of a device that does not count.
        217270, 228730, 233330, 273307, 410554, 591015, 641372, 2_011_095,
    ])
    func `a schedule that failed once passes`(seed: UInt64) {
        #expect(Simulation.fault(of: Schedule(seed: seed)) == nil)
    }

    /// With members who lie, damaged databases, clocks that jump, locked devices, devices that leave, and a recovery key.
    @Test(arguments: [
        // What was written under an epoch that somebody could not read, and that was good no more, or left by a liar alone.
        5842, 7435, 21569, 32483, 37350,
        // A device that was recovered, and saw a head before its segments.
        20002,
        // What was claimed wrongly: of an item that only the former journal of its device had, and of a device that left while
        // its disk was set back.
        144, 436, 2542, 3404, 5212,
    ])
    func `a schedule with rare events that failed once passes`(seed: UInt64) {
        #expect(Simulation.fault(of: Schedule(seed: seed, rare: true)) == nil)
    }
}

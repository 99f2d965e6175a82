import KeychainSync

/// What happens in a simulation, one after the other. The same seed gives the same.
package struct Schedule: Sendable, CustomStringConvertible {
    package enum Event: Int, Sendable, CaseIterable {
        case edit, sync, compact, collect, image, setBack, clone, join, remove, lose, intrude
        // Rarer ones, which only some schedules have.
        case leave, recover, keepEpoch, spoilEpoch, endNothing, lock, damage, jump, interleave, replay
    }

    package struct Step: Sendable {
        let event: Event
        /// What the step draws its own numbers from: other steps can be left out without changing it.
        let seed: UInt64
    }

    package let seed: UInt64
    /// How many items there are, and how many of a hundred edits delete one.
    let items: Int
    let deletions: Int
    package var steps: [Step]

    /// How likely each event is, in circles of several sorts.
    private static let sorts: [[(Event, Int)]] = [
        [
            (.edit, 26), (.sync, 50), (.compact, 6), (.collect, 6), (.image, 3), (.setBack, 2), (.clone, 1), (.join, 3),
            (.remove, 1), (.lose, 1), (.intrude, 1),
        ],
        // Much is deleted, and dropped.
        [
            (.edit, 20), (.sync, 56), (.compact, 10), (.collect, 4), (.image, 1), (.setBack, 1), (.join, 4),
            (.remove, 1),
        ],
        // Disks come and go.
        [(.edit, 20), (.sync, 54), (.compact, 8), (.collect, 4), (.image, 5), (.setBack, 4), (.join, 4), (.remove, 1)],
        // Members come and go, and so do their enemies.
        [
            (.edit, 20), (.sync, 54), (.compact, 8), (.collect, 4), (.image, 1), (.setBack, 1), (.join, 8),
            (.remove, 3),
            (.lose, 1), (.intrude, 3),
        ],
    ]

    /// - Parameter rare: whether it has some of the rarer events, too.
    package init(seed: UInt64, rare: Bool = false) {
        self.seed = seed
        var random = SeededRandom(seed)
        let sort = Int(seed % UInt64(Self.sorts.count))
        let weights = Self.sorts[sort]
        (items, deletions) = sort == 0 ? (6, 35) : (3, 50)
        let total = weights.reduce(0) { $0 + $1.1 }
        steps = (0..<Int.random(in: 40...120, using: &random)).map { _ in
            var place = Int.random(in: 0..<total, using: &random)
            let event = weights.first { weight in
                place -= weight.1
                return place < 0
            }
            return Step(event: event?.0 ?? .sync, seed: random.next())
        }
        if rare { addRareEvents() }
    }

    private static let rareEvents: [Event] = [
        .leave, .recover, .keepEpoch, .spoilEpoch, .endNothing, .lock, .damage, .jump, .interleave, .replay,
    ]

    /// Drawn apart from all others.
    private mutating func addRareEvents() {
        var random = SeededRandom(seed ^ 0x5EED_0F_4A4E)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            guard let event = Self.rareEvents.randomElement(using: &random) else { return }
            let place = Int.random(in: 0...steps.count, using: &random)
            steps.insert(Step(event: event, seed: random.next()), at: place)
        }
    }

    package var description: String { "seed \(seed): " + steps.map { "\($0.event)" }.joined(separator: " ") }

    /// The shortest schedule that was found that still fails: parts are left out as long as it does.
    package func shrunk(_ fails: (Schedule) -> Bool) -> Schedule {
        var best = self
        var size = max(1, best.steps.count / 2)
        while true {
            var place = 0
            var wasShortened = false
            while place < best.steps.count {
                var shorter = best
                shorter.steps.removeSubrange(place..<min(place + size, best.steps.count))
                if fails(shorter) {
                    best = shorter
                    wasShortened = true
                } else {
                    place += size
                }
            }
            if size == 1, !wasShortened { return best }
            size = max(1, size / 2)
        }
    }
}

import KeychainModel
package import KeychainSync

/// What a schedule has shown to be wrong.
package struct SimulationFault: Error, CustomStringConvertible {
    package let description: String
}

/// Devices of one person, and what carries their blobs.
final class World {
    private static let names = (1...6).map { SyncHash(of: [UInt8($0)]) }
    private static let mostMachines = 6
    private static let start: UInt64 = 1_800_000_000_000

    private let numbers: Numbers
    private let transport = Transport()
    private let decoder = Decoder()
    private let rules: SyncRules
    private let names: [ItemName]
    private let deletionRate: Int
    /// Items that were deleted on a disk that was set back, before that was noticed: the transport may show the other history.
    private var deletedBehind: Set<ItemName> = []
    /// Items that a database has lost and that no journal of another device had.
    private var damaged: Set<ItemName> = []
    /// Devices that former members have added, and items that they have written.
    private var accomplices: [(keys: SimulatedKeys, of: DeviceID)] = []
    private var forgeries: Set<SyncHash> = []
    /// The newest deletion of each item, by whomever.
    private var deletions: [ItemName: Version] = [:]
    private(set) var machines: [Machine] = []
    /// The keys that are on paper.
    private var paper: SimulatedKeys?
    private var clock = World.start
    /// The epochs under which something was written, with those whom its author knew to be removed, and to be members.
    private var sealed: [(epoch: EpochID, removed: Set<DeviceID>, members: Set<DeviceID>)] = []

    init(_ schedule: Schedule, rules: SyncRules) throws {
        self.rules = rules
        deletionRate = schedule.deletions
        names = Array(Self.names.prefix(schedule.items))
        numbers = Numbers(seed: schedule.seed << 20)
        let keys = try SimulatedKeys(numbers)
        let nameKey = SecretBytes(numbers.bytes("name key"))
        let (replica, entries) = try Replica.founding(keys.card, salt: numbers.name(), nameKey: nameKey, keys: keys)
        var disk = Disk(replica: replica.unchecked(rules: rules), keys: keys)
        disk.post(entries)
        machines.append(Machine(0, disk, clockError: 0))
    }

    // MARK: - Events

    func run(_ step: Schedule.Step) throws {
        var random = SeededRandom(step.seed)
        clock += UInt64.random(in: 1...500, using: &random)
        // A newcomer looks whether it was added.
        guard let machine = machines.filter(\.isAlive).randomElement(using: &random) else { return }
        switch step.event {
        case .edit: try edit(machine, &random)
        case .sync: try sync(machine, &random)
        case .compact: try unlessLocked(machine) { try $0.compact() }
        case .collect: machine.disk.collect()
        // A disk from before its device had joined belongs to a device that joins once more.
        case .image: if machine.disk.replica.own != nil { machine.images.append(machine.disk.copy()) }
        case .setBack: setBack(machine, &random)
        case .clone: clone(machine)
        case .join: try join(machine, &random)
        case .remove: try remove(machine, &random)
        case .lose: if alive.count > 2 { machine.isAlive = false }
        case .intrude: try intrude(machine, &random)
        case .lock: machine.disk.keys.isLocked.toggle()
        case .jump: machine.clockError += Int64.random(in: -3_000_000_000...3_000_000_000, using: &random)
        case .replay: transport.replay()
        case .damage: damage(machine, &random)
        case .interleave: try interleave(machine, &random)
        case .leave: try leave(machine, &random)
        case .recover: try recover(machine, &random)
        case .keepEpoch, .spoilEpoch, .endNothing: try lie(machine, step.event, &random)
        }
        machine.remember()
        if let traced = Simulation.traced {
            print(step.event, "\(machine.number) \(describe(machine, Self.names[traced]))")
        }
    }

    private func describe(_ machine: Machine, _ name: ItemName) -> String {
        guard let item = machine.disk.replica.items[name] else { return "none" }
        return
            "\(item.version.stamp - min(item.version.stamp, Self.start - 100_000)) \(item.version.digest?.text.prefix(4) ?? "gone") "
            + item.carriers.map { "\($0.text.prefix(4)):\($1)" }.sorted().joined(separator: ",")
    }

    private var alive: [Machine] { machines.filter { $0.isAlive && $0.disk.replica.isMember } }

    private func edit(_ machine: Machine, _ random: inout SeededRandom) throws {
        guard let name = names.randomElement(using: &random) else { return }
        let item: SecretBytes? = random.chance(deletionRate) ? nil : SecretBytes(numbers.bytes("item", 8))
        let change = LocalChange(
            name: name,
            tier: random.chance(50) ? .unlocked : .afterFirstUnlock,
            item: item,
            modified: UInt64(Int64(clock) + machine.clockError)
        )
        // There may be nothing to delete.
        var stamp: UInt64?
        try unlessLocked(machine) { stamp = try $0.change(change) }
        guard stamp != nil else { return }
        if item == nil { machine.deleted.insert(name) }
        if item == nil, machine.isBehind { deletedBehind.insert(name) }
        if let version = machine.disk.replica.items[name]?.version {
            // What the owner does last counts, whatever the clocks say.
            if let before = machine.seen[name], version <= before {
                guard version == before else {
                    throw SimulationFault(
                        description: "an edit of \(label(name)) is older than what it replaces on \(machine.number): "
                            + state
                    )
                }
            }
            machine.seen[name] = version
            if version.isTombstone { deletions[name] = max(deletions[name] ?? version, version) }
        }
        note(machine.disk.replica)
    }

    /// A device writes under an epoch, and knows who was removed.
    private func note(_ replica: Replica) {
        guard replica.isMember, let epoch = try? replica.writingEpoch() else { return }
        let removed = replica.circle.state.removed
        let members = Set(replica.circle.state.members.keys)
        if let last = sealed.last, last.epoch == epoch, last.removed == removed, last.members == members { return }
        sealed.append((epoch, removed, members))
    }

    /// A device that was set back, and is shown entries of then and no others, cannot know what was deleted since.
    private func noteOldView(_ replica: Replica) {
        let known = Set(replica.circle.entries.map(\.hash))
        let others = alive.flatMap(\.disk.replica.circle.entries).map(\.hash)
        if !others.allSatisfy(known.contains) { deletedBehind.formUnion(deletions.keys) }
    }

    /// A device that was set back and does not know it, or learns it from old heads, ends journals before deletions that all
    /// others have dropped.
    private func noteOldEnd(of device: DeviceID, by machine: Machine) {
        guard machine.isBehind else { return }
        let isOld = machine.disk.replica.circle.state.endings.contains { end in
            let lengths = machines.compactMap { $0.disk.replica.journals[end.journal]?.history.count }
            return end.device == device && lengths.contains { UInt64($0) > end.point.number }
        }
        if isOld { deletedBehind.formUnion(deletions.keys) }
    }

    /// Whether a device knows all journals that any copy of it has published.
    private func knowsItsJournals(_ replica: Replica) -> Bool {
        View(transport.newest, decoder).heads.allSatisfy { head in
            let journal = head.contents.journal
            return head.contents.device != replica.device || replica.own?.id == journal
                || replica.journals[journal] != nil
                || replica.circle.state.end(of: journal, by: replica.device) != nil
        }
    }

    /// A newcomer is not older than its approver was, unless a journal has ended since: others have to write its items again.
    private func checkNewcomer(_ machine: Machine, _ replica: Replica) throws {
        guard let approved = newcomers.removeValue(forKey: machine.number), !transport.isHonest,
            replica.circle.state.endings.isEmpty, replica.circle.state.removed.isEmpty
        else { return }
        // A journal that two write, or a disk from before, has two histories, and nobody has noticed.
        guard !machines.contains(where: { $0 !== machine && $0.isBehind }) else { return }
        for (name, version) in approved {
            if let now = replica.items[name]?.version {
                guard now >= version else {
                    throw SimulationFault(description: "\(machine.number) is older than its approver: " + state)
                }
            } else if deletions[name].map({ $0 < version }) ?? true {
                throw SimulationFault(description: "\(machine.number) lacks what its approver had: " + state)
            }
        }
    }

    /// All that a device does when it hears of something; a crash may come between any two steps.
    private func sync(_ machine: Machine, _ random: inout SeededRandom) throws {
        let time = UInt64(Int64(clock) + machine.clockError)
        let view = View(transport.view(&random), decoder)
        let crash = transport.isHonest ? Int.max : Int.random(in: 0..<12, using: &random)
        for step in 0..<8 where step < crash {
            let wasReading = machine.disk.replica.phase != .member
            try unlessLocked(machine) { disk in
                switch step {
                case 0: try disk.take(view)
                case 1: _ = try disk.read(view, clock: time)
                case 2: try disk.keepUp(clock: time)
                case 3: try disk.repair(view)
                case 4: try disk.adopt(numbers)
                case 5: disk.collect()
                case 6: try disk.sign(clock: time)
                default: break
                }
            }
            let replica = machine.disk.replica
            if step == 1, wasReading, replica.phase == .member {
                if machine.isBehind { noteOldView(replica) }
                machine.isCatchingUp = machine.isBehind
                try checkNewcomer(machine, replica)
            }
            if step == 2, !wasReading, replica.phase != .member { noteOldEnd(of: machine.card.id, by: machine) }
            if step == 1, machine.isCatchingUp, replica.phase == .member, knowsItsJournals(replica) {
                machine.isBehind = false
                machine.isCatchingUp = false
            }
            if step == 4, replica.phase == .member { note(replica) }
            if step == 7 { publish(machine, view, &random) }
            machine.remember()
            if let traced = Simulation.traced {
                print(
                    "  \(machine.number).\(step) \(replica.phase == .member) \(describe(machine, Self.names[traced]))"
                )
            }
        }
        // Without a random number, which would make other schedules of all seeds.
        if crash == 3 { try machine.disk.restart() }
        for point in machine.disk.replica.release() {
            let name = BlobName(point).text
            machine.disk.outbox[name] = nil
            transport.remove(name, &random)
        }
    }

    private func publish(_ machine: Machine, _ view: View, _ random: inout SeededRandom) {
        for name in machine.disk.order {
            if !transport.isHonest, random.chance(4) { return }
            guard let bytes = machine.disk.outbox[name] else { continue }
            let isThere = machine.disk.published[name] == bytes && (!transport.isHonest || view.blobs[name] != nil)
            guard !isThere else { continue }
            transport.write(name, bytes, &random)
            machine.disk.published[name] = bytes
        }
        // Entries of others, too: they may be the only ones who had them.
        if transport.isHonest || random.chance(10) {
            for entry in machine.disk.replica.circle.entries {
                let name = BlobName.entry(entry.hash).text
                if view.blobs[name] == nil { transport.write(name, entry.encoded, &random) }
            }
        }
    }

    /// One transaction, of which nothing is left where a key is locked away.
    private func unlessLocked(_ machine: Machine, _ step: (inout Disk) throws -> Void) throws {
        var disk = machine.disk
        do {
            try step(&disk)
            machine.disk = disk
        } catch let error as KeychainError where error.code == .interactionNotAllowed {
            guard machine.disk.keys.isLocked else { throw error }
        }
    }

    private func setBack(_ machine: Machine, _ random: inout SeededRandom) {
        guard let image = machine.images.randomElement(using: &random) else { return }
        let removed = alive.reduce(into: Set<DeviceID>()) { $0.formUnion($1.disk.replica.circle.state.removed) }
        machine.disk = image.copy()
        machine.seen = [:]
        machine.isBehind = true
        machine.isCatchingUp = false
        // It takes a former member for one still, if it does not know of the removal. It may have been the only one who knew.
        if !removed.isSubset(of: machine.disk.replica.circle.state.removed) { forgeries = [] }
    }

    /// Another machine with a copy of the disk: both write as the same device.
    private func clone(_ machine: Machine) {
        guard machines.count < Self.mostMachines else { return }
        let other = Machine(machines.count, machine.disk.copy(), clockError: machine.clockError)
        other.isBehind = true
        machines.append(other)
    }

    private func join(_ approver: Machine, _ random: inout SeededRandom) throws {
        guard machines.count < Self.mostMachines, approver.disk.replica.isSettled,
            approver.disk.replica.own?.head != nil,
            (try? approver.disk.replica.writingEpoch()) != nil
        else { return }
        // Its owner is there.
        approver.disk.keys.isLocked = false
        let keys = try SimulatedKeys(numbers)
        let circle = approver.disk.replica.circle
        let consent = try keys.sign(Addition.consent(of: keys.card, to: circle.id))
        let required = approver.disk.replica.knownHeads
        approver.disk.post(try approver.disk.replica.add(keys.card, consent: consent, keys: approver.disk.keys))
        guard let founding = circle.entries.first else { return }
        let replica = Replica(of: keys.card.id, in: try Circle(founding: founding), required: required)
        let error = Int64.random(in: -5_000...5_000, using: &random)
        let machine = Machine(
            machines.count,
            Disk(replica: replica.unchecked(rules: rules), keys: keys),
            clockError: error
        )
        machines.append(machine)
        newcomers[machine.number] = approver.seen
    }

    /// What an approver had when a newcomer was added.
    private var newcomers: [Int: [ItemName: Version]] = [:]

    private func remove(_ machine: Machine, _ random: inout SeededRandom) throws {
        guard machine.disk.replica.isMember, machine.disk.replica.phase == .member else { return }
        let others = machine.disk.replica.circle.state.members.keys.filter { $0 != machine.card.id }.sorted()
        guard others.count > 1, let other = others.randomElement(using: &random) else { return }
        machine.disk.post(try machine.disk.replica.remove(other, keys: machine.disk.keys))
        noteOldEnd(of: other, by: machine)
        for gone in machines where gone.card.id == other { gone.isAlive = false }
    }

    /// Its database loses an item, or has another one.
    private func damage(_ machine: Machine, _ random: inout SeededRandom) {
        guard let name = machine.disk.store.keys.sorted().randomElement(using: &random) else { return }
        // What no other journal has may be lost with it.
        let carriers = machine.disk.replica.items[name]?.carriers.keys.map(\.self) ?? []
        if carriers.allSatisfy({ $0 == machine.journal }) { damaged.insert(name) }
        machine.disk.store[name] = random.chance(50) ? nil : SecretBytes([0])
    }

    /// An owner changes something between the reading of journals and what follows from it.
    private func interleave(_ machine: Machine, _ random: inout SeededRandom) throws {
        let view = View(transport.view(&random), decoder)
        let time = UInt64(Int64(clock) + machine.clockError)
        guard machine.disk.replica.phase == .member, let plan = try? machine.disk.plan(view, clock: time) else {
            return
        }
        try edit(machine, &random)
        try unlessLocked(machine) { try $0.take(view) }
        machine.disk.execute(plan, clock: time)
    }

    /// A device removes itself.
    private func leave(_ machine: Machine, _ random: inout SeededRandom) throws {
        let replica = machine.disk.replica
        guard alive.count > 2, replica.isMember, replica.phase == .member else { return }
        machine.disk.post(try machine.disk.replica.remove(machine.card.id, keys: machine.disk.keys))
        noteOldEnd(of: machine.card.id, by: machine)
        for name in machine.disk.order { transport.write(name, machine.disk.outbox[name] ?? [], &random) }
        for gone in machines where gone.card.id == machine.card.id { gone.isAlive = false }
    }

    /// A recovery key is made, and later it adds a device: by what is there, which nobody vouches for.
    private func recover(_ machine: Machine, _ random: inout SeededRandom) throws {
        let circle = machine.disk.replica.circle
        guard let paper else {
            guard machine.disk.replica.isSettled, (try? machine.disk.replica.writingEpoch()) != nil else { return }
            machine.disk.keys.isLocked = false
            let keys = try SimulatedKeys(numbers, kind: .recovery)
            let consent = try keys.sign(Addition.consent(of: keys.card, to: circle.id))
            machine.disk.post(try machine.disk.replica.add(keys.card, consent: consent, keys: machine.disk.keys))
            paper = keys
            return
        }
        guard machines.count < Self.mostMachines, let founding = circle.entries.first else { return }
        let view = View(transport.newest, decoder)
        var known = try Circle(founding: founding)
        _ = known.insert(view.entries)
        guard known.state.members[paper.card.id] != nil else { return }
        let keys = try SimulatedKeys(numbers)
        let consent = try keys.sign(Addition.consent(of: keys.card, to: circle.id))
        let entries = try Replica.recover(keys.card, consent: consent, in: known, by: paper.card.id, keys: paper)
        var disk = Disk(
            replica: Replica(of: keys.card.id, in: try Circle(founding: founding), required: []).unchecked(
                rules: rules
            ),
            keys: keys
        )
        disk.post(entries)
        _ = try disk.replica.insert(view.entries + entries, keys: keys)
        let added = Machine(machines.count, disk, clockError: 0)
        // What is there now is all that it can know.
        _ = try added.disk.read(view, clock: clock)
        machines.append(added)
    }

    // MARK: - Members who lie

    private func lie(_ machine: Machine, _ event: Schedule.Event, _ random: inout SeededRandom) throws {
        var disk = machine.disk
        let circle = disk.replica.circle
        let others = circle.state.members.values.filter { $0.id != machine.card.id }.sorted { $0.id < $1.id }
        guard disk.replica.phase == .member, disk.replica.isMember, let other = others.randomElement(using: &random),
            let nameKey = disk.replica.nameKey(disk.keys)
        else { return }
        disk.keys.isLocked = false
        let body: EntryBody
        if event == .endNothing {
            let hash = SyncHash(of: numbers.bytes("nothing"))
            body = .end([Ending(of: other.id, salt: numbers.name(), at: 5, hash)])
        } else {
            // Its secret is its author's alone, or another one for one of the others.
            let all = [machine.disk.keys.card] + (event == .keepEpoch ? [] : others.filter { $0.id != other.id })
            let honest = try disk.keys.beginEpoch(for: all, earlier: [], in: circle.id)
            guard let id = honest.wraps.first?.epoch else { return }
            var wraps = honest.wraps
            if event == .spoilEpoch {
                let key = SealedKey(
                    encapsulation: [UInt8](repeating: 1, count: SealedKey.encapsulationSize),
                    box: [UInt8](repeating: 1, count: SealedKey.boxSize)
                )
                wraps.append(EpochWrap(epoch: id, recipient: other.id, key: key))
            }
            let box = try disk.keys.seal(
                random.chance(70) ? nameKey.secret : SecretBytes(numbers.bytes("no name key")),
                for: .afterFirstUnlock,
                in: id,
                authenticating: EpochDescription.nameKeyData(in: circle.id, id)
            )
            body = .epoch(EpochDescription(id: id, secrets: EpochSecrets(wraps: wraps), nameKey: box))
        }
        guard circle.frontier.count <= Entry.mostParents else { return }
        let entry = try disk.replica.unchecked(body, parents: circle.frontier, keys: disk.keys)
        _ = try disk.replica.insert([entry], keys: disk.keys)
        disk.post([entry])
        machine.disk = disk
    }

    /// A former member does what it can, and the transport helps it.
    private func intrude(_ machine: Machine, _ random: inout SeededRandom) throws {
        let removed = alive.reduce(into: Set<DeviceID>()) { $0.formUnion($1.disk.replica.circle.state.removed) }
        let former = machines.filter { removed.contains($0.card.id) && $0.disk.replica.isMember }
        guard let intruder = former.randomElement(using: &random) else { return }
        // Its own circle is the one of its time: all that it signs is back-dated.
        let keys = try SimulatedKeys(numbers)
        let circle = intruder.disk.replica.circle.id
        let consent = try keys.sign(Addition.consent(of: keys.card, to: circle))
        var disk = intruder.disk
        disk.keys.isLocked = false
        accomplices.append((keys, intruder.card.id))
        let forgery = SecretBytes(numbers.bytes("intruder", 8))
        // Those who have not heard of its removal take it for a member still, also those who do not know yet that they are added.
        let others = machines.filter { $0.isAlive && $0.card.id != intruder.card.id }
        if others.allSatisfy({ $0.disk.replica.circle.state.removed.contains(intruder.card.id) }) {
            forgeries.insert(SyncHash(of: forgery))
        }
        let epochs = Array(disk.keys.epochs.keys).sorted()
        let addition = Addition(
            card: keys.card,
            wraps: try disk.keys.wrap(epochs, for: keys.card, in: circle)
        )
        guard
            let entry = try? disk.replica.unchecked(
                .add(addition),
                consent: consent,
                parents: disk.replica.circle.frontier,
                keys: disk.keys
            )
        else { return }
        disk.post([entry])
        if random.chance(50) {
            _ = try? disk.change(
                LocalChange(
                    name: Self.names[0],
                    tier: .unlocked,
                    item: forgery,
                    modified: clock + 100_000
                )
            )
            try disk.sign(clock: clock)
        }
        for name in disk.order { transport.write(name, disk.outbox[name] ?? [], &random) }
        intruder.disk = disk
    }

    // MARK: - The end

    /// All are honest and online from here on; what has to hold then is looked at.
    func settle() throws {
        transport.beHonest()
        for machine in machines { machine.disk.keys.isLocked = false }
        var random = SeededRandom(1)
        _ = try rounds(&random, atMost: 30)
        try removeLost()
        _ = try rounds(&random, atMost: 30)
        // A copy of a device that does not come back in this time does not come back.
        for _ in 0..<2 {
            for _ in 0...(Replica.longestSilence / Replica.longestStep) {
                clock += Replica.longestStep
                for machine in alive { machine.disk.pass(clock: UInt64(Int64(clock) + machine.clockError)) }
            }
            _ = try rounds(&random, atMost: 30)
            acceptOlder(&random)
            _ = try rounds(&random, atMost: 2)
            try removeLost()
            try giveUp()
            _ = try rounds(&random, atMost: 30)
        }
        try rest(&random)
        try check()
        for _ in 0..<3 {
            for machine in alive { try machine.disk.compact() }
            try rest(&random)
        }
        try check()
        try checkTombstones()
    }

    /// The owner removes devices that do not come back.
    private func removeLost() throws {
        guard let machine = alive.first(where: { $0.disk.replica.phase == .member }) else { return }
        let present = Set(alive.map(\.card.id))
        for member in machine.disk.replica.circle.state.members.keys.sorted()
        where !present.contains(member) && member != paper?.card.id {
            // Whom somebody has added who is removed may have gone with it.
            guard machine.disk.replica.circle.state.members[member] != nil else { continue }
            machine.disk.post(try machine.disk.replica.remove(member, keys: machine.disk.keys))
        }
    }

    /// Owners give up what was in journals of devices that do not come back.
    private func giveUp() throws {
        let present = Set(alive.map(\.card.id))
        for machine in alive where machine.disk.replica.phase == .member {
            let lost = machine.disk.replica.unreadEnds.filter { !present.contains($0.device) }.map(\.journal)
            machine.disk.post(try machine.disk.replica.giveUp(Set(lost), keys: machine.disk.keys))
        }
    }

    /// Owners accept that newer heads are lost, and they alone: nobody else waits for ever.
    private func acceptOlder(_ random: inout SeededRandom) {
        let view = View(transport.view(&random), decoder)
        for machine in alive {
            guard case .reading(let required) = machine.disk.replica.phase else { continue }
            // Their segments are lost, or the entry with the secret of the epoch.
            let plan = try? machine.disk.plan(view, clock: clock)
            let missing = Set(plan?.missing.map(\.journal) ?? []).union(plan?.refused.keys.map(\.self) ?? [])
            let isLost = required.contains { head in
                missing.contains(head.journal)
                    || !view.heads.contains {
                        $0.contents.journal == head.journal
                            && ($0.contents.counter > head.counter || $0.hash == head.hash)
                    }
            }
            let isTorn = isTorn(view, for: machine.disk.replica)
            if isLost || isTorn { machine.disk.replica.acceptOlder() }
            // What was deleted may come back with it.
            if isTorn { deletedBehind.formUnion(deletions.keys) }
        }
    }

    /// Whether heads name entries that are lost, with what is built on them, or newer segments of a journal than its newest head.
    private func isTorn(_ view: View, for replica: Replica) -> Bool {
        for head in view.heads {
            for hash in head.contents.frontier where !replica.circle.has(hash) { return true }
            for other in view.heads {
                for mark in other.contents.read where mark.journal == head.contents.journal {
                    if mark > head.contents.tip { return true }
                }
            }
        }
        return false
    }

    private func rest(_ random: inout SeededRandom) throws {
        guard try rounds(&random, atMost: 30) else { throw SimulationFault(description: "no rest: " + state) }
    }

    /// - Returns: whether nothing changes any more.
    private func rounds(_ random: inout SeededRandom, atMost count: Int) throws -> Bool {
        var before: [SyncHash?] = []
        for _ in 0..<count {
            clock += 6 * 3_600_000
            for machine in alive { try sync(machine, &random) }
            // A device that learns only now that it is a member, or none.
            for machine in machines where machine.isAlive && !machine.disk.replica.isMember {
                let view = View(transport.view(&random), decoder)
                try machine.disk.take(view)
            }
            let now = alive.map { $0.disk.replica.own?.head?.hash }
            if now == before, alive.allSatisfy({ $0.disk.replica.phase == .member }) { return true }
            before = now
        }
        return false
    }

    private func check() throws {
        guard let first = alive.first else { return }
        for machine in alive where live(machine) != live(first) {
            throw SimulationFault(description: "\(machine.number) and \(first.number) differ: " + state)
        }
        for machine in alive
        where machine.disk.replica.own?.head.map({ [$0.contents.digest, $0.contents.epoch] })
            != first.disk.replica.own?.head.map({ [$0.contents.digest, $0.contents.epoch] })
        {
            throw SimulationFault(description: "digests differ: " + state)
        }
        for machine in alive
        where machine.disk.store.mapValues({ SyncHash(of: $0) }) != live(machine).mapValues(\.digest) {
            throw SimulationFault(description: "\(machine.number) has other items than it knows of: " + state)
        }
        // Two who are one device may each drop what the other one does not know to be deleted.
        let copied = machines.filter { machine in machines.filter { $0.card.id == machine.card.id }.count > 1 }
        let uncertain = copied.reduce(into: deletedBehind.union(damaged)) { $0.formUnion($1.deleted) }
        // Nothing that somebody of the circle has had is lost, and nothing that was deleted is back.
        for machine in alive {
            for (name, version) in machine.seen where !uncertain.contains(name) {
                let now = live(first)[name]
                let newest = alive.compactMap { $0.seen[name] }.max() ?? version
                if let now {
                    guard now >= version else {
                        throw SimulationFault(
                            description: "\(machine.number) has had something newer of \(label(name)): " + state
                        )
                    }
                } else if !newest.isTombstone, deletions[name].map({ $0 < newest }) ?? true {
                    throw SimulationFault(description: "\(label(name)) is lost: " + state)
                }
            }
        }
        try checkReaders()
    }

    private func checkReaders() throws {
        guard let present = alive.first else { return }
        for item in present.disk.replica.items.values where item.version.digest.map(forgeries.contains) ?? false {
            throw SimulationFault(description: "what a former member has written is current: " + state)
        }
        // Those who are no members take all entries that there are, and open what they can.
        let members = present.disk.replica.circle.state.members
        for keys in accomplices.map(\.keys) + machines.map(\.disk.keys) where members[keys.card.id] == nil {
            for _ in 0..<2 {
                for entry in present.disk.replica.circle.entries {
                    _ = try keys.unwrap(entry.secrets, in: entry.circle)
                }
            }
        }
        // A removal may have been lost with the device that knew it.
        let removed = present.disk.replica.circle.state.removed
        for (keys, former) in accomplices where removed.contains(former) {
            guard members[keys.card.id] == nil else {
                throw SimulationFault(description: "somebody is a member whom a former one has added: " + state)
            }
            // Whom the remover knew as somebody's member stays one.
            for (epoch, removed, known) in sealed
            where removed.contains(former) && !known.contains(keys.card.id) && keys.epochs[epoch] != nil {
                throw SimulationFault(
                    description:
                        "an accomplice of \(former.text.prefix(4)) reads \(epoch.text.prefix(4)): \(history(present)) "
                        + state
                )
            }
        }
        for (epoch, removed, _) in sealed {
            for machine in machines where removed.contains(machine.card.id) && machine.disk.keys.epochs[epoch] != nil {
                throw SimulationFault(description: "\(machine.number) reads what was written after its removal")
            }
        }
    }

    /// The entries that a device knows, for people who look into a failure.
    private func history(_ machine: Machine) -> String {
        machine.disk.replica.circle.entries.map { entry in
            let said =
                switch entry.body {
                case .found: "founds"
                case .add(let addition):
                    "adds \(addition.card.id.text.prefix(4)) \(addition.wraps.map { $0.epoch.text.prefix(4) })"
                case .remove(let removal): "removes \(removal.device.text.prefix(4))"
                case .end(let ends): "ends \(ends.map { "\($0.journal.text.prefix(4)) \($0.point.number)" })"
                case .epoch(let epoch):
                    "epoch \(epoch.id.text.prefix(4)) for \(epoch.secrets.wraps.map { $0.recipient.text.prefix(4) }) earlier \(epoch.secrets.earlier.map { $0.epoch.text.prefix(4) })"
                case .floor(let number): "floor \(number)"
                case .merge: "merges"
                }
            return
                "\n    \(entry.hash.text.prefix(4)) after \(entry.parents.map { $0.text.prefix(4) }) \(entry.author.text.prefix(4)) \(said)"
        }.joined()
    }

    private func checkTombstones() throws {
        for machine in alive {
            let count = machine.disk.replica.items.values.filter(\.version.isTombstone).count
            // One who is a member, and was lost, is waited for.
            let writers = Set(alive.map(\.card.id))
            guard
                machine.disk.replica.circle.state.members.keys.allSatisfy({
                    writers.contains($0) || $0 == paper?.card.id
                })
            else { continue }
            if count > 0 { throw SimulationFault(description: "\(machine.number) has \(count) tombstones: " + state) }
        }
    }

    private func live(_ machine: Machine) -> [ItemName: Version] {
        machine.disk.replica.items.filter { !$0.value.version.isTombstone }.mapValues(\.version)
    }

    private func label(_ name: ItemName) -> String { Self.names.firstIndex(of: name).map { "item \($0)" } ?? name.text }

    /// What a device waits for that has not read the circle.
    private func waiting(_ machine: Machine) -> String {
        guard case .reading(let required) = machine.disk.replica.phase else { return "" }
        var random = SeededRandom(1)
        let view = View(transport.view(&random), decoder)
        guard let plan = try? machine.disk.plan(view, clock: clock) else { return "its keys refuse" }
        let heads = required.map { "\($0.journal.text.prefix(4)) \($0.counter)" }
        return """
            requires \(heads) of \(view.heads.map { "\($0.contents.journal.text.prefix(4)) \($0.contents.counter) \($0.contents.tip.number)" }) \
            missing \(plan.missing.map { "\($0.journal.text.prefix(4)) \($0.number)" }) entries \(plan.missingEntries.count) refused \(plan.refused)
            """
    }

    /// For people who look into a failure.
    var state: String {
        machines.map { machine in
            let replica = machine.disk.replica
            let items = replica.items.sorted { $0.key < $1.key }.map { name, _ in
                "\(label(name)) \(describe(machine, name))"
            }
            let journals = replica.journals.sorted { $0.key < $1.key }.map { id, journal in
                "\(id.text.prefix(4)) of \(journal.device.text.prefix(4)) \(journal.history.count) heard \(replica.age - journal.heard)\(journal.skipped != nil ? " skipped" : "")"
            }
            return """

                \(machine.number) \(machine.card.id.text.prefix(4)) alive \(machine.isAlive) member \(replica.isMember) \
                \(replica.phase == .member ? "" : "reading") own \(replica.own.map { "\($0.id.text.prefix(4)) \($0.history.count)" } ?? "none")
                  items \(items)
                  journals \(journals)
                  \(waiting(machine))
                  ends \(replica.circle.state.endings.map { "\($0.point.journal.text.prefix(4)) \($0.point.number)" }.sorted()) entries \(replica.circle.entries.count)
                """
        }.joined()
    }
}

/// Runs schedules.
package enum Simulation {
    /// The number of an item to print at each step. It is set once, before the only schedule that is run then.
    nonisolated(unsafe) package static var traced: Int?

    /// - Throws: `SimulationFault`; any other error is one, too.
    package static func run(_ schedule: Schedule, rules: SyncRules = .all) throws {
        _ = try settled(schedule, rules)
    }

    private static func settled(_ schedule: Schedule, _ rules: SyncRules) throws -> World {
        let world = try World(schedule, rules: rules)
        for step in schedule.steps { try world.run(step) }
        try world.settle()
        return world
    }

    /// What the devices of a schedule have in the end, and all that they have signed.
    package static func digest(of schedule: Schedule) throws -> String {
        try settled(schedule, .all).state
    }

    /// - Returns: what went wrong with it, if anything did.
    package static func fault(of schedule: Schedule, rules: SyncRules = .all) -> String? {
        do {
            try run(schedule, rules: rules)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

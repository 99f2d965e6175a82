import Foundation
import Machine
import Synchronization
import Testing

/// Adds items one after another, and hears of each that was acknowledged.
final class Writer: Sendable {
    private let acknowledged = Mutex<Set<String>>([])
    private let text = Mutex("")

    var names: Set<String> { acknowledged.withLock { $0 } }

    /// Adds items until there are so many, or the machine is gone.
    func run(on machine: Machine, _ count: Int, round: Int = 0) {
        _ = try? machine.root(
            """
            runuser -u alice -- bash -c '
                for i in $(seq \(count)); do
                    security add-generic-password -s "kept-\(round)-$i" -a alice -w "secret $i" && echo "kept-\(round)-$i."
                done'
            """,
            status: nil,
            seconds: 600
        ) { [self] more in hear(more) }
    }

    private func hear(_ more: String) {
        let names = text.withLock { text -> [String] in
            text += more
            var lines = text.components(separatedBy: "\n")
            text = lines.removeLast()
            return lines.filter { $0.hasPrefix("kept-") && $0.hasSuffix(".") }.map { String($0.dropLast()) }
        }
        acknowledged.withLock { $0.formUnion(names) }
    }

    /// - Returns: those that were acknowledged and are not there, or not whole.
    func lost(on machine: Machine) throws -> [String] {
        let found = try machine.run(as: "alice", "security dump-keychain -d", seconds: 300).text
        return names.filter { name in
            let number = name.split(separator: "-").last ?? ""
            return !found.contains("\"\(name)\"") || !found.contains("\"secret \(number)\"")
        }
        .sorted()
    }
}

extension Machine {
    func requireNoFailedUnit() throws {
        try root("systemctl --failed --no-legend --plain | { ! grep chatelain; }")
    }
}

extension Scenarios {
    @Suite(.serialized) struct PowerTests {
        @Test func `the service and the enclave are killed while items are added: what was answered is there`() throws {
            try Installed.scenario { machine in
                let writer = Writer()
                let killing = Thread {
                    for unit in ["chatelained", "chatelaine-enclave", "chatelaine-identify", "chatelained"] {
                        sleep(4)
                        _ = try? machine.root("systemctl kill --signal KILL \(unit).service", status: nil)
                    }
                }
                killing.start()
                writer.run(on: machine, 40)
                try #require(writer.names.count >= 20, "\(writer.names.count) of 40 were added")
                try #require(writer.lost(on: machine).isEmpty)
                // Each that fails starts again by itself.
                try machine.root(
                    """
                    for i in $(seq 100); do
                        systemctl --failed --no-legend | grep -q . || exit 0
                        sleep .1
                    done
                    exit 1
                    """
                )
            }
        }

        @Test func `power cuts, with a disk that loses what was not flushed, lose nothing that was answered`() throws {
            try PowerCuts.run(cuts: PowerCuts.count)
        }
    }
}

enum PowerCuts {
    /// `CHATELAINE_MACHINE_CUTS`: how many.
    static let count = ProcessInfo.processInfo.environment["CHATELAINE_MACHINE_CUTS"].flatMap(Int.init) ?? 3

    static func run(cuts: Int) throws {
        let machine = try Machine(Installed.image.get(), name: "power-cuts", disk: .losing)
        try Installed.observe(machine, "power cuts") { machine in
            try machine.start()
            try Package.install(on: machine)
            try machine.root("systemctl disable --now systemd-networkd; sync")
            try requireForgetfulDisk(of: machine)
            let writer = Writer()
            for round in 1...cuts {
                // The first answer takes the service's start; the instant is anywhere in what follows.
                let known = writer.names.count
                let cutting = Thread {
                    let end = Date.now + 240
                    while writer.names.count < known + 2, Date.now < end { usleep(10_000) }
                    usleep(UInt32.random(in: 0..<4_000_000))
                    machine.cutPower()
                }
                cutting.start()
                writer.run(on: machine, 100, round: round)
                try machine.start()
                let lost = try writer.lost(on: machine)
                let answered = writer.names.count
                print("cut \(round): \(answered - known) answered, \(lost.count) of \(answered) lost")
                try #require(lost.isEmpty)
                try machine.requireNoFailedUnit()
            }
        }
        machine.cutPower()
    }

    /// What was written past all caches of the machine, and not flushed, is gone: else the cuts would show nothing.
    private static func requireForgetfulDisk(of machine: Machine) throws {
        try machine.root("head -c 4096 /dev/zero >/root/control; sync")
        try machine.root("printf lost | dd of=/root/control bs=4096 conv=notrunc,sync oflag=direct status=none")
        machine.cutPower()
        try machine.start()
        try machine.root("cmp --bytes 4096 /dev/zero /root/control")
    }
}

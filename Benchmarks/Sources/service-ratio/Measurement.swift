import Foundation
import KeychainMeasuring
import KeychainSamples

/// One run: for each number of items, a service, floors and a gnome-keyring, asked in turns.
struct Measurement {
    private let options: Options
    private let program = Bundle.main.executableURL?.path ?? "service-ratio"

    init(_ options: Options) {
        self.options = options
    }

    func run() throws {
        var single = Table([
            "operation", "items", "floor µs", "service µs", "p90 µs", "ratio", "gnome-keyring µs", "times faster",
        ])
        var several = Table(["operation", "items", "clients", "operations/s", "of one client's"])
        var rest = Table(["what", "items", "figure"])
        for count in options.counts { try measure(count, &single, &several, &rest) }
        print([single, several, rest].map(\.text).joined(separator: "\n\n"))
    }

    private func measure(_ count: Int, _ single: inout Table, _ several: inout Table, _ rest: inout Table) throws {
        let start = ContinuousClock.now
        let service = try Service(in: options.folder)
        try service.waitUntilReady()
        let client = try Driver([program, "client"], environment: service.environment)
        _ = try client.run("first", items: count, runs: 1)
        rest.append(["start of service and client until the first add", "\(count)", "\(start.elapsed) ms"])
        let idle = service.memory
        rest.append(["memory after it", "\(count)", "\(idle.resident.text(1)) MiB, own \(idle.own.text(1))"])
        if count > 1 { _ = try client.run("fill", items: count, runs: count - 1) }
        let peer = try options.peer.map { try Driver([$0.start, "\(count)", $0.driver]) }
        // A file that was written by hand has no password; the keyring that people have does.
        _ = try peer?.run("encrypt", items: count, runs: 1)
        _ = try peer?.run("get", items: count, runs: 1)
        try measureSingle(count, client, peer, &single)
        peer?.stop()
        try measureSeveral(count, service, &several)
        try measureRest(count, service, client, &rest)
        client.stop()
    }

    private func measureSingle(_ count: Int, _ client: Driver, _ peer: Driver?, _ table: inout Table) throws {
        let read = try ReadFloor(count: count, in: options.folder)
        let append = try AppendFloor(in: options.folder)
        let trip = try RoundTripFloor()
        for operation in ["get", "search", "add", "update", "delete"] {
            let isRead = ["get", "search"].contains(operation)
            let runs = isRead ? 100 : 10
            var comparison = Comparison()
            var ofPeer = Samples()
            for round in 0..<options.rounds {
                let keys = isRead ? read.nextKeys(runs) : Array(repeating: [], count: runs)
                try comparison.round(
                    floor: { samples in
                        try samples.measure(keys) { key in
                            try trip.roundTrip()
                            if isRead { try read.find(key) } else { try append.append() }
                        }
                    },
                    operation: { samples in
                        if operation == "delete" { _ = try client.run("add", items: count, runs: runs) }
                        try client.run(operation, items: count, runs: runs).forEach { samples.append(microseconds: $0) }
                        if operation == "add" { _ = try client.run("delete", items: count, runs: runs) }
                    }
                )
                // A store takes it up to a second: fewer.
                guard let peer, round < (isRead || count < 10_000 ? options.rounds : 3) else { continue }
                let peerRuns = isRead ? 10 : 2
                if operation == "delete" { _ = try peer.run("add", items: count, runs: peerRuns) }
                try peer.run(operation, items: count, runs: peerRuns).forEach { ofPeer.append(microseconds: $0) }
                if operation == "add" { _ = try peer.run("delete", items: count, runs: peerRuns) }
            }
            table.append([
                operation, "\(count)", comparison.floor.median.text(1), comparison.operation.median.text(1),
                comparison.operation.quantile(0.9).text(1), comparison.ratio.text(2), ofPeer.median.text(1),
                (ofPeer.median / comparison.operation.median).text(1),
            ])
        }
    }

    private func measureSeveral(_ count: Int, _ service: Service, _ table: inout Table) throws {
        var ofOne: [String: Double] = [:]
        for clients in options.clients {
            let drivers = try (0..<clients).map { _ in
                try Driver([program, "client"], environment: service.environment)
            }
            defer { drivers.forEach { $0.stop() } }
            _ = try Driver.throughput(drivers, "get", items: count, runs: 5)
            for (operation, runs) in [("get", 6400), ("add", 640), ("delete", 640)] {
                let rate = try Driver.throughput(drivers, operation, items: count, runs: runs / clients)
                if clients == 1 { ofOne[operation] = rate }
                table.append([
                    operation, "\(count)", "\(clients)", rate.text(0), (rate / (ofOne[operation] ?? .nan)).text(2),
                ])
            }
        }
    }

    private func measureRest(_ count: Int, _ service: Service, _ client: Driver, _ table: inout Table) throws {
        var lists = Samples()
        for time in try client.run("list", items: count, runs: 5) { lists.append(microseconds: time) }
        table.append(["list of all attributes", "\(count)", "\((lists.median / 1000).text(1)) ms"])
        let after = service.memory
        table.append(["memory after serving", "\(count)", "\(after.resident.text(1)) MiB, own \(after.own.text(1))"])
        var first = Samples()
        for _ in 0..<10 {
            let fresh = try Driver([program, "client"], environment: service.environment)
            for time in try fresh.run("get", items: count, runs: 1) { first.append(microseconds: time) }
            fresh.stop()
        }
        table.append(["first call of a new process", "\(count)", "\((first.median / 1000).text(2)) ms"])
    }
}

extension ContinuousClock.Instant {
    /// In milliseconds, as text.
    fileprivate var elapsed: String { (ContinuousClock.now - self).formattedMilliseconds }
}

extension Duration {
    fileprivate var formattedMilliseconds: String { (self / .milliseconds(1)).text(0) }
}

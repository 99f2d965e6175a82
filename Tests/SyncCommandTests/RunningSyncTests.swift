import Foundation
import KeychainTestSupport
import Testing

@Suite("Synchronization that runs all the time", .serialized)
struct RunningSyncTests {
    /// What each of some devices has, under accounts that one of them has.
    private func expect(_ values: [String: String], on devices: [CommandDevice], patience: TimeInterval = 60) throws {
        for (account, value) in values.sorted(by: { $0.key < $1.key }) {
            for (number, device) in devices.enumerated() {
                try waitUntil("device \(number) has \(account)", patience: patience, pause: 100_000) {
                    try device.value(account) == value
                }
            }
        }
    }

    @Test(arguments: CommandDevice.Kind.possible)
    func `with processes that are killed again and again nothing is lost that was stored`(
        kind: CommandDevice.Kind
    ) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-sync-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let devices = try (0..<3).map { _ in try CommandDevice(kind, folder: folder) }
        try devices[0].done(["chatelaine", "sync", "create", folder])
        try devices[0].approve(devices[1])
        try devices[0].approve(devices[2])
        let kills = Int(ProcessInfo.processInfo.environment["CHATELAINE_TEST_KILLS"] ?? "") ?? 24
        var running = try devices.map { try $0.carry() }
        defer { for process in running { process.kill() } }
        var values: [String: String] = [:]
        var random = SystemRandomNumberGenerator()
        for kill in 0..<kills {
            let writer = kill % 3
            let account = "item \(Int.random(in: 0..<8, using: &random)) of \(writer)"
            let value = "value \(kill)"
            try devices[writer].add(account, value)
            values[account] = value
            let killed = Int.random(in: 0..<3, using: &random)
            usleep(UInt32.random(in: 0..<150_000, using: &random))
            running[killed].kill()
            // In turns the carrier, and the service with its keychain.
            if kind != .embedded, kill % 2 == 1 {
                devices[killed].killService()
                try devices[killed].startService()
            }
            running[killed] = try devices[killed].carry()
        }
        try expect(values, on: devices)
        // A carrier says what it carries, and that its service was away.
        if kind == .embedded { for process in running { #expect(process.errors == "") } }
    }

    @Test(arguments: CommandDevice.Kind.possible.filter { $0 != .system })
    func `Syncthing carries a circle between two folders`(kind: CommandDevice.Kind) throws {
        let site = try SyncthingSite()
        let devices = try site.folders.map { try CommandDevice(kind, folder: $0) }
        try devices[0].add("alice", "one")
        try devices[0].done(["chatelaine", "sync", "create", devices[0].folder])
        try waitUntil("Syncthing has carried the circle") {
            FileManager.default.fileExists(atPath: devices[1].folder + "/chatelaine/1")
        }
        try devices[0].approve(devices[1])
        let running = try devices.map { try $0.carry() }
        defer { for process in running { process.kill() } }
        try devices[1].add("bob", "two")
        try expect(["alice": "one", "bob": "two"], on: devices)
        // Both change one item at the same time: one of both counts, on both.
        try devices[0].add("alice", "of the first")
        try devices[1].add("alice", "of the second")
        try waitUntil("both have the later change", patience: 90, pause: 200_000) {
            try devices[0].value("alice") == "of the second" && devices[1].value("alice") == "of the second"
        }
        try devices[0].done(["security", "delete-generic-password", "-s", "mail", "-a", "bob"])
        try waitUntil("the deletion has come", patience: 90, pause: 200_000) { try devices[1].value("bob") == nil }
    }
}

/// Two Syncthing nodes on this machine, each with a folder that is the other's too.
final class SyncthingSite {
    let folders: [String]
    private let place: String
    private var processes: [Process] = []

    init() throws {
        place = FileManager.default.temporaryDirectory.path + "/chatelaine-syncthing-\(UUID().uuidString)"
        folders = ["a", "b"].map { [place] in "\(place)/\($0)/folder" }
        for folder in folders {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let homes = ["a", "b"].map { [place] in "\(place)/\($0)/home" }
        var identifiers: [String] = []
        for home in homes {
            try run(["generate", "--home", home, "--skip-port-probing"])
            identifiers.append(
                try run(["--home", home, "--device-id"]).trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
        let ports = try Self.freePorts(4)
        for (number, home) in homes.enumerated() {
            let other = 1 - number
            let path = home + "/config.xml"
            var text = try String(contentsOfFile: path, encoding: .utf8)
            text = text.replacing(/<folder id="default"[\s\S]*?<\/folder>/, with: "")
            text = text.replacing(
                /<listenAddress>.*?<\/listenAddress>/,
                with: "<listenAddress>tcp://127.0.0.1:\(ports[number])</listenAddress>"
            )
            for key in [
                "globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled",
            ] {
                text = text.replacing("<\(key)>true</\(key)>", with: "<\(key)>false</\(key)>")
            }
            text = text.replacing(/<urAccepted>.*?<\/urAccepted>/, with: "<urAccepted>-1</urAccepted>")
            text = text.replacing(
                /<address>127.0.0.1:\d+<\/address>/,
                with: "<address>127.0.0.1:\(ports[2 + number])</address>",
                maxReplacements: 1
            )
            text = text.replacing(
                "</configuration>",
                with: """
                    <device id="\(identifiers[other])" name="other" compression="never">\
                    <address>tcp://127.0.0.1:\(ports[other])</address></device>\
                    <folder id="c" label="c" path="\(folders[number])" type="sendreceive" rescanIntervalS="5" \
                    fsWatcherEnabled="true" fsWatcherDelayS="1">\
                    <device id="\(identifiers[0])"></device><device id="\(identifiers[1])"></device></folder></configuration>
                    """
            )
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        for home in homes {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/syncthing")
            process.arguments = ["serve", "--home", home, "--no-browser", "--no-restart", "--no-upgrade"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.runHearingSignals()
            processes.append(process)
        }
    }

    deinit {
        for process in processes {
            process.terminate()
            process.waitForExit(patience: 60)
        }
        try? FileManager.default.removeItem(atPath: place)
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let finished = try FinishedProgram(
            ["syncthing"] + arguments,
            in: place,
            environment: ProcessInfo.processInfo.environment.merging(["HOME": place]) { $1 }
        )
        try #require(finished.status == 0, "\(finished.errors)")
        return finished.output
    }

    /// Ports that nobody listens on now.
    private static func freePorts(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let port = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                    guard bind(descriptor, address, size) == 0, getsockname(descriptor, address, &size) == 0 else {
                        return nil
                    }
                    return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        UInt16(bigEndian: $0.pointee.sin_port)
                    }
                }
            }
            return try #require(port)
        }
    }
}

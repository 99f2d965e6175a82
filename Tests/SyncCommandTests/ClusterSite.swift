import Foundation
import Glibc
import KeychainTestSupport
import Synchronization
import Testing

/// A real etcd cluster on this machine, set up by the commands of its operator.
final class ClusterSite: Sendable {
    /// Whether there is what the tests need: etcd, and our program that speaks to it (scripts/etcd.sh build).
    static let isPossible =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd")
        && FileManager.default.isExecutableFile(atPath: ServiceProcess.program("chatelaine-etcd"))

    let place: String
    private let names: [String]
    private let ports: [UInt16]
    private let processes = Mutex<[String: Process]>([:])

    init(nodes count: Int) throws {
        place = FileManager.default.temporaryDirectory.path + "/chatelaine-cluster-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        names = (1...count).map { "n\($0)" }
        ports = try Self.freePorts(count)
        try operate(["cluster"] + zip(names, ports).map { "\($0)=127.0.0.1:\($1)" })
        for name in names { try start(name) }
        try operate(["enable"])
    }

    deinit {
        for process in processes.withLock({ $0.values }) {
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitForExit(patience: 60)
        }
        try? FileManager.default.removeItem(atPath: place)
    }

    /// Ports that nobody listens on, as on the next one, which a node uses as well. The kernel gives them to nobody.
    private static func freePorts(_ count: Int) throws -> [UInt16] {
        func isFree(_ port: UInt16) -> Bool {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        var ports: Set<UInt16> = []
        for _ in 0..<1_000 where ports.count < count {
            let port = 2 * UInt16.random(in: 10_000..<16_000)
            if isFree(port), isFree(port + 1) { ports.insert(port) }
        }
        try #require(ports.count == count)
        return Array(ports)
    }

    /// Runs one of the operator's commands, which has to succeed.
    @discardableResult
    func operate(_ words: [String], sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let finished = try tried(words)
        #expect(finished.status == 0, "\(words): \(finished.errors)", sourceLocation: sourceLocation)
        return finished.output
    }

    func tried(_ words: [String]) throws -> FinishedProgram {
        try FinishedProgram(
            [ServiceProcess.program("chatelaine"), "sync", "operator"] + words,
            in: place,
            environment: ["PATH": "/usr/bin:/bin", "HOME": place]
        )
    }

    /// Where a new device of a circle finds it, with credentials of its own.
    func address(of device: String, in circle: String) throws -> String {
        let output = try operate(["device", circle, device])
        let address = try #require(output.split(separator: "'").first { $0.hasPrefix("etcd://") })
        return "\(address)&credentials=\(place)/\(circle)-\(device).pem"
    }

    // MARK: - Nodes

    private func start(_ name: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/etcd")
        process.arguments = ["--config-file", "etcd.yml"]
        process.currentDirectoryURL = URL(filePath: place + "/chatelaine-etcd/" + name)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.runHearingSignals()
        processes.withLock { $0[name] = process }
    }

    private func kill(_ name: String) {
        guard let process = processes.withLock({ $0.removeValue(forKey: name) }) else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitForExit(patience: 60)
    }

    /// Kills the node that leads, and starts it again when the body has run.
    func withoutLeader(_ body: () throws -> Void) throws {
        var leader: String?
        try waitUntil("a node leads") {
            leader = try tried(["status"]).lines.first { $0.hasSuffix("leads") }.map { String($0.prefix { $0 != " " }) }
            return leader != nil
        }
        let name = try #require(leader)
        kill(name)
        try body()
        try start(name)
    }

    /// Saves a snapshot, and returns how the cluster is set back to it.
    func snapshot() throws -> () throws -> Void {
        let (path, folder) = (place + "/snapshot-\(UUID().uuidString)", place + "/chatelaine-etcd")
        try etcdctl(
            [
                "--endpoints", "https://127.0.0.1:\(ports[0])", "--cacert", folder + "/authority.pem", "--cert",
                folder + "/operator.pem", "--key", folder + "/operator.pem", "snapshot", "save", path,
            ]
        )
        return { [self] in
            for name in names { kill(name) }
            let peers = zip(names, ports).map { "\($0)=https://127.0.0.1:\($1 + 1)" }.joined(separator: ",")
            for (name, port) in zip(names, ports) {
                let data = "\(folder)/\(name)/data"
                try FileManager.default.removeItem(atPath: data)
                try etcdctl(
                    [
                        "snapshot", "restore", path, "--name", name, "--initial-cluster", peers,
                        "--initial-cluster-token", "restored", "--initial-advertise-peer-urls",
                        "https://127.0.0.1:\(port + 1)", "--data-dir", data,
                    ]
                )
            }
            for name in names { try start(name) }
        }
    }

    private func etcdctl(_ words: [String]) throws {
        let finished = try FinishedProgram(
            ["etcdctl"] + words,
            in: place,
            environment: ["PATH": "/usr/bin:/bin", "ETCDCTL_API": "3"]
        )
        try #require(finished.status == 0, "\(words): \(finished.errors)")
    }
}

import EtcdOperator
import EtcdTransport
import Foundation
import Glibc
import Synchronization
import Testing

/// A real cluster, made as an operator makes one, with its nodes in processes of their own.
final class TestCluster: Sendable {
    let place: String
    let folder: OperatorFolder
    let nodes: [OperatorFolder.Node]
    private let processes: Mutex<[String: Process]>
    /// By how many seconds the clocks of nodes are wrong.
    private let clocks: [String: Int]

    /// - Parameters:
    ///   - count: of nodes.
    ///   - quota: in bytes.
    ///   - isEnabled: whether it lets in those alone whom its operator names.
    ///   - clocks: by how many seconds those of nodes are wrong.
    init(
        _ count: Int,
        quota: Int64 = 1 << 30,
        isEnabled: Bool = true,
        clocks: [String: Int] = [:]
    ) async throws {
        self.clocks = clocks
        place = FileManager.default.temporaryDirectory.path + "/chatelaine-etcd-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        folder = OperatorFolder(path: place + "/cluster")
        let ports = try FreePorts.find(2 * count)
        nodes = (0..<count).map {
            .init(name: "n\($0 + 1)", host: "127.0.0.1", port: ports[2 * $0], peerPort: ports[2 * $0 + 1])
        }
        processes = Mutex([:])
        try folder.make(nodes, quota: quota)
        for node in nodes { try start(node) }
        if isEnabled { try await Access.enable(folder.cluster()) }
    }

    deinit {
        for process in processes.withLock({ $0.values }) {
            Glibc.kill(process.processIdentifier, SIGCONT)
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitForExit(patience: 60)
        }
        try? FileManager.default.removeItem(atPath: place)
    }

    // MARK: - Nodes

    func start(_ node: OperatorFolder.Node) throws {
        let process = Process()
        let words = ["--config-file", "etcd.yml"]
        if let seconds = clocks[node.name] {
            process.executableURL = URL(filePath: try WrongClock.program.get())
            process.arguments = ["\(seconds)", "/usr/bin/etcd"] + words
        } else {
            process.executableURL = URL(filePath: "/usr/bin/etcd")
            process.arguments = words
        }
        process.currentDirectoryURL = URL(filePath: folder.path + "/" + node.name)
        let log = place + "/\(node.name).log"
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(filePath: log))
        try file.seekToEnd()
        process.standardOutput = file
        process.standardError = file
        process.standardInput = FileHandle.nullDevice
        try process.runHearingSignals()
        processes.withLock { $0[node.name] = process }
    }

    /// What a node has printed.
    func log(of node: OperatorFolder.Node) -> String {
        (try? String(contentsOfFile: place + "/\(node.name).log", encoding: .utf8)) ?? ""
    }

    /// As a power cut would.
    func kill(_ node: OperatorFolder.Node) {
        guard let process = processes.withLock({ $0.removeValue(forKey: node.name) }) else { return }
        send(SIGKILL, process)
        process.waitForExit(patience: 60)
    }

    func pause(_ node: OperatorFolder.Node) { signal(node, SIGSTOP) }
    func resume(_ node: OperatorFolder.Node) { signal(node, SIGCONT) }

    private func signal(_ node: OperatorFolder.Node, _ number: Int32) {
        if let process = processes.withLock({ $0[node.name] }) { send(number, process) }
    }

    private func send(_ number: Int32, _ process: Process) { Glibc.kill(process.processIdentifier, number) }

    /// The node that leads.
    func leader() async throws -> OperatorFolder.Node {
        let health = try Health(of: folder)
        for _ in 0..<100 {
            let states = try await health.states()
            if let name = states.first(where: { $0.answer?.isLeader ?? false })?.node,
                let node = nodes.first(where: { $0.name == name })
            {
                return node
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw EtcdFailure(.unreachable, "no node leads")
    }

    /// What the operator's program of etcd's own does.
    @discardableResult
    func etcdctl(_ words: [String], in folder: String? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/etcdctl")
        let own = self.folder.path
        process.arguments =
            [
                "--endpoints", "https://127.0.0.1:\(nodes[0].port)", "--cacert", own + "/authority.pem", "--cert",
                own + "/operator.pem", "--key", own + "/operator.pem",
            ] + words
        process.environment = ["ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"]
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit(patience: 60)
        #expect(process.terminationStatus == 0, "etcdctl \(words): \(text)")
        return text
    }

    // MARK: - Devices

    /// Makes circles, each with devices.
    func circle(_ name: String, devices: [String]) async throws -> [EtcdCluster] {
        let access = try await Access(of: folder)
        try await access.addCircle(name)
        var clusters: [EtcdCluster] = []
        for device in devices { clusters.append(try await add(device, to: name)) }
        return clusters
    }

    /// The connection of a new device.
    func add(_ device: String, to circle: String) async throws -> EtcdCluster {
        try connect(try #require(EtcdCredentials(pem: try await credentials(of: device, in: circle))))
    }

    /// What a new device proves who it is with.
    func credentials(of device: String, in circle: String) async throws -> String {
        let user = try await Access(of: folder).addDevice(device, to: circle)
        return try folder.authority.credentials(of: user.text)
    }

    /// Asks with curl, which takes any node for a real one.
    ///
    /// - Parameter credentials: a file.
    /// - Returns: what is answered; nil where there is no connection.
    func curl(_ place: String, credentials: String? = nil) throws -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        let proof = credentials.map { ["--cert", $0, "--key", $0] } ?? []
        process.arguments = ["--silent", "--insecure", "--http1.1", "--max-time", "10"] + proof + [place]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit(patience: 60)
        return process.terminationStatus == 0 ? text : nil
    }

    func connect(_ credentials: EtcdCredentials) throws -> EtcdCluster {
        try EtcdCluster(
            nodes: nodes.map { .init(host: $0.host, port: $0.port) },
            serverName: Authority.serverName,
            credentials: credentials
        )
    }
}

enum FreePorts {
    /// Ports that nobody listens on, all others than each other.
    static func find(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, size) == 0 ? getsockname(descriptor, pointer, &size) : -1
                }
            }
            try #require(result == 0)
            return UInt16(bigEndian: address.sin_port)
        }
    }
}

/// Counts what is told, and lets somebody wait for it.
final class Bell: Sendable {
    private let count = Mutex(0)

    func ring() { count.withLock { $0 += 1 } }

    var rung: Int { count.withLock { $0 } }
}

/// Waits for a condition, not longer than it is told.
func eventually(
    within patience: Duration = .seconds(30),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await condition(), sourceLocation: sourceLocation)
}
